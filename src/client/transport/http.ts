import type { Agent } from 'undici';
import { PlatformError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { quote } from '../../core/text.ts';

/** One HTTP exchange; `signal` ends it at any stage, body included. */
export interface HttpRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

/** Status and headers as soon as they are there; the body follows as it is iterated. */
export interface HttpReply {
  status: number;
  /** The value of a header by its lower-case name; repeated ones are joined by `, `. */
  header(name: string): string | undefined;
  body: AsyncIterable<Uint8Array>;
}

/** Where requests leave the process. */
export interface Sockets {
  /** Sends one request; never follows a redirect. Rejects when no status line arrived. */
  send(request: HttpRequest): Promise<HttpReply>;
  /** Closes the idle connections when the client closes. */
  hangUp(): Promise<void>;
}

/** One agent with kept-alive connections to every origin; undici is loaded with the first request. */
export function openSockets(): Sockets {
  let agent: Agent | undefined;
  return {
    async send({ url: { origin, pathname, search }, body, signal, ...request }) {
      const { openAgent } = await import('./agent.ts');
      signal.throwIfAborted();
      agent ??= openAgent();
      const to = { origin, path: `${pathname}${search}`, signal, ...(body && { body }) };
      const reply = await agent.request({ ...request, ...to });
      return {
        status: reply.statusCode,
        header(name) {
          const value = reply.headers[name];
          return Array.isArray(value) ? value.join(', ') : value;
        },
        body: reply.body,
      };
    },
    async hangUp() {
      const open = agent;
      agent = undefined;
      await open?.destroy();
    },
  };
}

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

/** `Retry-After` in milliseconds (docs/platform.md#retry-after: seconds), or undefined when unreadable. */
export function retryAfterOf({ header }: HttpReply): number | undefined {
  const seconds = parseCount(header('retry-after'));
  return seconds === undefined ? undefined : seconds * 1000;
}

/** A whole number from 0 to a billion, or undefined. */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,10}\s*$/.test(value)) return undefined;
  const count = Number(value);
  return count <= 1e9 ? count : undefined;
}

/** Where an answer came from, for the errors about it. */
export interface Origin {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** Status of the answer. */
  status: number;
}

/** Far more than any payload needs, far less than what reads it can descend. */
const maxLevels = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The whole body as text, read no further than `maxBytes`.
 * @throws PlatformError `too_large`, or `malformed_answer` when it was cut off or is not UTF-8
 */
export async function readText(
  { body }: HttpReply,
  maxBytes: number,
  origin: Origin,
  signal: AbortSignal,
): Promise<string> {
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
    throw malformed(origin, `was cut off after ${bytes} bytes`);
  }
  if (bytes > maxBytes) {
    const bound = `more than ${Math.round(maxBytes / 1_000_000)} MB; ask for less at once.`;
    throw new PlatformError('too_large', `${origin.endpoint} answered with ${bound}`, {
      status: origin.status,
    });
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch {
    throw malformed(origin, 'is not UTF-8 text');
  }
}

/**
 * The JSON object or array that a successful answer has to be.
 * @throws PlatformError `malformed_answer` with a short quote of what came instead
 */
export function readJson(
  text: string,
  { header }: HttpReply,
  origin: Origin,
  secrets: readonly string[],
): unknown {
  const fail = (claim: string) => malformed(origin, claim, masked(text, secrets));
  if (text.trim() === '') throw malformed(origin, 'is empty');
  const type = header('content-type') ?? 'of no type';
  if (!/[/+]json\s*(;|$)/i.test(type)) throw fail(`is ${quote(type)}, not JSON`);
  const body = parseJson(text);
  if (body === undefined) throw fail('is cut off or no JSON');
  if (!isRecord(body) && !Array.isArray(body)) throw fail('is neither an object nor a list');
  if (isDeeper(body, maxLevels)) throw fail(`is nested more than ${maxLevels} levels deep`);
  return body;
}

/** The rows of a list, in an envelope's `data` or bare; undefined where there is none. */
export function rowsOf(body: unknown): readonly unknown[] | undefined {
  const rows = isRecord(body) ? body.data : body;
  return Array.isArray(rows) ? rows : undefined;
}

/** The error for an answer without a list where one has to be. */
export function noList(endpoint: string): PlatformError {
  const text = `${endpoint} answered without a list of rows in "data".`;
  return new PlatformError('malformed_answer', text, { status: 200 });
}

/** `text` with every secret struck out, for what is quoted in an error. */
export function masked(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

function isDeeper(body: unknown, levels: number): boolean {
  if (Array.isArray(body)) return levels === 0 || body.some((item) => isDeeper(item, levels - 1));
  if (!isRecord(body)) return false;
  if (levels === 0) return true;
  // A drain reads thousands of rows: this makes no list of the values of each.
  for (const key in body) if (isDeeper(body[key], levels - 1)) return true;
  return false;
}

function malformed({ endpoint, status }: Origin, claim: string, text = ''): PlatformError {
  const shown = text === '' ? '' : `: "${quote(text, 120)}"`;
  const message = `${endpoint} answered ${status}, but the answer ${claim}${shown}`;
  return new PlatformError('malformed_answer', message, { status });
}
