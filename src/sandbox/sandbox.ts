/**
 * The embedded platform: a small, faithful copy of the commerce platform (docs/platform.md) on two loopback origins.
 * The same seed gives the same business on the same day; orders of today appear as the clock passes.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Keyring, ROLES } from './http/access.ts';
import { type ApiOptions, createApi, createAuthServer } from './http/app.ts';
import { descriptions } from './http/openapi.ts';
import { RateLimiter } from './http/platform.ts';
import { World } from './world/world.ts';

export { descriptions };

export interface SandboxOptions extends ApiOptions {
  /** Port of the API. @default 0, any free one */
  port?: number;
  /** Each seed makes another business. @default 1 */
  seed?: number;
  /** Orders on an average day, up to 2,000. @default 60 */
  ordersPerDay?: number;
  /** Days with data, today included, each made when it is asked for. @default 762 */
  days?: number;
  /** Epoch milliseconds. @default Date.now */
  now?: () => number;
  /** Requests per key and window. @default 600 */
  quota?: number;
  /** @default 60 */
  windowSeconds?: number;
  /** @default 900 */
  tokenLifetimeSeconds?: number;
}

export async function startSandbox(options: SandboxOptions = {}) {
  const { now = Date.now, seed = 1, ordersPerDay = 60, days } = options;
  const platform = {
    world: new World({ seed, ordersPerDay, days }, now),
    keyring: new Keyring(options.tokenLifetimeSeconds ?? 900, now),
    limiter: new RateLimiter(options.quota ?? 600, options.windowSeconds ?? 60),
  };
  const api = createApi(platform, () => apiServer.url, options);
  const auth = createAuthServer(platform, () => authServer.url, options);
  const apiServer = await listen(api.fetch, options.port);
  const authServer = await listen(auth.fetch);

  return {
    /** Such as `http://127.0.0.1:4711`. */
    baseUrl: apiServer.url,
    authUrl: authServer.url,
    clientId: ROLES.owner.clientId,
    clientSecret: ROLES.owner.clientSecret,
    keys: ROLES,
    platform,
    /** Drops all connections. A second call does nothing. */
    async close() {
      await Promise.all([apiServer.close(), authServer.close()]);
    },
  };
}

async function listen(fetch: Parameters<typeof getRequestListener>[0], port = 0) {
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  // Longer than clients keep idle connections, so that none is closed just before use.
  server.keepAliveTimeout = 120_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${actualPort}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
