import { CommerceError, hasCode, PlatformError } from '../../core/errors.ts';
import { withDeadline } from '../transport/deadline.ts';
import type { Runtime } from '../transport/runtime.ts';
import { openTokenEndpoint } from './token-endpoint.ts';
import type { KeySettings, Token } from './token-exchange.ts';

/** Section 5: the token of one key, exchanged again whenever that is due. */
export interface Tokens {
  /** A token fit for a call now; a promise only when the held one is no use and one is exchanged. */
  current(): Token | Promise<Token>;
  /** Another token than `refused`, with which a call was answered 401. */
  replace(refused: Token): Promise<Token>;
  /** A fresh exchange, whatever is held. */
  renew(): Promise<Token>;
  /** Where the key was exchanged last. */
  endpoint(): URL | undefined;
}

export interface TokenSettings extends KeySettings {
  /** Longest one renewal may take, discovery included. */
  timeoutMs: number;
}

/** Keeps the key's token; however many calls wait, one exchange is under way. */
export function keepToken(
  settings: TokenSettings,
  runtime: Pick<Runtime, 'now' | 'elapsed' | 'sleep' | 'alarm' | 'send' | 'log'>,
  closing: AbortSignal,
): Tokens {
  let held: Token | undefined;
  const endpoint = openTokenEndpoint(settings, settings.timeoutMs, runtime);
  let underWay: Promise<Token> | undefined;
  let failure: { error: unknown; atMs: number } | undefined;

  function renew(): Promise<Token> {
    underWay ??= attempt().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function attempt(): Promise<Token> {
    const startedAtMs = runtime.elapsed();
    // Section 5.4: a refused key stays refused until a person acts; do not hammer the server.
    if (failure && hasCode(failure.error, 'key_refused') && !hasRested(failure, startedAtMs)) {
      throw failure.error;
    }
    try {
      const token = await withDeadline(
        {
          ms: settings.timeoutMs,
          signal: closing,
          alarm: runtime.alarm,
          late: () => noTokenInTime(settings.timeoutMs),
        },
        endpoint.exchange,
      );
      held = token;
      failure = undefined;
      const expiresInSeconds = Math.floor(token.lifetimeMs / 1000);
      runtime.log({
        event: 'exchange',
        durationMs: runtime.elapsed() - startedAtMs,
        expiresInSeconds,
      });
      return token;
    } catch (error) {
      failure = { error, atMs: runtime.elapsed() };
      // The endpoint may have moved: look it up again next time.
      endpoint.forget();
      const failed = error instanceof CommerceError ? error.code : 'cancelled';
      runtime.log({ event: 'exchange', durationMs: runtime.elapsed() - startedAtMs, failed });
      throw error;
    }
  }

  return {
    current() {
      if (!held) return renew();
      const state = renewal(held, runtime.elapsed(), runtime.now());
      if (state === 'expired') return renew();
      if (state === 'due' && (!failure || hasRested(failure, runtime.elapsed()))) {
        // The held token still works: nobody waits for its successor.
        renew().catch(() => {});
      }
      return held;
    },
    replace: async (refused) => (held && held.value !== refused.value ? held : renew()),
    renew,
    endpoint: endpoint.last,
  };
}

/** The error where it was the authorization server, not the platform, that did not answer in time. */
export function noTokenInTime(timeoutMs: number, attempts = 1): PlatformError {
  return new PlatformError(
    'timeout',
    `No access token: the authorization server did not answer within ${timeoutMs / 1000} s.`,
    { endpoint: 'POST to the token endpoint', attempts },
  );
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

/** After a failed exchange the authorization server is left alone for this long, where possible. */
const restMs = 5000;

function hasRested(failure: { atMs: number }, elapsed: number): boolean {
  return elapsed - failure.atMs >= restMs;
}
