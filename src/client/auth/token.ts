import { CommerceError, hasCode, PlatformError } from '../../core/errors.ts';
import { type Runtime, withDeadline } from '../transport/runtime.ts';
import {
  discover,
  documentedEndpoint,
  exchange,
  type KeySettings,
  type Token,
} from './token-exchange.ts';

export interface TokenSettings extends KeySettings {
  /** Longest one exchange may take, discovery included. */
  timeoutMs: number;
}

/** Longest that discovery may be silent before the documented address is tried instead. */
const silentForMs = 2000;

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
  #known: URL | undefined;

  constructor(settings: TokenSettings, runtime: Runtime, closing: AbortSignal) {
    this.#settings = settings;
    this.#runtime = runtime;
    this.#closing = closing;
  }

  /** Of the exchange that gave the token; 0 where there was none, or it did not tell. */
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
    const { elapsed, log } = this.#runtime;
    const startedMs = elapsed();
    // A refused key stays refused until a person acts: the server is not asked in a loop.
    if (this.#failure && hasCode(this.#failure.error, 'key_refused') && !this.#hasRested()) {
      throw this.#failure.error;
    }
    try {
      const { timeoutMs } = this.#settings;
      const token = await this.#within(timeoutMs, this.#closing, (it) => this.#exchange(it));
      this.#held = token;
      this.#failure = undefined;
      const expiresInSeconds = Math.floor(token.lifetimeMs / 1000);
      log({ event: 'exchange', durationMs: elapsed() - startedMs, expiresInSeconds });
      return token;
    } catch (error) {
      this.#failure = { error, atMs: elapsed() };
      this.#known = undefined;
      const failed = error instanceof CommerceError ? error.code : 'cancelled';
      log({ event: 'exchange', durationMs: elapsed() - startedMs, failed });
      throw error;
    }
  }

  /** While discovery is down or silent the documented address is tried: it is the same server's. */
  async #exchange(signal: AbortSignal): Promise<Token> {
    const key = this.#settings;
    let failure: unknown;
    const ms = Math.min(silentForMs, key.timeoutMs / 2);
    const find = (ending: AbortSignal) => discover(key, this.#runtime, ending);
    const url =
      this.#known ??
      (await this.#within(ms, signal, find).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!isDown(error)) throw error;
        failure = error;
        return documentedEndpoint(key.authUrl);
      }));
    if (failure === undefined) this.#known = url;
    return exchange(key, url, this.#runtime, signal).catch((error: unknown) => {
      // A refused key is the news, whatever else went wrong.
      throw hasCode(error, 'key_refused') || signal.aborted ? error : (failure ?? error);
    });
  }

  #within<T>(ms: number, signal: AbortSignal, work: (ending: AbortSignal) => Promise<T>) {
    const { alarm } = this.#runtime;
    return withDeadline({ ms, signal, alarm, late: () => noTokenInTime(ms) }, work);
  }

  #hasRested(): boolean {
    return !this.#failure || this.#runtime.elapsed() - this.#failure.atMs >= restMs;
  }
}

/** The error where it was the authorization server, not the platform, that did not answer in time. */
export function noTokenInTime(timeoutMs: number, attempts = 1): PlatformError {
  const text = `the authorization server did not answer within ${timeoutMs / 1000} s.`;
  const endpoint = 'POST to the token endpoint';
  return new PlatformError('timeout', `No access token: ${text}`, { endpoint, attempts });
}

/**
 * Whether a token is `fresh`, `due` for renewal (about a minute before its end, for short lifetimes
 * their last quarter) or `expired`. The clock that ran further counts: the wall clock may be set
 * back, and the other stands still while the machine sleeps.
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

/** Whether the authorization server did not answer, or could not; a wrong answer counts as one. */
function isDown(error: unknown): boolean {
  const isSilent = hasCode(error, 'unreachable') || hasCode(error, 'timeout');
  return isSilent || (error instanceof PlatformError && (error.status ?? 0) >= 500);
}
