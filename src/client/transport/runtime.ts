import { performance } from 'node:perf_hooks';
import type { ClientEvent } from './events.ts';
import { openSockets, type Sockets } from './http.ts';

/** Where the client touches the world. Tests replace what they need to rule. */
export interface Runtime extends Sockets {
  /** Wall clock in epoch milliseconds: for what people read, never for measuring. */
  now(): number;
  /** Milliseconds on a clock that never jumps: for every measured wait and age. */
  elapsed(): number;
  /** Resolves after `ms`; rejects with the signal's reason when that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
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
    random: Math.random,
    log: () => {},
    ...openSockets(),
    ...given,
  };
}

/** The longest a Node timer can run; longer sleeps wake early and are asked again. */
const longestTimerMs = 2 ** 31 - 1;

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
