import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '../../core/json.ts';
import { RefusalError } from './refusals.ts';

/** What a request carries, as far as it has to be known before it is served. */
export interface Inbound {
  /** The parsed JSON body; undefined where there is none to read. */
  body: unknown;
  /** How many messages there are: more than one in a batch. */
  count: number;
  /** The parts of a single message, as they came. */
  method: unknown;
  id: unknown;
  params: Readonly<Record<string, unknown>>;
}

/** Longest body, in bytes. */
const maxBytes = 1_000_000;

/** More than any message of the protocol has: each member is looked at again by every schema. */
const maxMembers = 1000;
const maxDepth = 50;

/**
 * Reads the message of a request. Bodies of other kinds than JSON are left to the protocol's handler,
 * which refuses them; Node ends a request whose body takes too long.
 *
 * @throws {RefusalError} for a body that is too long, no JSON or no message
 */
export async function readInbound(request: Request): Promise<Inbound> {
  const none = { body: undefined, count: 1, method: undefined, id: undefined, params: {} };
  const isJson = isJsonContentType(request.headers.get('content-type'));
  if (request.method !== 'POST' || !isJson) return none;
  const read = await readRequestBody(request, maxBytes);
  if (read.tooLarge)
    throw new RefusalError('too_large', 413, `a body may have ${maxBytes} bytes at most`);
  const body = parseJson(read.text);
  if (body === undefined)
    throw new RefusalError('malformed', 400, 'Parse error: the body is not JSON', {
      code: -32_700,
    });
  if (!isPlain(body)) {
    const bounds = `an object may have ${maxMembers} members at most, and be ${maxDepth} deep`;
    throw new RefusalError('too_large', 400, `Invalid request: ${bounds}`, { code: -32_600 });
  }
  if (Array.isArray(body)) return { ...none, body, count: Math.max(1, body.length) };
  const { method, id, params } = isRecord(body) ? body : {};
  return { body, count: 1, method, id, params: isRecord(params) ? params : {} };
}

/** Whether nothing in a body is wider or deeper than a message can be. */
function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const parts = Object.values(value);
  if (depth > maxDepth || (!Array.isArray(value) && parts.length > maxMembers)) return false;
  return parts.every((part) => isPlain(part, depth + 1));
}
