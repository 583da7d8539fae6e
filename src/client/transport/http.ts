import type { Pool } from './pool.ts';
import type { HttpReply, HttpRequest, Runtime } from './runtime.ts';

/**
 * One pool of kept-alive connections an origin. The library behind it is loaded with the first
 * request, so that starting the server does not pay for it.
 */
export function openSockets(): Pick<Runtime, 'send' | 'hangUp'> {
  const pools = new Map<string, Promise<Pool>>();

  function poolFor(origin: string): Promise<Pool> {
    const known = pools.get(origin);
    if (known) return known;
    const opened = import('./pool.ts').then(({ openPool }) => openPool(origin));
    pools.set(origin, opened);
    return opened;
  }

  return {
    async send({ url, method, headers, body, signal }: HttpRequest): Promise<HttpReply> {
      const pool = await poolFor(url.origin);
      signal.throwIfAborted();
      const reply = await pool.request({
        path: `${url.pathname}${url.search}`,
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      return {
        status: reply.statusCode,
        header: (name) => joined(reply.headers[name]),
        body: reply.body,
      };
    },
    async hangUp(): Promise<void> {
      const open = [...pools.values()];
      pools.clear();
      await Promise.allSettled(open.map(async (pool) => (await pool).destroy()));
    },
  };
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
