import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '../../core/json.ts';
import { refusal } from './refusals.ts';

/** What a request carries, as far as it has to be known before it is served. */
export interface Inbound {
  /** The parsed JSON body; undefined where there is none to read. */
  body: unknown;
  /** Method of the JSON-RPC message, where it is a single one. */
  method: string | undefined;
  /** Its parameters, empty where there are none. */
  params: Readonly<Record<string, unknown>>;
  /** Its id, where it is a request. */
  id: string | number | undefined;
  /** How many messages there are: more than one in a batch. */
  messages: number;
}

/** Longest body, in bytes. */
const maxBytes = 1_000_000;

/**
 * Reads the message of a request. Bodies of other kinds than JSON are left to the protocol's handler,
 * which refuses them; Node ends a request whose body takes too long.
 *
 * @throws {RefusalError} for a body that is too long, no JSON or no message
 */
export async function readInbound(request: Request): Promise<Inbound> {
  const hasMessage =
    request.method === 'POST' && isJsonContentType(request.headers.get('content-type'));
  if (!hasMessage) return inboundOf(undefined);
  const read = await readRequestBody(request, maxBytes);
  if (read.tooLarge) throw refusal('too_large', 413, `a body may have ${maxBytes} bytes at most`);
  const body = parseJson(read.text);
  if (body === undefined)
    throw refusal('malformed', 400, 'Parse error: the body is not JSON', -32_700);
  if (!isPlain(body))
    throw refusal(
      'too_large',
      400,
      `Invalid request: an object may have ${maxMembers} members at most, and stand ${maxDepth} deep`,
      -32_600,
    );
  return inboundOf(body);
}

/** More than any message of the protocol has: each member is looked at again by every schema. */
const maxMembers = 1000;
const maxDepth = 50;

/** Whether nothing in a body is wider or deeper than a message can be. */
function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const parts = Object.values(value);
  if (depth > maxDepth || (!Array.isArray(value) && parts.length > maxMembers)) return false;
  return parts.every((part) => isPlain(part, depth + 1));
}

function inboundOf(body: unknown): Inbound {
  const { method, params, id } = isRecord(body) ? body : {};
  return {
    body,
    method: typeof method === 'string' ? method : undefined,
    params: isRecord(params) ? params : {},
    messages: Array.isArray(body) ? Math.max(1, body.length) : 1,
    id: isId(id) ? id : undefined,
  };
}

/** Whether a value can be the id of a JSON-RPC request. */
export function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
