import { logText, type Message, messagesOf } from './message.ts';

export const errorMessages = messagesOf({
  other_error: ({ words }: { words: string }) => words,
});

/** Stable names to branch on; they never change once released. */
export type ErrorCode =
  | 'bad_input' // an argument was wrong; nothing was sent
  | 'result_gone' // nothing is kept under the id of a result any more
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

/** A failure with a stable `code` and its reason; edges show `reason.text`. */
export class CommerceError extends Error {
  override readonly name: string = 'CommerceError';
  readonly code: ErrorCode;
  readonly reason: Message;
  /** The reason also says what to do next, so that no advice is added. */
  readonly isExplained: boolean = false;

  constructor(code: ErrorCode, reason: Message, options: ErrorOptions = {}) {
    super(logText(reason), options);
    this.code = code;
    this.reason = reason;
  }
}

/** A wrong argument, refused before it costs a request. */
export class InputError extends CommerceError {
  override readonly name = 'InputError';
  /** The argument that was wrong, where it is one. */
  readonly argument: string | undefined;

  constructor(reason: Message, argument?: string, code: 'bad_input' | 'result_gone' = 'bad_input') {
    super(code, reason);
    this.argument = argument;
  }
}

/** Facts about a failed request in addition to its reason. */
export interface PlatformFailure {
  /** HTTP status; undefined when no status line arrived. */
  readonly status?: number | undefined;
  readonly traceId?: string | undefined;
  /** Milliseconds until another try can succeed, where that is known. */
  readonly retryAfterMs?: number | undefined;
}

/** The platform refused, failed or could not be understood. */
export class PlatformError extends CommerceError implements PlatformFailure {
  override readonly name = 'PlatformError';
  readonly status: number | undefined;
  readonly traceId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, reason: Message, failure: PlatformFailure = {}) {
    super(code, reason);
    Object.assign(this, failure);
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is CommerceError {
  return error instanceof CommerceError && error.code === code;
}

/** For an error that is not ours: the words of the system or of a library. */
export function reasonIn(error: unknown): Message {
  if (error instanceof CommerceError) return error.reason;
  return errorMessages.other_error({ words: messageOf(error) });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
