/** The knobs of a running sandbox: what tests and rehearsals do to it from outside. */

import type { Keyring } from './access/keyring.ts';
import type { RoleName } from './access/role.ts';
import { type Fault, type FaultPlan, parseFaults } from './faults/fault.ts';
import { type RateLimiter, writeQuota } from './http/rate-limit.ts';
import { withOnePieceMore } from './world/trade/basket.ts';
import type { Order } from './world/trade/order.ts';
import type { World } from './world/world.ts';

/** What can be done to a running sandbox. */
export interface Control {
  /** Revokes a key: its tokens and its exchange answer 401 until it is restored. */
  revokeKey(clientId: string): void;
  restoreKey(clientId: string): void;
  /** Ends every token minted so far. */
  expireTokens(): void;
  /** A token as a browser session would hold it: refused everywhere. */
  mintBrowserToken(roleName?: RoleName): string;
  /** Changes the general ceiling at once; writes get a tenth of it. */
  setQuota(quota: number): void;
  /** Begins a new rate-limit window for every key. */
  rollWindow(): void;
  /** Milliseconds added to each answer under /api. */
  setLatency(ms: number): void;
  /** Places one more order, at this moment unless another is given (epoch ms). */
  addOrder(order?: { shopId?: number; placedMs?: number }): Order;
  /** Moves `date_updated` of an order to now. @throws RangeError when there is no such order */
  touchOrder(orderId: number): Order;
  /** Adds a line to these orders, one piece of what they hold; their `date_updated` moves to now. */
  changeOrders(orderIds: Iterable<number>): void;
  /** Moves the update stamp of a product (inner id) to now. */
  touchProduct(productId: number): void;
  /** Adds faults to those in force. @throws FaultSyntaxError when a text cannot be read */
  inject(faults: string | Fault | readonly Fault[]): void;
  clearFaults(): void;
}

/** What the knobs turn. */
export interface Controlled {
  world: World;
  keyring: Keyring;
  limiter: RateLimiter;
  plan: FaultPlan;
  latency: { ms: number };
  now: () => number;
}

export function createControl(controlled: Controlled): Control {
  const { world, keyring, limiter, plan, latency, now } = controlled;
  /** The platform's stamps are whole seconds. */
  const thisSecond = () => Math.floor(now() / 1000) * 1000;

  return {
    revokeKey: (clientId) => keyring.revoke(clientId),
    restoreKey: (clientId) => keyring.restore(clientId),
    expireTokens: () => keyring.expireAll(),
    mintBrowserToken: (roleName = 'owner') => keyring.mintBrowserToken(roleName),
    setQuota(quota) {
      limiter.quota = { ...limiter.quota, general: quota, write: writeQuota(quota) };
    },
    rollWindow: () => limiter.roll(),
    setLatency(ms) {
      latency.ms = ms;
    },
    addOrder({ shopId, placedMs = thisSecond() } = {}) {
      const [webshop] = world.shops;
      const shop = world.shops.find(({ id }) => id === shopId) ?? webshop;
      return world.ledger.add(shop, placedMs);
    },
    touchOrder(orderId) {
      const touched = world.ledger.change(orderId, thisSecond());
      if (touched === undefined) throw new RangeError(`There is no order ${orderId}.`);
      return touched;
    },
    changeOrders(orderIds) {
      for (const id of orderIds) world.ledger.change(id, thisSecond(), withOnePieceMore);
    },
    touchProduct: (productId) => world.touchProduct(productId, thisSecond()),
    inject(faults) {
      const list = typeof faults === 'string' ? parseFaults(faults) : [faults].flat();
      plan.inject(list);
    },
    clearFaults: () => plan.clear(),
  };
}
