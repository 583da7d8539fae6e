import { performance } from 'node:perf_hooks';
import type { ErrorCode } from '../../core/errors.ts';
import { openSockets, type Sockets } from './http.ts';

/**
 * What the client did, for logs and metrics. Endpoints are templates such as
 * `GET /api/order/{id}`; no event carries a secret, a token, an id or a query value.
 */
export type ClientEvent =
  /** One request left and ended; `status` 0 when no status line arrived. */
  | {
      event: 'request';
      endpoint: string;
      status: number;
      durationMs: number;
      attempt: number;
      /** `X-Request-Id` of the answer (section 7). */
      traceId: string | undefined;
    }
  /** A failed attempt will be made again after `delayMs`. */
  | { event: 'retry'; endpoint: string; attempt: number; delayMs: number; code: ErrorCode }
  /** A request waited in the queue, for a place or for the rate budget. */
  | { event: 'wait'; endpoint: string; waitedMs: number }
  /** The key was exchanged, or could not be. */
  | { event: 'exchange'; durationMs: number; expiresInSeconds?: number; failed?: ErrorCode }
  /** The answer came from the cache, or from a request that was already under way. */
  | { event: 'shared'; endpoint: string; from: 'cache' | 'flight' };

/** Where the client touches the world. Tests replace what they need to rule. */
export interface Runtime extends Sockets {
  /** Wall clock in epoch milliseconds: for what people read, never for measuring. */
  now(): number;
  /** Milliseconds on a clock that never jumps: for every measured wait and age. */
  elapsed(): number;
  /** Resolves after `ms`; rejects with the signal's reason when that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `ring` after `ms`, unless what it returns is called before. */
  alarm(ms: number, ring: () => void): () => void;
  /** Chance, 0 to below 1. */
  random(): number;
  /** Receives what happened, for logs and metrics: no secrets, no query values. */
  log(event: ClientEvent): void;
}

/** The real clock, chance and sockets, with whatever `given` replaces. */
export function realRuntime(given: Partial<Runtime> = {}): Runtime {
  return {
    now: Date.now,
    elapsed: () => performance.now(),
    sleep,
    alarm: given.sleep ? alarmBy(given.sleep) : alarm,
    random: Math.random,
    log: () => {},
    ...openSockets(),
    ...given,
  };
}

/** The longest a Node timer can run; longer sleeps wake early and are asked again. */
const longestTimerMs = 2 ** 31 - 1;

function alarm(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, Math.min(ms, longestTimerMs));
  return () => clearTimeout(timer);
}

/** An alarm on whatever clock `sleep` has. */
function alarmBy(sleep: Runtime['sleep']): Runtime['alarm'] {
  return (ms, ring) => {
    const stopped = new AbortController();
    sleep(ms, stopped.signal).then(ring, () => {});
    return () => stopped.abort(over);
  };
}

/** Made once: an abort without a reason makes an exception with its stack, at every call. */
const over = new Error('the work ended before its deadline');

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, longestTimerMs),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
