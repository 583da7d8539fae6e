import { performance } from 'node:perf_hooks';
import { unlessAborted } from '../../core/deadline.ts';
import { CommerceError, type ErrorCode } from '../../core/errors.ts';
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
      /** `X-Request-Id` of the answer. */
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

/** Where the client touches the world: clocks, chance and sockets are arguments. */
export interface Runtime extends Sockets {
  /** Wall clock in epoch milliseconds: for what people read, never for measuring. */
  now(): number;
  /** Milliseconds on a clock that never jumps: for every measured wait and age. */
  elapsed(): number;
  /** Calls `ring` after `ms`, unless the function it returns is called before. */
  alarm(ms: number, ring: () => void): () => void;
  random(): number;
  /** What goes along with each request, such as its name in the logs of several services. */
  headers(): Readonly<Record<string, string>>;
  /** Receives what happened, for logs and metrics: no secrets, no query values. */
  log(event: ClientEvent): void;
}

/** The real clock, chance and sockets, with whatever `replacements` hold. */
export function realRuntime(replacements: Partial<Runtime> = {}): Runtime {
  return {
    now: Date.now,
    elapsed: () => performance.now(),
    alarm(ms, ring) {
      const timer = setTimeout(ring, ms);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    headers: () => ({}),
    log: () => {},
    ...openSockets(),
    ...replacements,
  };
}

/** Resolves after `ms`; rejects with the signal's reason when that comes first. */
export async function sleep(
  alarm: Runtime['alarm'],
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const slept = new Promise<void>((resolve) => {
    stop = alarm(ms, resolve);
  });
  await unlessAborted(slept, signal).finally(stop);
}

/** The error of a call whose caller went away. */
export function cancelled(endpoint: string): CommerceError {
  return new CommerceError('cancelled', { code: 'request_cancelled', endpoint });
}
