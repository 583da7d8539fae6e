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
  const pools = new Map<string, Pool>();
  return {
    async send({ url, method, headers, body, signal }) {
      const { openPool } = await import('./pool.ts');
      signal.throwIfAborted();
      const pool = pools.get(url.origin) ?? openPool(url.origin);
      pools.set(url.origin, pool);
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
      await Promise.allSettled(open.map((pool) => pool.destroy()));
    },
  };
}

/** Query parameters of a GET; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The full address of a path below the base address, which may have a path of its own. Parameters
 * are sorted, so that equal questions have equal addresses.
 */
export function addressOf(baseUrl: string, path: string, query: Query = {}): URL {
  // Written down before it is read: an address that has been read is read anew with each parameter.
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  parameters.sort();
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return new URL(`${baseUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}${search}`);
}

/** A path as the template of its endpoint, such as `GET /api/order/{id}/item`: ids stay private. */
export function endpointOf(path: string): string {
  return `GET ${path.replace(/\/\d+(?=\/|$)/g, '/{id}')}`;
}

/** `Retry-After` in milliseconds (docs/platform.md#retry-after: seconds), or undefined when unreadable. */
export function retryAfterOf({ header }: HttpReply): number | undefined {
  const seconds = parseCount(header('retry-after'));
  return seconds === undefined ? undefined : seconds * 1000;
}

/** A whole number from 0 to a billion, or undefined. */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,10}\s*$/.test(value)) return undefined;
  const count = Number(value);
  return count <= 1e9 ? count : undefined;
}
