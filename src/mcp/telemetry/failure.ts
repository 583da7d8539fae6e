import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { InputError, PlatformError } from '../../core/errors.ts';
import { type CallOutcome, outcomeOf } from './call-tracking.ts';

/** What a program has to know of a failure, beside its text (docs/answers.md#errors). */
export interface Failure {
  code: CallOutcome;
  status?: number;
  retry_after_seconds?: number;
  trace_id?: string;
  argument?: string;
}

export function failureOf(error: unknown): Failure {
  // That of a statement's table is the reason of the statement's.
  const [refusal] = [error, Object(error).cause].filter((it) => it instanceof PlatformError);
  const { status, traceId, retryAfterMs } = refusal ?? {};
  const argument = error instanceof InputError ? error.argument : undefined;
  return {
    code: outcomeOf(error),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retry_after_seconds: Math.ceil(retryAfterMs / 1000) }),
    ...(traceId !== undefined && { trace_id: traceId }),
    // One that nobody takes may be of any length.
    ...(argument !== undefined && { argument: argument.slice(0, 60) }),
  };
}

/** The refusal of a request whose parameters cannot be used. */
export function invalidParams(text: string, failure: Failure): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, failure);
}
