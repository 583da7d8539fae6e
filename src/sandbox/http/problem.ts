/** Errors as RFC 9457 problem documents (docs/platform.md#errors). */
import { STATUS_CODES } from 'node:http';

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

/** `hint` is on 401 only. */
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

/** Missing and out-of-scope things have the same answer. */
export function notFound(noun: string): ProblemError {
  return new ProblemError(404, `This account has no such ${noun}.`);
}

export function badParameter(name: string, problem: string): ProblemError {
  return new ProblemError(400, `${name}: ${problem}`);
}
