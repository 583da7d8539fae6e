/** What goes wrong, as RFC 9457 problem documents (docs/platform.md#errors). */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import type { Caller } from '../access/keyring.ts';

/** What Hono carries along with a request here. */
export interface Environment {
  Bindings: HttpBindings;
  Variables: {
    /** Equals X-Request-Id and the trace_id of a problem. */
    requestId: string;
    caller: Caller;
  };
}

/** A refusal that becomes a problem document with this status and detail. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: 400 | 401 | 403 | 404 | 405 | 429;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ProblemError['status'],
    detail: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** The members of a problem document; `hint` on 401 only. */
export function problemDocument(status: number, detail: string, traceId: string) {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail,
    trace_id: traceId,
    ...(status === 401 && { hint: 'Exchange the API key again at its authorization server.' }),
  };
}

/** Answers a thrown error with its problem document. */
export function answerProblem(error: Error, c: Context<Environment>): Response {
  const { status, headers } =
    error instanceof ProblemError ? error : { status: 500 as const, headers: {} };
  const body = problemDocument(status, error.message, c.get('requestId'));
  return c.newResponse(JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
  });
}

/** One answer for what is missing and for what is out of scope. */
export function notFound(what: string): ProblemError {
  return new ProblemError(404, `This account has no such ${what}.`);
}

/** A wrong parameter: the detail begins with its name. */
export function badParameter(name: string, problem: string): ProblemError {
  return new ProblemError(400, `${name}: ${problem}`);
}

/**
 * Names each request; a well-formed X-Request-Id that the caller sends is kept, so that answers can
 * be compared byte for byte.
 */
export const traceRequests: MiddlewareHandler<Environment> = async (c, next) => {
  const sent = c.req.header('x-request-id') ?? '';
  const requestId = /^[\w-]{8,64}$/.test(sent) ? sent : randomUUID();
  c.set('requestId', requestId);
  c.header('X-Request-Id', requestId);
  await next();
};
