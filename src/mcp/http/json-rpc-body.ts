import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '../../core/json.ts';
import { jsonRpcError } from '../server/json-rpc-error.ts';

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
 * Reads the message of a request, once for all who look at it and before it takes a place. Bodies of
 * other kinds than JSON are left to the protocol's handler, which refuses them.
 *
 * @returns the response that refuses a body that is too long, too slow, no JSON or no message
 */
export async function readInbound(request: Request, bodyMs: number): Promise<Inbound | Response> {
  const hasMessage =
    request.method === 'POST' && isJsonContentType(request.headers.get('content-type'));
  if (!hasMessage) return inboundOf(undefined);
  const read = await within(bodyMs, readRequestBody(request, maxBytes)).catch(() => undefined);
  if (read === 'late')
    return jsonRpcError(408, -32_000, `a body has to arrive within ${bodyMs / 1000} seconds`, {
      connection: 'close',
    });
  if (read === undefined) return jsonRpcError(400, -32_700, 'the request body could not be read');
  if (read.tooLarge) return jsonRpcError(413, -32_000, `a body may have ${maxBytes} bytes at most`);
  const body = parseJson(read.text);
  if (body === undefined) return jsonRpcError(400, -32_700, 'Parse error: the body is not JSON');
  if (!isPlain(body))
    return jsonRpcError(
      400,
      -32_600,
      `Invalid request: an object may have ${maxMembers} members at most, and stand ${maxDepth} deep`,
    );
  return inboundOf(body);
}

/** More than any message of the protocol has: each member is looked at again by every schema. */
const maxMembers = 1000;
const maxDepth = 50;

/** Whether nothing in a body is wider or deeper than a message can be; it is gone through level by level. */
function isPlain(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      const parts: unknown[] = Object.values(value);
      if (!Array.isArray(value) && parts.length > maxMembers) return false;
      for (const part of parts) if (typeof part === 'object') next.push(part);
    }
    level = next;
  }
  return true;
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function inboundOf(body: unknown): Inbound {
  const { method, params, id } = isRecord(body) ? body : {};
  return {
    body,
    method: typeof method === 'string' ? method : undefined,
    params: isRecord(params) ? params : {},
    messages: Array.isArray(body) ? Math.max(1, body.length) : 1,
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
  };
}
