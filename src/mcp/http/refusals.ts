import { hasCode } from '../../core/errors.ts';
import { logText, type Message, messagesOf } from '../../core/message.ts';
import type { RequestOrigin } from '../telemetry/call-tracking.ts';

export const refusalMessages = messagesOf({
  // Host and origin
  host_not_allowed: ({ host }: { host: string }) =>
    `Invalid Host: this server is not known as "${host}". To allow that name, add it to COMMERCE_ALLOWED_HOSTS (--allowed-hosts ${host})`,
  origin_not_allowed: ({ origin }: { origin: string }) =>
    `Invalid Origin: pages of "${origin}" may not call this server. To allow them, add it to COMMERCE_ALLOWED_ORIGINS (--allowed-origins ${origin})`,

  // Authentication
  token_needed: 'Show who you are, as Authorization: Bearer TOKEN',
  token_unknown: 'The token is not known here',
  /** `check` names the check of a JWT that failed. */
  token_not_good: ({ check }: { check: string }) =>
    `The token is not good for this server (${check})`,
  token_of_nobody:
    'The token says neither whose it is (sub) nor which client it was given to (client_id)',
  token_without_scope: 'The token carries no scope of this server',
  scope_needed: ({ scope }: { scope: string }) => `This needs the scope ${scope}`,
  issuer_not_reached: 'The issuer of the token cannot be reached to check it',
  account_not_open: 'No account is open to this caller',
  operator_only:
    'With several accounts, /metrics is open to the token in COMMERCE_OPERATOR_TOKEN alone',

  // Signing in
  sign_in_page_over: 'This page has expired. Begin again in the client.',
  sign_in_broken: 'Nobody can sign in now: the log of the server says why.',
  too_many_attempts: ({ kind, seconds }: { kind: string; seconds: number }) =>
    `Too many ${kind}. Try again in ${seconds} seconds.`,

  // Requests
  body_too_long: ({ maxBytes }: { maxBytes: number }) =>
    `a body may have ${maxBytes} bytes at most`,
  body_too_full: (max: { keysPerObject: number; levels: number; values: number }) =>
    `Invalid request: an object may have ${max.keysPerObject} members at most, and be ${max.levels} deep; a body may hold ${max.values} values`,
  body_not_json: 'Parse error: the body is not JSON',
  too_many_subscriptions:
    'Too many subscriptions are open; close one of yours, or ask again in a minute.',
  headers_too_long: 'the headers are too long',
  not_http: 'this is no HTTP request',
  arrived_late: ({ seconds }: { seconds: number }) =>
    `a request has to arrive within ${seconds} seconds`,
  file_gone:
    'There is no file behind this link, or none any more: a link lasts as long as the rows are kept, half an hour. Ask the assistant for a new one.',
  file_not_made: ({ reason }: { reason: string }) => `The file could not be made: ${reason}`,
  nothing_here: 'There is nothing here; the server is at /mcp',
  only_get: 'Only GET is allowed here',
});

type Kind = readonly [reason: string, status: number, code?: number];

/** The kind of all messages of queues, which have no row below: no place was free. */
const busy: Kind = ['busy', 503];

/** For each message: the reason for logs and metrics, the status, and the code of JSON-RPC. */
const kinds: Readonly<Record<keyof typeof refusalMessages, Kind>> = {
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
  too_many_subscriptions: busy,
  headers_too_long: ['too_large', 431],
  not_http: ['malformed', 400],
  arrived_late: ['too_slow', 408],
  file_gone: ['not_found', 404],
  file_not_made: ['too_large', 413],
  nothing_here: ['not_found', 404],
  only_get: ['method', 405],
};

/** Reasons of refusals as logs and metrics name them; `protocol` is a refusal by the SDK's handler. */
export const refusalReasons = new Set(Object.values(kinds).map(([reason]) => reason));
refusalReasons.add('protocol');

interface RefusalParts {
  headers?: Record<string, string>;
  /** The failed check, for the log. It holds no argument of a call and no part of a token. */
  detail?: string;
  tool?: string;
}

/** A request that is not served. routes.ts answers and logs it. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly reason: string;
  readonly status: number;
  readonly says: Message;
  /** The code of JSON-RPC, -32000 (a server's own) where the protocol has none. */
  readonly code: number;
  readonly parts: RefusalParts;

  constructor(says: Message, parts: RefusalParts = {}) {
    super(logText(says));
    const { [says.code]: kind = busy }: Readonly<Record<string, Kind>> = kinds;
    const [reason, status, code = -32_000] = kind;
    this.says = says;
    this.reason = reason;
    this.status = status;
    this.code = code;
    this.parts = parts;
  }
}

/** @throws {RefusalError} 503 for `overloaded`, else the error itself */
export function refuseBusy(error: unknown): never {
  if (!hasCode(error, 'overloaded')) throw error;
  const { reason } = error;
  const says = { code: reason.code, text: reason.text };
  throw new RefusalError(says, { headers: { 'retry-after': '1' } });
}

export interface RefusalLine extends Pick<RefusalParts, 'detail' | 'tool'>, RequestOrigin {
  reason: string;
  status: number;
  method?: string;
  path?: string;
  caller?: string | undefined;
  account?: string | undefined;
}
