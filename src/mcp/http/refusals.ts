import type { Log } from '../telemetry/log.ts';

/** Why requests are not served, as logs and metrics name it. */
export const refusalReasons = [
  ...['host', 'origin', 'no_token', 'wrong_token', 'scope', 'issuer_away', 'busy'],
  ...['too_large', 'too_slow', 'malformed', 'protocol', 'not_found', 'method'],
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** What a refusal is logged with: nothing of what was asked, and no part of a token. */
export interface RefusalFacts {
  caller?: string | undefined;
  tool?: string | undefined;
  /** Which check failed. */
  detail?: string | undefined;
}

/** Where a refused request came from. */
export interface RefusedRequest {
  request_id: string;
  /** Address of the other end of the connection. */
  remote: string | undefined;
  /** Address that the last proxy says it asks for. */
  forwarded_for?: string | undefined;
}

/** A request is not served. Thrown anywhere on its way; routes.ts answers and logs all of them. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly reason: RefusalReason;
  readonly response: Response;
  readonly facts: RefusalFacts;

  constructor(reason: RefusalReason, response: Response, facts: RefusalFacts = {}) {
    super(`refused: ${reason}`);
    this.reason = reason;
    this.response = response;
    this.facts = facts;
  }
}

/** An error of JSON-RPC that belongs to no message. */
export function jsonRpcError(
  status: number,
  message: string,
  code = -32_000,
  headers: Record<string, string> = {},
): Response {
  const body = { jsonrpc: '2.0', error: { code, message }, id: null };
  return Response.json(body, { status, headers });
}

/** A refusal that is answered with an error of JSON-RPC. */
export function refusal(
  reason: RefusalReason,
  status: number,
  message: string,
  code?: number,
  headers?: Record<string, string>,
): RefusalError {
  return new RefusalError(reason, jsonRpcError(status, message, code, headers));
}

/** How long refusals of one reason and origin are gathered into a line. */
const windowMs = 10_000;

/** Most origins that are told apart within that time. */
const maxGathered = 1000;

/**
 * Counts and logs refusals. The first of its kind is logged at once; those that follow within ten
 * seconds, of the same reason, address and caller, share a line that says how many they were.
 */
export class Refusals {
  readonly #log: Pick<Log, 'info'>;
  readonly #count: (reason: RefusalReason) => void;
  readonly #gathered = new Map<string, { line: object; times: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<Log, 'info'>, count: (reason: RefusalReason) => void) {
    this.#log = log;
    this.#count = count;
  }

  note(reason: RefusalReason, status: number, origin: RefusedRequest, facts: RefusalFacts = {}) {
    this.#count(reason);
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref();
    const line = { reason, status, ...facts, ...origin };
    const { remote, forwarded_for } = origin;
    const exact = JSON.stringify([reason, status, remote, forwarded_for, facts.caller]);
    const isCrowded = !this.#gathered.has(exact) && this.#gathered.size >= maxGathered;
    const gathered = this.#gathered.get(isCrowded ? reason : exact);
    if (gathered) gathered.times += 1;
    else {
      this.#gathered.set(isCrowded ? reason : exact, { line, times: 0 });
      this.#log.info({ ...line, times: 1 }, 'refused');
    }
    if (gathered) gathered.line = isCrowded ? { reason, remote: 'many' } : line;
  }

  /** Writes what was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { line, times } of this.#gathered.values())
      if (times > 0) this.#log.info({ ...line, times }, 'refused');
    this.#gathered.clear();
  }
}
