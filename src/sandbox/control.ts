/** Controls of a running sandbox: what tests and rehearsals change of it. */
import type { RoleName } from './access/role.ts';
import { type Fault, parseFaults } from './faults/fault.ts';
import type { Platform } from './http/payload.ts';
import { withOnePieceMore } from './world/trade/basket.ts';
import type { Order } from './world/trade/order.ts';

/** What can be done to a running sandbox; each is a function that may be passed on alone. */
export type Control = ReturnType<typeof createControl>;

/** The controls of a platform. */
export function createControl(platform: Platform) {
  const { world, keyring, limiter, plan } = platform;
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
    /** Moves the update stamp of a product (inner id) to now. */
    touchProduct: (productId: number) => world.touchProduct(productId),
    /** Adds faults to those in force. @throws FaultSyntaxError when a text cannot be read */
    inject(faults: string | Fault | readonly Fault[]) {
      plan.inject(typeof faults === 'string' ? parseFaults(faults) : [faults].flat());
    },
    clearFaults: () => plan.clear(),
  };
}
