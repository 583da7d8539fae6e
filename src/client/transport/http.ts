import { type ErrorCode, PlatformError } from '../../core/errors.ts';
import {
  countJson,
  isRecord,
  type JsonCounts,
  parseJson,
  parseJsonExactly,
  toText,
} from '../../core/json.ts';
import { cutText, quote } from '../../core/text.ts';
import { type AnswerFlaw, type ConnectionFault, clientMessages } from '../messages.ts';
import type { HttpReply } from './runtime.ts';

/** Query parameters of a GET; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The full address of a path below the base address, which may have a path of its own. Parameters
 * are sorted, so that equal questions have equal addresses.
 */
export function addressOf(baseUrl: string, path: string, query: Query = {}): URL {
  // Written down before it is read: an address that has been read is read anew with each parameter.
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  parameters.sort();
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return new URL(`${baseUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}${search}`);
}

/** A path as the template of its endpoint, such as `GET /api/order/{id}/item`: ids stay private. */
export function endpointOf(path: string): string {
  return `GET ${path.replace(/\/\d+(?=\/|$)/g, '/{id}')}`;
}

/**
 * `Retry-After` in milliseconds (docs/platform.md#retry-after: seconds), or undefined when unreadable. A date, as
 * gateways send it, counts from the answer's own `Date`.
 */
export function retryAfterOf({ header }: Pick<HttpReply, 'header'>): number | undefined {
  const text = header('retry-after');
  const seconds = parseCount(text);
  if (seconds !== undefined) return seconds * 1000;
  const ms = text?.endsWith(' GMT')
    ? Date.parse(text) - Date.parse(header('date') ?? '')
    : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** A whole number from 0 to a billion, or undefined. */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,10}\s*$/.test(value)) return undefined;
  const count = Number(value);
  return count <= 1e9 ? count : undefined;
}

/** The budget for reads that an answer reports, as far as it does. */
export interface BudgetReport {
  /** Requests a window. */
  limit?: number | undefined;
  /** Requests left in this window. */
  remaining?: number | undefined;
  resetMs?: number | undefined;
  /** Length of a window. */
  windowMs?: number | undefined;
  /** Every ceiling that `RateLimit-Policy` lists. */
  ceilings: Ceiling[];
}

/** One named ceiling: `quota` requests a window. */
export interface Ceiling {
  name: string;
  quota: number;
  windowSeconds: number | undefined;
}

/**
 * The budget that an answer reports, or undefined when none of the five headers tells one: then it
 * was not counted, which is not the same as nothing left. The numbers describe one ceiling only, the
 * closest to refusing; where that is the write ceiling they say nothing of reads (docs/platform.md#rate-headers).
 */
export function parseBudget(header: HttpReply['header']): BudgetReport | undefined {
  const ceilings = parseItems(header('ratelimit-policy')).flatMap(({ name, quota, window }) =>
    quota ? [{ name, quota, windowSeconds: window || undefined }] : [],
  );
  const [state] = parseItems(header('ratelimit'));
  const general = ceilings.find(({ name }) => name === 'general');
  const windowMs = general?.windowSeconds && general.windowSeconds * 1000;
  if (general && state?.name === 'write') return { limit: general.quota, windowMs, ceilings };
  const limit = parseCount(header('ratelimit-limit')) || general?.quota;
  const remaining = parseCount(header('ratelimit-remaining')) ?? state?.remaining;
  if (limit === undefined && remaining === undefined) return undefined;
  const reset = parseCount(header('ratelimit-reset')) ?? state?.reset;
  const resetMs = reset === undefined ? undefined : reset * 1000;
  return { limit, remaining, resetMs, windowMs, ceilings };
}

/** The items of a structured list such as `"general";q=300;w=60, "write";q=60;w=60`. */
function parseItems(value = '') {
  return value.split(',').map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const read = new URLSearchParams(parameters.join('&'));
    const count = (key: string) => parseCount(read.get(key) ?? undefined);
    return {
      name: name.replaceAll('"', ''),
      quota: count('q'),
      window: count('w'),
      remaining: count('r'),
      reset: count('t'),
    };
  });
}

/** An answer whose body was read to its end. */
export interface HttpAnswer extends Pick<HttpReply, 'status' | 'header'> {
  /** Such as `GET /api/order`. */
  endpoint: string;
  text: string;
  /** Secrets that errors about it must not quote. */
  secrets?: readonly string[];
}

/** Bounds far above any payload: parsing an answer just below them blocks the event loop for some 200 ms. */
const bounds: JsonCounts = {
  depth: 64,
  keysPerObject: 5000,
  keys: 5000,
  rowsPerList: 200_000,
  values: 200_000,
};

/** Rows that any page may have, and entries of a list within a row. */
const minPageRows = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the whole body as text, no further than `maxBytes`.
 * @throws PlatformError `too_large`, or `malformed_answer` when it was cut off or is not UTF-8
 */
export async function readAnswer(
  { status, header, body }: HttpReply,
  endpoint: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const answer = { endpoint, status, header, text: '' };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    signal.throwIfAborted();
    throw unreadable(answer, { kind: 'ended_early', bytes });
  }
  if (bytes > maxBytes) {
    const reason = clientMessages.answer_too_large({ endpoint, bytes: maxBytes });
    throw new PlatformError('too_large', reason, { status });
  }
  try {
    return { ...answer, text: utf8.decode(Buffer.concat(chunks)) };
  } catch {
    throw unreadable(answer, { kind: 'not_utf8' });
  }
}

