/** Section 7: what goes wrong, as RFC 9457 problem documents. */

/** The statuses that a refusal can have. */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 429;

/** A refusal that becomes a problem document with this status and detail. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: ProblemStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ProblemStatus,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** The members of a problem document; `hint` on 401 only. */
export function problemDocument(status: number, detail: string, traceId: string) {
  return {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    detail,
    trace_id: traceId,
    ...(status === 401 && { hint: 'Exchange the API key again at its authorization server.' }),
  };
}

/** A wrong parameter: the detail begins with its name. */
export function badParameter(name: string, problem: string): ProblemError {
  return new ProblemError(400, `${name}: ${problem}`);
}

/** Rules 4 and 7: one answer for what is missing and for what is out of scope. */
export function notFound(what: string): ProblemError {
  return new ProblemError(404, `This account has no such ${what}.`);
}
