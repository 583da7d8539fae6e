import { performance } from 'node:perf_hooks';
import type { ClientEvent } from './events.ts';
import { openSockets } from './http.ts';

/** One HTTP exchange as the socket layer sends it; `signal` ends it at any stage, body included. */
export interface HttpRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

/** Status and headers as soon as they are there; the body follows as it is iterated. */
export interface HttpReply {
  status: number;
  /** The value of a header by its lower-case name; repeated ones are joined by `, `. */
  header(name: string): string | undefined;
  body: AsyncIterable<Uint8Array>;
}

/** Where the client touches the world. Tests replace what they need to rule. */
export interface Runtime {
  /** Wall clock in epoch milliseconds: for what people read, never for measuring. */
  now(): number;
  /** Milliseconds on a clock that never jumps: for every measured wait and age. */
  elapsed(): number;
  /** Resolves after `ms`; rejects with the signal's reason when that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Chance, 0 to below 1. */
  random(): number;
  /** Sends one request; never follows a redirect. Rejects when no status line arrived. */
  send(request: HttpRequest): Promise<HttpReply>;
  /** Closes the idle connections when the client closes. */
  hangUp(): Promise<void>;
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
