import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import { onAbort, setAlarm } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { LoopTurns } from '../../core/process/loop-turns.ts';
import type { HeldBytes, MemoryPool } from '../../core/process/memory-pool.ts';

/** Proxies of the environment. None is used for this machine. */
export interface Proxies {
  httpsProxy?: string | undefined;
  httpProxy?: string | undefined;
  noProxy?: string | undefined;
}

/** An API key, its addresses, and bounds of its use. */
export interface ClientSettings extends Proxies {
  /** May have a path, such as `https://host/prefix`. */
  baseUrl: string;
  authUrl: string;
  clientId: string;
  clientSecret: string;
  concurrency: number;
  /** Longest time of a request, with its body. */
  timeoutMs: number;
  /** Longest time that a call waits for the rate budget, for a place, and between attempts. */
  maxWaitMs: number;
  maxRows: number;
  /** Most requests waiting. @default 1,000 */
  maxQueued?: number;
  /** Separates its callers from those of other accounts on the same budget. */
  account?: string | undefined;
  /** Memory that caches of several clients share. @default unshared */
  cachePool?: MemoryPool;
  /** Turns at parsing large answers. @default its own */
  parsing?: LoopTurns;
  /** Counts the bytes of lists that are being read to their end. @default its own */
  longReads?: HeldBytes;
  /** @default commerce-mcp */
  userAgent?: string;
}

/**
 * An event for logs and metrics. Endpoints are templates such as `GET /api/order/{id}`; no event has a secret, a
 * token, an id or a query value.
 */
export type ClientEvent =
  /** A request has ended; `status` 0 if no status line arrived. */
  | {
      event: 'request';
      endpoint: string;
      status: number;
      durationMs: number;
      attempt: number;
      traceId: string | undefined;
    }
  /** A failed attempt is repeated after `delayMs`. */
  | { event: 'retry'; endpoint: string; attempt: number; delayMs: number; code: ErrorCode }
  /** A request waited in the queue, for a place or for the rate budget. */
  | { event: 'wait'; endpoint: string; waitedMs: number }
  | { event: 'exchange'; durationMs: number; expiresInSeconds?: number; failed?: ErrorCode }
  /** The answer came from the cache, or from a running request. */
  | { event: 'shared'; endpoint: string; from: 'cache' | 'flight' };

/** `signal` ends the exchange at any stage, body included. */
export interface HttpRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Longest body of the reply: of a longer one the end is not read. */
  maxBytes: number;
  signal: AbortSignal;
}

/** Status and headers as soon as they arrive. */
export interface HttpReply {
  status: number;
  /** The value of a header by its lower-case name; repeated ones are joined by `, `. */
  header(name: string): string | undefined;
  /** Resolves at the end of the body. Never rejects. */
  body: Promise<HttpBody>;
}

export interface HttpBody {
  bytes: Buffer;
  /** The reason why bytes are missing. */
  flaw?: 'cut_off' | 'too_long';
}

export interface Sockets {
  /** Sends a request and follows no redirect. Rejects if no status line arrived. */
  send(request: HttpRequest): Promise<HttpReply>;
  hangUp(): Promise<void>;
}

export interface Runtime extends Sockets {
  /** Wall clock in epoch milliseconds, for people, not for measuring. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for waits and ages. */
  elapsed(): number;
  /** Calls `ring` after `ms`. @returns a function that cancels it */
  alarm(ms: number, ring: () => void): () => void;
  random(): number;
  /** Headers of every request, such as its id in the logs of several services. */
  headers(): Readonly<Record<string, string>>;
  log(event: ClientEvent): void;
}

/** The real clock, chance and sockets, except where replaced. */
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

/** Keeps connections alive in one agent; undici is loaded with the first request. */
export function openSockets(proxies: Proxies = {}): Sockets {
  let agent: Dispatcher | undefined;
  let library: Promise<Undici> | undefined;
  return {
    async send({ url: { origin, pathname, search }, method, headers, body, ...reading }) {
      library ??= import('undici');
      const undici = await library;
      reading.signal.throwIfAborted();
      agent ??= openAgent(undici, proxies);
      const path = `${pathname}${search}`;
      return dispatch(agent, { origin, path, method, headers, body: body ?? null }, reading);
    },
    async hangUp() {
      const open = agent;
      agent = undefined;
      await open?.destroy();
    },
  };
}

/** Collects the chunks of a body: undici's own stream of them takes a third of the time of a small request. */
function dispatch(
  agent: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { maxBytes, signal }: Pick<HttpRequest, 'maxBytes' | 'signal'>,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let exchange: Dispatcher.DispatchController | undefined;
    let endBody: ((flaw?: HttpBody['flaw']) => void) | undefined;
    const leave = onAbort(signal, () => exchange?.abort(signal.reason));
    agent.dispatch(options, {
      onRequestStart(controller) {
        exchange = controller;
        if (signal.aborted) controller.abort(signal.reason);
      },
      onResponseStart(_, status, headers) {
        // Such as early hints, before the answer itself.
        if (status < 200) return;
        const body = new Promise<HttpBody>((end) => {
          endBody = (flaw) => {
            const [chunk] = chunks;
            const bytes = chunk && chunks.length === 1 ? chunk : Buffer.concat(chunks);
            end({ bytes, ...(flaw && { flaw }) });
          };
        });
        resolve({
          status,
          header(name) {
            const value = headers[name];
            return Array.isArray(value) ? value.join(', ') : value;
          },
          body,
        });
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= maxBytes) return;
        endBody?.('too_long');
        controller.abort(new RangeError('the body is too long'));
      },
      onResponseEnd() {
        leave();
        endBody?.();
      },
      onResponseError(_, error) {
        leave();
        if (endBody) endBody('cut_off');
        else reject(error);
      },
    });
  });
}

type Undici = typeof import('undici');

function openAgent(undici: Undici, proxies: Proxies): Dispatcher {
  // V8 would optimise the one huge WebAssembly function of undici's parser soon after the start, which takes 30 MB
  // and a fifth of its processor time. Busy servers get it later.
  setFlagsFromString('--wasm-tiering-budget=30000000');
  // The client has its own deadline for a whole request.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };
  const { httpsProxy = '', httpProxy = '', noProxy = '' } = proxies;
  if (httpsProxy === '' && httpProxy === '') return new undici.Agent(timeouts);
  return new undici.EnvHttpProxyAgent({
    ...timeouts,
    httpsProxy,
    httpProxy,
    noProxy: noProxy === '*' ? noProxy : `${noProxy},localhost,127.0.0.1,[::1]`,
    clientFactory: (origin) => new undici.Pool(origin, { connect: proxyConnector(undici) }),
  });
}

/** Marks failures of a proxy, to tell them from those of the platform. */
function proxyConnector({ buildConnector }: Undici): import('undici').buildConnector.connector {
  const connect = buildConnector({});
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error) done(Object.assign(error, { isOfProxy: true }), null);
      else done(null, socket);
    });
}
