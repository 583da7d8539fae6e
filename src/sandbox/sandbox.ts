/**
 * The embedded platform: a small, faithful copy of the commerce platform (docs/platform.md) on two loopback
 * origins, the API and its authorization server. The same seed gives the same business on the same day, and
 * today's orders appear as the clock passes.
 */
import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Keyring, ROLES, type RoleName } from './http/access.ts';
import { type ApiOptions, createApi, createAuthServer } from './http/app.ts';
import { type Fault, FaultPlan, parseFaults } from './http/fault.ts';
import { descriptions } from './http/openapi.ts';
import { type Platform, RateLimiter, Stats } from './http/platform.ts';
import { withOnePieceMore } from './world/trade/checkout.ts';
import type { Order } from './world/trade/order.ts';
import { World } from './world/world.ts';

export { descriptions };

/** How the sandbox should be; everything has a default. */
export interface SandboxOptions extends ApiOptions {
  /** Port of the API. @default 0, any free one */
  port?: number;
  /** Another seed is another business. @default 1 */
  seed?: number;
  /** Orders on an average day, up to 2,000. @default 60 */
  ordersPerDay?: number;
  /** Days with data, today included. A day costs nothing until it is asked for. @default 762 */
  days?: number;
  /** Epoch milliseconds; today follows it. @default Date.now */
  now?: () => number;
  /** Requests per key and window; writes have a tenth of it. @default 600 */
  quota?: number;
  /** @default 60 */
  windowSeconds?: number;
  /** @default 900 */
  tokenLifetimeSeconds?: number;
  /** Added to each answer under /api. @default 0 */
  latencyMs?: number;
  /** Faults to begin with, as data or as text such as `502:every=5;reset:times=2`. */
  faults?: string | readonly Fault[];
}

/**
 * Starts a sandbox; it is ready when the promise resolves.
 * @throws FaultSyntaxError when `faults` cannot be read
 */
export async function startSandbox(options: SandboxOptions = {}) {
  const { now = Date.now, seed = 1, ordersPerDay = 60, days } = options;
  const closing = new AbortController();
  // Every answer that waits listens for the end, and many may wait at once.
  setMaxListeners(0, closing.signal);
  const platform: Platform = {
    world: new World({ seed, ordersPerDay, days }, now),
    keyring: new Keyring(options.tokenLifetimeSeconds ?? 900, now),
    limiter: new RateLimiter(options.quota ?? 600, options.windowSeconds ?? 60),
    stats: new Stats(),
    plan: new FaultPlan(),
    latencyMs: options.latencyMs ?? 0,
    closing: closing.signal,
  };
  const control = createControl(platform);
  control.inject(options.faults ?? []);
  const api = createApi(platform, () => apiServer.url, options);
  const auth = createAuthServer(platform, () => authServer.url);
  const apiServer = await listen(api.fetch, options.port);
  const authServer = await listen(auth.fetch);

  return {
    /** The API: http://127.0.0.1:PORT. */
    baseUrl: apiServer.url,
    /** The authorization server. */
    authUrl: authServer.url,
    clientId: ROLES.owner.clientId,
    clientSecret: ROLES.owner.clientSecret,
    /** One key a role. */
    keys: ROLES,
    world: platform.world,
    stats: platform.stats as Readonly<Stats>,
    control,
    /** Drops all connections at once; a second call does nothing. */
    async close() {
      closing.abort();
      await Promise.all([apiServer.close(), authServer.close()]);
    },
  };
}

/** What can be done to a running sandbox; each is a function that may be passed on alone. */
function createControl(platform: Platform) {
  const { world, keyring, limiter, plan } = platform;
  return {
    /** Revokes a key: its tokens and its exchange answer 401 until it is restored. */
    revokeKey: (clientId: string) => void keyring.revoked.add(clientId),
    restoreKey: (clientId: string) => void keyring.revoked.delete(clientId),
    /** Ends every token minted so far. */
    expireTokens: () => keyring.expireAll(),
    /** A token as a browser session would hold it: refused everywhere. */
    mintBrowserToken: (roleName: RoleName = 'owner') => keyring.mint(ROLES[roleName], true),
    /** Changes the general ceiling at once; writes get a tenth of it. */
    setQuota(quota: number) {
      limiter.quota = quota;
    },
    /** Begins a new rate-limit window for every key. */
    rollWindow: () => limiter.roll(),
    /** Milliseconds added to each answer under /api. */
    setLatency(ms: number) {
      platform.latencyMs = ms;
    },
    /** Places one more order, at this moment unless another is given (epoch ms). */
    addOrder: (order?: { shopId?: number; placedMs?: number }) => world.addOrder(order),
    /** Moves `date_updated` of an order to now. @throws RangeError when there is no such order */
    touchOrder(orderId: number): Order {
      const touched = world.ledger.change(orderId, world.thisSecond());
      if (touched === undefined) throw new RangeError(`There is no order ${orderId}.`);
      return touched;
    },
    /** Adds a line to these orders, one piece of what they hold; `date_updated` moves to now. */
    changeOrders(orderIds: Iterable<number>) {
      for (const id of orderIds) world.ledger.change(id, world.thisSecond(), withOnePieceMore);
    },
    touchProduct: (productId: number) => world.touchProduct(productId),
    /** Adds faults to those in force. @throws FaultSyntaxError when a text cannot be read */
    inject(faults: string | Fault | readonly Fault[]) {
      plan.inject(typeof faults === 'string' ? parseFaults(faults) : [faults].flat());
    },
    clearFaults: () => plan.clear(),
  };
}

/** Serves an application on real sockets; `close` drops all connections at once. */
async function listen(fetch: Parameters<typeof getRequestListener>[0], port = 0) {
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  // Longer than clients keep idle connections: the server never closes one that is about to be used.
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