/**
 * The JSON object or array that a successful answer has to be; what it holds is counted before it is parsed.
 * @param limit rows that were asked for
 * @throws PlatformError `malformed_answer` with a short quote of what came instead, `too_large` for too many values
 */
export function readJson(answer: HttpAnswer, limit?: number): unknown {
  if (answer.text.trim() === '') throw unreadable(answer, { kind: 'empty' });
  const type = answer.header('content-type');
  if (!/[/+]json\s*(;|$)/i.test(type ?? '')) throw unreadable(answer, { kind: 'other_type', type });
  const rowsPerList = limit === undefined ? bounds.rowsPerList : Math.max(2 * limit, minPageRows);
  const max = { ...bounds, rowsPerList };
  const { exceeded } = countJson(answer.text, max);
  if (exceeded !== undefined) throw unreadable(answer, { kind: exceeded, max: max[exceeded] });
  const body = parseJsonExactly(answer.text);
  if (body === undefined) throw unreadable(answer, { kind: 'not_json' });
  if (!isRecord(body) && !Array.isArray(body)) throw unreadable(answer, { kind: 'not_object' });
  return body;
}

/** The rows of a list, in an envelope's `data` or bare; undefined where there is none. */
export function rowsOf(body: unknown): readonly unknown[] | undefined {
  const rows = isRecord(body) ? body.data : body;
  return Array.isArray(rows) ? rows : undefined;
}

/** The error for an answer without a list where one has to be. */
export function noList(endpoint: string): PlatformError {
  return new PlatformError('malformed_answer', clientMessages.no_list({ endpoint }), {
    status: 200,
  });
}

/** Longest text that is searched for secrets: a secret in a header, fully escaped, is shorter. */
const maxErrorText = 100_000;

/** Strikes every secret out of a text that an error quotes, however JSON escapes it. */
export function masked(text: string, secrets: readonly string[] = []): string {
  const start = cutText(text, maxErrorText);
  return secrets.reduce((rest, secret) => {
    const units = Array.from({ length: secret.length }, (_, at) => {
      const code = secret.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\\\{0,4}(?:\\u${code}|(?<=\\\\)u${code})`;
    });
    return secret === '' ? rest : rest.replace(new RegExp(units.join(''), 'gi'), '***');
  }, start);
}

/** The platform's id of a request, safe to repeat: without secrets, bounded and neutral. */
export function traceIdOf(id: string | undefined, secrets?: readonly string[]): string | undefined {
  return (id && quote(masked(id, secrets), 64)) || undefined;
}

/**
 * The typed error for a refusal, with the words of its problem document, whatever the content type;
 * `X-Request-Id` serves as a trace_id.
 */
export function refusalError(answer: HttpAnswer): PlatformError {
  const { endpoint, status, header, secrets } = answer;
  const redirect = redirectError(answer);
  if (redirect) return redirect;
  const text = answer.text.trim();
  const body = text.length > maxErrorText ? undefined : parseJson(text);
  const problem = isRecord(body) ? body : {};
  const words = [problem.detail, problem.title, text].map(toText).find((word) => word !== '');
  const detail = cutText(masked(words ?? '', secrets), maxDetail);
  const traceId = traceIdOf(toText(problem.trace_id) || header('x-request-id'), secrets);
  const reason = clientMessages.refused({ endpoint, status, detail, traceId });
  const failure = { status, traceId, retryAfterMs: retryAfterOf(answer) };
  return new PlatformError(codes[status] ?? 'upstream_failed', reason, failure);
}

/** Characters of an answer that an error keeps at most. */
const maxDetail = 1000;

const codes: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** A redirect is never followed: the token and the secret go to their own origins alone. */
export function redirectError({ endpoint, status, header }: HttpAnswer): PlatformError | undefined {
  if (status < 300 || status >= 400) return undefined;
  const location = header('location') ?? '';
  const origin = URL.canParse(location) ? new URL(location).origin : undefined;
  return new PlatformError('redirected', clientMessages.redirected({ endpoint, status, origin }), {
    status,
  });
}

/** The error for a request without a status line, with its cause and without the library's own error. */
export function connectionError(error: unknown, endpoint: string, { origin }: URL): PlatformError {
  const { code, message, isOfProxy } = isRecord(error) ? error : {};
  const [, status] = /^Proxy response \((\d+)\)/.exec(toText(message)) ?? [];
  const cause = quote(status ?? toText(code), 40);
  const fault = status || isOfProxy === true ? 'proxy' : faultOf(cause);
  const reason = clientMessages.not_connected({ endpoint, origin, cause, fault });
  return new PlatformError('unreachable', reason);
}

/** The kind of fault that a code of Node, OpenSSL or undici tells of. */
function faultOf(cause: string): ConnectionFault {
  if (['ENOTFOUND', 'EAI_AGAIN'].includes(cause)) return 'unknown_name';
  if (/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST)/.test(cause)) return 'no_tls';
  const isCertificate = /^(?!ERR_SSL).*(CERT|LEAF_SIGNATURE|INVALID_CA)/.test(cause);
  return isCertificate ? 'certificate' : 'connection';
}

function unreadable(answer: HttpAnswer, flaw: AnswerFlaw): PlatformError {
  const { endpoint, status, text, secrets } = answer;
  const content = cutText(masked(text, secrets), maxDetail);
  const reason = clientMessages.unreadable_answer({ endpoint, status, flaw, content });
  const isTooLarge = flaw.kind in bounds && flaw.kind !== 'depth';
  return new PlatformError(isTooLarge ? 'too_large' : 'malformed_answer', reason, { status });
}
