import type { Log } from '../../core/log.ts';
/** Why requests are not served, as logs and metrics name it. */
export const refusalReasons = [
  ...['host', 'origin', 'no_token', 'wrong_token', 'scope', 'account', 'issuer_away', 'busy'],
  ...['too_large', 'too_slow', 'malformed', 'protocol', 'not_found', 'method'],
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
  readonly parts: RefusalParts;

  /** @param message what the caller reads */
  constructor(reason: RefusalReason, status: number, message: string, parts: RefusalParts = {}) {
    super(message);
    this.reason = reason;
    this.status = status;
    this.parts = parts;
  }
}

/** A refusal as it is logged. */
export interface RefusalLine extends Pick<RefusalParts, 'detail' | 'tool'> {
  reason: RefusalReason;
  status: number;
  request_id: string;
  /** Address of the other end of the connection. */
  remote: string | undefined;
  /** Address that the last proxy says it asks for. */
  forwarded_for?: string;
  caller?: string | undefined;
  /** Where there are several. */
  account?: string | undefined;
}

/** Counts and logs refusals, a line each. */
export class Refusals {
  readonly #log: Pick<Log, 'info'>;
  readonly #count: (line: RefusalLine) => void;

  constructor(log: Pick<Log, 'info'>, count: (line: RefusalLine) => void) {
    this.#log = log;
    this.#count = count;
  }

  note(line: RefusalLine): void {
    this.#count(line);
    this.#log.info({ ...line }, 'refused');
  }
}
