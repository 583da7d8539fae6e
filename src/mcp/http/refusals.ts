import { logText, type Message } from '../../core/message.ts';
import type { RequestOrigin } from '../telemetry/call-tracking.ts';

declare module '../../core/message.ts' {
  interface Messages {
    // Who is addressed, and from where
    host_not_allowed: { host: string };
    origin_not_allowed: { origin: string };
    // Who asks
    token_needed: object;
    token_unknown: object;
    /** `check` of those that a JWT has to pass. */
    token_not_good: { check: string };
    token_of_nobody: object;
    token_without_scope: object;
    scope_needed: { scope: string };
    issuer_not_reached: object;
    account_not_open: object;
    // Who signs in
    sign_in_page_over: object;
    /** `error` and `reason` as the protocol has them. */
    sign_in_refused: { error: string; reason: string };
    sign_in_broken: object;
    too_many_attempts: { what: string; seconds: number };
    operator_only: object;
    // What is sent
    body_too_long: { mostBytes: number };
    body_too_full: { keysPerObject: number; levels: number; values: number };
    body_not_json: object;
    body_is_batch: object;
    headers_too_long: object;
    not_http: object;
    arrived_late: { seconds: number };
    nothing_here: object;
    only_get: object;
  }
}

/** Why requests are not served, as logs and metrics name it. */
export const refusalReasons = [
  ...['host', 'origin', 'no_token', 'wrong_token', 'scope', 'account', 'issuer_away', 'busy'],
  ...['too_large', 'too_slow', 'too_many', 'malformed', 'protocol', 'not_found', 'method'],
  'sign_in',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** What a refusal says besides its reason. */
export interface RefusalParts {
  /** Of JSON-RPC. @default -32000, a server's own error */
  code?: number;
  headers?: Record<string, string>;
  /** Which check failed, for the log: nothing of what was asked, and no part of a token. */
  detail?: string;
  tool?: string;
}

/** A request is not served. Thrown anywhere on its way; routes.ts answers and logs all of them. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly reason: RefusalReason;
  readonly status: number;
  readonly says: Message;
  readonly parts: RefusalParts;

  /** @param says what the caller reads */
  constructor(reason: RefusalReason, status: number, says: Message, parts: RefusalParts = {}) {
    super(logText(says));
    this.reason = reason;
    this.says = says;
    this.status = status;
    this.parts = parts;
  }
}

/** A refusal as it is logged. */
export interface RefusalLine extends Pick<RefusalParts, 'detail' | 'tool'>, RequestOrigin {
  reason: RefusalReason;
  status: number;
  caller?: string | undefined;
  account?: string | undefined;
}
