import { isAscii, isUtf8, transcode } from 'node:buffer';
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

/** Undefined parameters are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The address of a path below the base address, which may have a path of its own. Parameters are sorted, so that
 * equal questions have equal addresses.
 */
export function addressOf(baseUrl: string, path: string, query: Query = {}): URL {
  // Parameters are joined first: each `append` on a URL parses it again.
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  parameters.sort();
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return new URL(`${baseUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}${search}`);
}

/** The template of a path, such as `GET /api/order/{id}/item`, which hides ids. */
export function endpointOf(path: string): string {
  return `GET ${path.replace(/\/\d+(?=\/|$)/g, '/{id}')}`;
}

/**
 * `Retry-After` in milliseconds (docs/platform.md#retry-after: seconds), or undefined if unreadable. A date, as
 * gateways send it, counts from the `Date` of the answer.
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

/** Reads a whole number from 0 to a billion. */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,10}\s*$/.test(value)) return undefined;
  const count = Number(value);
  return count <= 1e9 ? count : undefined;
}

export interface BudgetReport {
  limit?: number | undefined;
  remaining?: number | undefined;
  resetMs?: number | undefined;
  windowMs?: number | undefined;
  /** All ceilings of `RateLimit-Policy`. */
  ceilings: Ceiling[];
}

/** A named ceiling: `quota` requests in a window. */
export interface Ceiling {
  name: string;
  quota: number;
  windowSeconds: number | undefined;
}

/**
 * The budget that an answer reports. Undefined if none of the five headers tells one: the request was not counted
 * then. The numbers describe one ceiling, the closest to refusing; if that is the write ceiling, they tell nothing of
 * reads (docs/platform.md#rate-headers).
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

/** Reads a structured list such as `"general";q=300;w=60, "write";q=60;w=60`. */
function parseItems(value = '') {
  return value.split(',').map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const count = (key: string) =>
      parseCount(parameters.find((parameter) => parameter.startsWith(key))?.slice(key.length));
    return {
      name: name.replaceAll('"', ''),
      quota: count('q='),
      window: count('w='),
      remaining: count('r='),
      reset: count('t='),
    };
  });
}

export interface HttpAnswer extends Pick<HttpReply, 'status' | 'header'> {
  /** Such as `GET /api/order`. */
  endpoint: string;
  text: string;
  /** Secrets that errors must not quote. */
  secrets?: readonly string[];
}

interface ReadAnswer extends HttpAnswer {
  /** The UTF-8 of the text. */
  bytes: Buffer;
}

/** Bounds far above any payload. An answer just below them blocks the event loop for some 200 ms. */
const bounds: JsonCounts = {
  depth: 64,
  keysPerObject: 5000,
  keys: 5000,
  rowsPerList: 200_000,
  values: 200_000,
};

/** Rows that every page may have, and entries that every list in a row may have. */
const minPageRows = 1000;

/**
 * Reads the body as text.
 * @param maxBytes the bound of the request
 * @throws PlatformError `too_large`, or `malformed_answer` for a cut-off body or one that is not UTF-8
 */
export async function readAnswer(
  { status, header, body }: HttpReply,
  endpoint: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const { bytes, flaw } = await body;
  const answer = { endpoint, status, header, bytes, text: '' };
  if (flaw === 'too_long') {
    const reason = clientMessages.answer_too_large({ endpoint, bytes: maxBytes });
    throw new PlatformError('too_large', reason, { status });
  }
  if (flaw === 'cut_off') {
    signal.throwIfAborted();
    throw unreadable(answer, { kind: 'ended_early', bytes: bytes.length });
  }
  if (!isUtf8(bytes)) throw unreadable(answer, { kind: 'not_utf8' });
  return { ...answer, text: textOf(bytes).replace(/^\uFEFF/, '') };
}

