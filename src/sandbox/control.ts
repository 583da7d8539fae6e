/** The knobs of a running sandbox: what tests and rehearsals do to it from outside. */
import type { Keyring } from './access/keyring.ts';
import type { RoleName } from './access/role.ts';
import { type Fault, type FaultPlan, parseFaults } from './faults/fault.ts';
import { type RateLimiter, writeQuota } from './http/rate-limit.ts';
import { withOnePieceMore } from './world/trade/basket.ts';
import type { Order } from './world/trade/order.ts';
import type { World } from './world/world.ts';

/** What the knobs turn. */
interface Controlled {
  world: World;
  keyring: Keyring;
  limiter: RateLimiter;
  plan: FaultPlan;
  latency: { ms: number };
}

/** What can be done to a running sandbox; each is a function that may be passed on alone. */
export type Control = ReturnType<typeof createControl>;

/** The knobs of these parts. */
export function createControl({ world, keyring, limiter, plan, latency }: Controlled) {
  /** The platform's stamps are whole seconds. */
  const thisSecond = () => Math.floor(world.now() / 1000) * 1000;
  return {
    /** Revokes a key: its tokens and its exchange answer 401 until it is restored. */
    revokeKey: (clientId: string) => void keyring.revoked.add(clientId),
    restoreKey: (clientId: string) => void keyring.revoked.delete(clientId),
    /** Ends every token minted so far. */
    expireTokens: () => keyring.expireAll(),
    /** A token as a browser session would hold it: refused everywhere. */
    mintBrowserToken: (roleName: RoleName = 'owner') => keyring.mint(roleName, true),
    /** Changes the general ceiling at once; writes get a tenth of it. */
    setQuota(quota: number) {
      limiter.quota = { ...limiter.quota, general: quota, write: writeQuota(quota) };
    },
    /** Begins a new rate-limit window for every key. */
    rollWindow: () => limiter.roll(),
    /** Milliseconds added to each answer under /api. */
    setLatency(ms: number) {
      latency.ms = ms;
    },
    /** Places one more order, at this moment unless another is given (epoch ms). */
    addOrder({ shopId, placedMs = thisSecond() }: { shopId?: number; placedMs?: number } = {}) {
      const [webshop] = world.shops;
      return world.ledger.add(world.shops.find(({ id }) => id === shopId) ?? webshop, placedMs);
    },
    /** Moves `date_updated` of an order to now. @throws RangeError when there is no such order */
    touchOrder(orderId: number): Order {
      const touched = world.ledger.change(orderId, thisSecond());
      if (touched === undefined) throw new RangeError(`There is no order ${orderId}.`);
      return touched;
    },
    /** Adds a line to these orders, one piece of what they hold; `date_updated` moves to now. */
    changeOrders(orderIds: Iterable<number>) {
      for (const id of orderIds) world.ledger.change(id, thisSecond(), withOnePieceMore);
    },
    /** Moves the update stamp of a product (inner id) to now. */
    touchProduct: (productId: number) => world.touchProduct(productId, thisSecond()),
    /** Adds faults to those in force. @throws FaultSyntaxError when a text cannot be read */
    inject(faults: string | Fault | readonly Fault[]) {
      plan.inject(typeof faults === 'string' ? parseFaults(faults) : [faults].flat());
    },
    clearFaults: () => plan.clear(),
  };
}
