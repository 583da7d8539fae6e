import { CommerceError, hasCode, PlatformError } from '../../core/errors.ts';
import { type Runtime, withDeadline } from '../transport/runtime.ts';
import { discover, exchange, type KeySettings, type Token } from './token-exchange.ts';

/** With the longest that one exchange may take, discovery included. */
type TokenSettings = KeySettings & { timeoutMs: number };

/** After a failed exchange the authorization server is left alone for this long, where possible. */
const restMs = 5000;

/**
 * The token of one key, exchanged again whenever that is due (docs/platform.md#renewal). However
 * many calls wait, one exchange is under way.
 */
export class Tokens {
  readonly #settings: TokenSettings;
  readonly #runtime: Runtime;
  readonly #closing: AbortSignal;
  #held: Token | undefined;
  #underWay: Promise<Token> | undefined;
  #failure: { error: unknown; atMs: number } | undefined;
  /** As discovery named it; looked up again after a failure, for it may have moved. */
  #endpoint: URL | undefined;

  constructor(settings: TokenSettings, runtime: Runtime, closing: AbortSignal) {
    this.#settings = settings;
    this.#runtime = runtime;
    this.#closing = closing;
  }

  /** Of the exchange that gave the token; 0 where there was none, or it did not say. */
  get clockSkewMs(): number {
    return this.#held?.clockSkewMs ?? 0;
  }

  /** A token fit for a call now; a promise only when none is held and one is exchanged. */
  current(): Token | Promise<Token> {
    const held = this.#held;
    const state = held ? renewal(held, this.#runtime.elapsed(), this.#runtime.now()) : 'expired';
    if (!held || state === 'expired') return this.renew();
    // The held token still works: no call waits for its successor.
    if (state === 'due' && this.#hasRested()) this.renew().catch(() => {});
    return held;
  }

  /** Another token than `refused`, with which a call was answered 401. */
  async replace(refused: Token): Promise<Token> {
    return this.#held && this.#held.value !== refused.value ? this.#held : this.renew();
  }

  /** A fresh exchange, whatever is held. */
  renew(): Promise<Token> {
    this.#underWay ??= this.#renew().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #renew(): Promise<Token> {
    const { elapsed, alarm, log } = this.#runtime;
    const { timeoutMs: ms } = this.#settings;
    // A refused key stays refused until a person acts: the server is not asked in a loop.
    if (this.#failure && hasCode(this.#failure.error, 'key_refused') && !this.#hasRested()) {
      throw this.#failure.error;
    }
    const startedMs = elapsed();
    try {
      const limits = { ms, signal: this.#closing, alarm, late: () => noTokenInTime(ms) };
      const token = await withDeadline(limits, async (ending) => {
        this.#endpoint ??= await discover(this.#settings, this.#runtime, ending);
        return exchange(this.#settings, this.#endpoint, this.#runtime, ending);
      });
      this.#held = token;
      this.#failure = undefined;
      const expiresInSeconds = Math.floor(token.lifetimeMs / 1000);
      log({ event: 'exchange', durationMs: elapsed() - startedMs, expiresInSeconds });
      return token;
    } catch (error) {
      this.#failure = { error, atMs: elapsed() };
      this.#endpoint = undefined;
      const failed = error instanceof CommerceError ? error.code : 'cancelled';
      log({ event: 'exchange', durationMs: elapsed() - startedMs, failed });
      throw error;
    }
  }

  #hasRested(): boolean {
    return !this.#failure || this.#runtime.elapsed() - this.#failure.atMs >= restMs;
  }
}

/** It was the authorization server, not the platform, that did not answer in time. */
function noTokenInTime(timeoutMs: number): PlatformError {
  const text = `No access token: the authorization server did not answer within ${timeoutMs / 1000} s.`;
  return new PlatformError('timeout', text);
}

/**
 * Whether a token is `fresh`, `due` for renewal (about a minute before its end, for short lifetimes
 * their last quarter) or `expired`. The clock that ran further counts: the wall clock may be set
 * back, and the other stops while the machine sleeps.
 */
export function renewal(
  token: Pick<Token, 'issuedAtMs' | 'issuedAtWallMs' | 'lifetimeMs'>,
  elapsed: number,
  now: number,
): 'fresh' | 'due' | 'expired' {
  const ageMs = Math.max(elapsed - token.issuedAtMs, now - token.issuedAtWallMs);
  const leftMs = token.lifetimeMs - ageMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= Math.min(60_000, token.lifetimeMs / 4) ? 'due' : 'fresh';
}
