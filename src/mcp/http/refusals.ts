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
    too_many_subscriptions: object;
    headers_too_long: object;
    not_http: object;
    arrived_late: { seconds: number };
    nothing_here: object;
    only_get: object;
  }
}

type Kind = readonly [reason: string, status: number, code?: number];

/** By what the caller is told: the reason for logs and metrics, the status, the code of JSON-RPC. */
const refusals: Readonly<Partial<Record<Message['code'], Kind>>> = {
  host_not_allowed: ['host', 403],
  origin_not_allowed: ['origin', 403],
  token_needed: ['no_token', 401],
  operator_only: ['no_token', 401],
  token_unknown: ['wrong_token', 401],
  token_not_good: ['wrong_token', 401],
  token_of_nobody: ['wrong_token', 401],
  token_without_scope: ['scope', 403],
  scope_needed: ['scope', 403],
  account_not_open: ['account', 403],
  issuer_not_reached: ['issuer_away', 503],
  sign_in_page_over: ['sign_in', 400],
  sign_in_broken: ['sign_in', 503],
  too_many_attempts: ['too_many', 429],
  body_too_long: ['too_large', 413],
  body_too_full: ['too_large', 400, -32_600],
  body_not_json: ['malformed', 400, -32_700],
  headers_too_long: ['too_large', 431],
  not_http: ['malformed', 400],
  arrived_late: ['too_slow', 408],
  nothing_here: ['not_found', 404],
  only_get: ['method', 405],
};

/** A message without a row is that of a queue: no place was free. */
const busy: Kind = ['busy', 503];

/** Why requests are not served, as logs and metrics name it; `protocol`: its handler refused it. */
export const refusalReasons = new Set(Object.values(refusals).map(([reason]) => reason));
refusalReasons.add('busy').add('protocol');

/** What a refusal has besides what it tells. */
interface RefusalParts {
  headers?: Record<string, string>;
  /** Another reason than that of what is told. */
  reason?: string;
  /** Which check failed, for the log: nothing of what was asked, and no part of a token. */
  detail?: string;
  tool?: string;
}

/** A request is not served. Thrown anywhere on its way; routes.ts answers and logs all of them. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly reason: string;
  readonly status: number;
  readonly says: Message;
  /** Of JSON-RPC: a server's own error, where there is none for it. */
  readonly code: number;
  readonly parts: Omit<RefusalParts, 'reason'>;

  /** @param says what the caller reads */
  constructor(says: Message, { reason, ...parts }: RefusalParts = {}) {
    super(logText(says));
    const [usual, status, code = -32_000] = refusals[says.code] ?? busy;
    this.says = says;
    this.reason = reason ?? usual;
    this.status = status;
    this.code = code;
    this.parts = parts;
  }
}

/** A refusal as it is logged. */
export interface RefusalLine extends Pick<RefusalParts, 'detail' | 'tool'>, RequestOrigin {
  reason: string;
  status: number;
  /** Of the request, where one was read. */
  method?: string;
  path?: string;
  caller?: string | undefined;
  account?: string | undefined;
}
