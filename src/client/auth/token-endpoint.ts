import { hasCode, PlatformError } from '../../core/errors.ts';
import type { Runtime } from '../transport/runtime.ts';
import {
  discover,
  documentedEndpoint,
  exchange,
  type KeySettings,
  type Token,
} from './token-exchange.ts';

/** Where the key is exchanged. */
export interface TokenEndpoint {
  /** @throws PlatformError as `discover` and `exchange` */
  exchange(signal: AbortSignal): Promise<Token>;
  /** Where it was exchanged last. */
  last(): URL | undefined;
  /** Has it looked up again, for it may have moved. */
  forget(): void;
}

/** Longest that discovery may be silent before the documented address is tried beside it. */
const silentForMs = 2000;

/**
 * The token endpoint as discovery names it, remembered as long as HTTP says. While discovery is down
 * or silent the address that the interface documents is tried: it is the same server's (section 5.3).
 * @param timeoutMs longest that an exchange may take, discovery included
 */
export function openTokenEndpoint(
  key: KeySettings,
  timeoutMs: number,
  runtime: Pick<Runtime, 'now' | 'elapsed' | 'sleep' | 'send'>,
): TokenEndpoint {
  let known: { url: URL; untilMs: number } | undefined;
  let last: URL | undefined;

  async function exchangeAt(url: URL, signal: AbortSignal): Promise<Token> {
    const token = await exchange(key, url, runtime, signal);
    last = url;
    return token;
  }

  async function lookUp(signal: AbortSignal): Promise<URL> {
    const { url, freshForMs } = await discover(key, runtime, signal);
    known = { url, untilMs: runtime.elapsed() + freshForMs };
    return url;
  }

  async function findAndExchange(signal: AbortSignal): Promise<Token> {
    const naming = lookUp(signal);
    const silence = runtime.sleep(Math.min(silentForMs, timeoutMs / 2), signal);
    const named = await Promise.race([naming, silence]).catch(unlessDown);
    if (named) return exchangeAt(named, signal);
    const documented = documentedEndpoint(key.authUrl);
    const there = exchangeAt(documented, signal);
    const elsewhere = naming.then((url) =>
      url.href === documented.href ? there : exchangeAt(url, signal),
    );
    return Promise.any([there, elsewhere]).catch(async () => {
      await there.catch(unlessRefused);
      return elsewhere;
    });
  }

  return {
    async exchange(signal) {
      if (known && runtime.elapsed() < known.untilMs) return exchangeAt(known.url, signal);
      // Whatever is still under way when one exchange has answered is of no use.
      const over = new AbortController();
      try {
        return await findAndExchange(AbortSignal.any([signal, over.signal]));
      } finally {
        over.abort(exchanged);
      }
    },
    last: () => last,
    forget() {
      known = undefined;
    },
  };
}

/** A reason of our own: without one each exchange would build an exception with its stack. */
const exchanged = 'the key is exchanged';

/** Nothing, where the authorization server did not answer or could not; a wrong answer stands. */
function unlessDown(error: unknown): undefined {
  const isDown =
    hasCode(error, 'unreachable') || (error instanceof PlatformError && (error.status ?? 0) >= 500);
  if (!isDown) throw error;
}

/** A refused key is the news, whatever else went wrong. */
function unlessRefused(error: unknown): void {
  if (hasCode(error, 'key_refused')) throw error;
}
