/** Section 7: X-Request-Id is on every answer, and equals the trace_id of a problem. */
import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { Environment } from '../wire/environment.ts';

/**
 * Names each request; a well-formed X-Request-Id that the caller sends is kept, so that answers can
 * be compared byte for byte.
 */
export const traceRequests: MiddlewareHandler<Environment> = async (c, next) => {
  const given = c.req.header('x-request-id') ?? '';
  const requestId = /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
  c.set('requestId', requestId);
  c.header('X-Request-Id', requestId);
  await next();
};
