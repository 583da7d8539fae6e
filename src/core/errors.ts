/**
 * Every failure that can reach a caller, as one class with a stable `code`.
 * Texts say what happened and what to do next; they never carry a secret, a token or a stack.
 */

/** Stable names to branch on; they never change once released. */
export type ErrorCode =
  | 'bad_input' // an argument was wrong; nothing was sent
  | 'bad_config' // a setting was wrong or missing
  | 'bad_request' // the platform answered 400
  | 'not_offered' // belongs to a toolset that the caller lacks; nothing was sent
  | 'unauthorized' // 401 that survived one re-exchange and retry
  | 'forbidden' // 403
  | 'not_found' // 404
  | 'rate_limited' // 429, or no rate budget within the longest wait allowed
  | 'upstream_failed' // 5xx after the retries, or any other unexpected status
  | 'timeout' // no whole answer in time
  | 'unreachable' // no connection (refused, reset, name not found)
  | 'malformed_answer' // cut-off or unreadable JSON, wrong content type
  | 'too_large' // an answer over the size bound
  | 'redirected' // a redirect, which is never followed
  | 'key_refused' // the authorization server answered 401 to the exchange: final
  | 'exchange_failed' // discovery or exchange failed for another reason
  | 'overloaded' // our own queue is full
  | 'cancelled'; // the caller cancelled

/** A failure with a stable `code` and a text fit for a user. */
export class CommerceError extends Error {
  override readonly name: string = 'CommerceError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/** A wrong argument, refused before it costs a request. `parameter` names it. */
export class InputError extends CommerceError {
  override readonly name = 'InputError';
  readonly parameter: string | undefined;

  constructor(message: string, parameter?: string, options: ErrorOptions = {}) {
    super('bad_input', message, options);
    this.parameter = parameter;
  }
}

/** The members of a problem document (docs/platform.md#errors), as the platform sent them. */
export interface Problem {
  type?: string;
  title?: string;
  detail?: string;
  traceId?: string;
  /** On 401 only. */
  hint?: string;
}

/** Where and how often a request failed, beside its problem document. */
export interface PlatformFailure {
  /** HTTP status; undefined when no status line arrived. */
  status?: number | undefined;
  problem?: Problem | undefined;
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** Attempts made, the first one included. */
  attempts?: number | undefined;
  /** Milliseconds until another try can succeed, where that is known. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** The platform refused, failed or could not be understood. Keeps the problem document. */
export class PlatformError extends CommerceError {
  override readonly name = 'PlatformError';
  readonly status: number | undefined;
  readonly problem: Problem;
  readonly endpoint: string;
  readonly attempts: number;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, failure: PlatformFailure) {
    super(code, message, failure.cause === undefined ? {} : { cause: failure.cause });
    this.status = failure.status;
    this.problem = failure.problem ?? {};
    this.endpoint = failure.endpoint;
    this.attempts = failure.attempts ?? 1;
    this.retryAfterMs = failure.retryAfterMs;
  }
}

/** Whether `error` is one of ours with the given code. */
export function hasCode(error: unknown, code: ErrorCode): error is CommerceError {
  return error instanceof CommerceError && error.code === code;
}
