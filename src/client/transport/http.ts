import type { Pool } from 'undici';

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

/** One pool of kept-alive connections an origin; undici is loaded with the first request. */
export function openSockets(): Sockets {
  const pools = new Map<string, Promise<Pool>>();

  function poolFor(origin: string): Promise<Pool> {
    const known = pools.get(origin);
    if (known) return known;
    const opened = import('./pool.ts').then(({ openPool }) => openPool(origin));
    pools.set(origin, opened);
    return opened;
  }

  return {
    async send({ url, method, headers, body, signal }) {
      const pool = await poolFor(url.origin);
      signal.throwIfAborted();
      const path = `${url.pathname}${url.search}`;
      const given = body === undefined ? {} : { body };
      const reply = await pool.request({ path, method, headers, signal, ...given });
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
      const open = [...pools.values()];
      pools.clear();
      await Promise.allSettled(open.map(async (pool) => (await pool).destroy()));
    },
  };
}