/** V8 reads UTF-8 byte by byte from its first byte beyond ASCII; UTF-16 takes a quarter of that time. */
function textOf(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/**
 * Parses a successful answer, whose values are counted first.
 * @param limit rows that were asked for
 * @throws PlatformError `malformed_answer` with a short quote, `too_large` for too many values
 */
export function readJson(answer: ReadAnswer, limit?: number): unknown {
  if (answer.text.trim() === '') throw unreadable(answer, { kind: 'empty' });
  const type = answer.header('content-type');
  if (!/[/+]json\s*(;|$)/i.test(type ?? '')) throw unreadable(answer, { kind: 'other_type', type });
  const rowsPerList = limit === undefined ? bounds.rowsPerList : Math.max(2 * limit, minPageRows);
  const max = { ...bounds, rowsPerList };
  const { exceeded, holdsLong } = countJson(answer.bytes, max);
  if (exceeded !== undefined) throw unreadable(answer, { kind: exceeded, max: max[exceeded] });
  const body = parseJsonExactly(answer.text, holdsLong);
  if (body === undefined) throw unreadable(answer, { kind: 'not_json' });
  if (!isRecord(body) && !Array.isArray(body)) throw unreadable(answer, { kind: 'not_object' });
  return body;
}

/** The rows of a list, bare or in `data`; undefined if there is none. */
export function rowsOf(body: unknown): readonly unknown[] | undefined {
  const rows = isRecord(body) ? body.data : body;
  return Array.isArray(rows) ? rows : undefined;
}

export function noList(endpoint: string): PlatformError {
  return new PlatformError('malformed_answer', clientMessages.no_list({ endpoint }), {
    status: 200,
  });
}

/** Longest text that is searched for secrets. An escaped secret in a header is shorter. */
const maxErrorText = 100_000;

/** Removes every secret from a text that an error quotes, however JSON escapes it. */
export function maskSecrets(text: string, secrets: readonly string[] = []): string {
  const start = cutText(text, maxErrorText);
  return secrets.reduce((masked, secret) => {
    // Most texts are ids of requests, shorter than any token: no expression is made of it.
    if (secret === '' || masked.length < secret.length) return masked;
    const units = Array.from({ length: secret.length }, (_, at) => {
      const code = secret.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\\\{0,4}(?:\\u${code}|(?<=\\\\)u${code})`;
    });
    return masked.replace(new RegExp(units.join(''), 'gi'), '***');
  }, start);
}

/** The id that the platform gave a request: without secrets, bounded and neutralised. */
export function traceIdOf(id: string | undefined, secrets?: readonly string[]): string | undefined {
  return (id && quote(maskSecrets(id, secrets), 64)) || undefined;
}

/**
 * The error for a refusal, with the words of its problem document whatever the content type. `X-Request-Id` replaces
 * a missing trace_id.
 */
export function refusalError(answer: HttpAnswer): PlatformError {
  const { endpoint, status, header, secrets } = answer;
  const redirect = redirectError(answer);
  if (redirect) return redirect;
  const text = answer.text.trim();
  const body = text.length > maxErrorText ? undefined : parseJson(text);
  const problem = isRecord(body) ? body : {};
  const words = [problem.detail, problem.title, text].map(toText).find((word) => word !== '');
  const detail = cutText(maskSecrets(words ?? '', secrets), maxDetail);
  const traceId = traceIdOf(toText(problem.trace_id) || header('x-request-id'), secrets);
  const reason = clientMessages.refused({ endpoint, status, detail, traceId });
  const failure = { status, traceId, retryAfterMs: retryAfterOf(answer) };
  return new PlatformError(codes[status] ?? 'upstream_failed', reason, failure);
}

/** Longest quote of an answer in an error. */
const maxDetail = 1000;

const codes: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** Redirects are never followed, since token and secret belong to their own origins. */
export function redirectError({ endpoint, status, header }: HttpAnswer): PlatformError | undefined {
  if (status < 300 || status >= 400) return undefined;
  const location = header('location') ?? '';
  const origin = URL.canParse(location) ? new URL(location).origin : undefined;
  return new PlatformError('redirected', clientMessages.redirected({ endpoint, status, origin }), {
    status,
  });
}

/** The error for a request without a status line. It has the cause, but not the error of the library. */
export function connectionError(error: unknown, endpoint: string, { origin }: URL): PlatformError {
  const { code, message, isOfProxy } = isRecord(error) ? error : {};
  const [, status] = /^Proxy response \((\d+)\)/.exec(toText(message)) ?? [];
  const cause = quote(status ?? toText(code), 40);
  const fault = status || isOfProxy === true ? 'proxy' : faultOf(cause);
  const reason = clientMessages.not_connected({ endpoint, origin, cause, fault });
  return new PlatformError('unreachable', reason);
}

/** The fault behind a code of Node, OpenSSL or undici. */
function faultOf(cause: string): ConnectionFault {
  if (['ENOTFOUND', 'EAI_AGAIN'].includes(cause)) return 'unknown_name';
  if (/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST)/.test(cause)) return 'no_tls';
  const isCertificate = /^(?!ERR_SSL).*(CERT|LEAF_SIGNATURE|INVALID_CA)/.test(cause);
  return isCertificate ? 'certificate' : 'connection';
}

function unreadable(answer: HttpAnswer, flaw: AnswerFlaw): PlatformError {
  const { endpoint, status, text, secrets } = answer;
  const content = cutText(maskSecrets(text, secrets), maxDetail);
  const reason = clientMessages.unreadable_answer({ endpoint, status, flaw, content });
  const isTooLarge = flaw.kind in bounds && flaw.kind !== 'depth';
  return new PlatformError(isTooLarge ? 'too_large' : 'malformed_answer', reason, { status });
}
