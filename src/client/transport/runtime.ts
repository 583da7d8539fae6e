import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import { setAlarm } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { LoopTurns } from '../../core/process/loop-turns.ts';
import type { HeldBytes, MemoryPool } from '../../core/process/memory-pool.ts';

/** The proxies that requests go through, as the environment names them; none to this machine itself. */
export interface Proxies {
  httpsProxy?: string | undefined;
  httpProxy?: string | undefined;
  noProxy?: string | undefined;
}

/** One API key, where it is good, and how carefully it is used. */
export interface ClientSettings extends Proxies {
  /** May carry a path of its own, such as `https://host/prefix`. */
  baseUrl: string;
  authUrl: string;
  clientId: string;
  clientSecret: string;
  /** Most requests in flight. */
  concurrency: number;
  /** Longest one request may take, with its whole body. */
  timeoutMs: number;
  /** Longest a call may wait for the rate budget, for a place, and between attempts. */
  maxWaitMs: number;
  /** Most rows that one list or change feed may read. */
  maxRows: number;
  /** Most requests waiting. @default 1,000 */
  maxQueued?: number;
  /** Tells its callers from those of other accounts on the same budget. */
  account?: string | undefined;
  /** Memory that the caches of several clients share. @default each has its own bounds alone */
  cachePool?: MemoryPool;
  /** Turns at parsing large answers. @default its own */
  parsing?: LoopTurns;
  /** Counts the bytes that lists hold while they are read to their end. @default its own */
  longReads?: HeldBytes;
  /** @default commerce-mcp */
  userAgent?: string;
}

/**
 * An event of the client, for logs and metrics. Endpoints are templates such as
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

/** One HTTP exchange; `signal` ends it at any stage, body included. */
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

/** Where requests leave the process. */
export interface Sockets {
  /** Sends one request; never follows a redirect. Rejects when no status line arrived. */
  send(request: HttpRequest): Promise<HttpReply>;
  /** Closes the idle connections when the client closes. */
  hangUp(): Promise<void>;
}

/** Where the client touches the world: clocks, chance and sockets are arguments. */
export interface Runtime extends Sockets {
  /** Wall clock in epoch milliseconds: for what people read, never for measuring. */
  now(): number;
  /** Milliseconds on a clock that never jumps: for every measured wait and age. */
  elapsed(): number;
  /** Calls `ring` after `ms`, unless the function it returns is called before. */
  alarm(ms: number, ring: () => void): () => void;
  random(): number;
  /** Headers of each request, such as its id in the logs of several services. */
  headers(): Readonly<Record<string, string>>;
  /** Receives events for logs and metrics: no secrets, no query values. */
  log(event: ClientEvent): void;
}

/** The real clock, chance and sockets, with whatever `replacements` hold. */
export function realRuntime(replacements: Partial<Runtime> = {}, proxies: Proxies = {}): Runtime {
  return {
    now: Date.now,
    elapsed: () => performance.now(),
    alarm: setAlarm,
    random: Math.random,
    headers: () => ({}),
    log: () => {},
    ...openSockets(proxies),
    ...replacements,
  };
}

/** One agent with kept-alive connections to every origin; undici is loaded with the first request. */
export function openSockets(proxies: Proxies = {}): Sockets {
  let agent: Dispatcher | undefined;
  return {
    async send({ url: { origin, pathname, search }, body, signal, ...request }) {
      const undici = await import('undici');
      signal.throwIfAborted();
      agent ??= openAgent(undici, proxies);
      const to = { origin, path: `${pathname}${search}`, signal, ...(body && { body }) };
      const reply = await agent.request({ ...request, ...to });
      return {
        status: reply.statusCode,
        header(name) {
          const value = reply.headers[name];
          return Array.isArray(value) ? value.join(', ') : value;
        },
        body: reply.body,
      };
    },
    async hangUp() {
      const open = agent;
      agent = undefined;
      await open?.destroy();
    },
  };
}

type Undici = typeof import('undici');

function openAgent(undici: Undici, proxies: Proxies): Dispatcher {
  // undici's parser is one huge function of WebAssembly. V8 would optimise it after the first answers, in the midst
  // of a start, which takes 30 MB and a fifth of its processor time: a server that is much asked gets it later.
  setFlagsFromString('--wasm-tiering-budget=30000000');
  // The client's own deadline covers a whole request, so the library's partial ones are off.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };
  const { httpsProxy = '', httpProxy = '', noProxy = '' } = proxies;
  return new undici.EnvHttpProxyAgent({
    ...timeouts,
    httpsProxy,
    httpProxy,
    noProxy: noProxy === '*' ? noProxy : `${noProxy},localhost,127.0.0.1,[::1]`,
    clientFactory: (origin) => new undici.Pool(origin, { connect: proxyConnector(undici) }),
  });
}

/** Connects to a proxy: a failure is marked as the proxy's, which is not the platform's. */
function proxyConnector({ buildConnector }: Undici): import('undici').buildConnector.connector {
  const connect = buildConnector({});
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error) done(Object.assign(error, { isOfProxy: true }), null);
      else done(null, socket);
    });
}
