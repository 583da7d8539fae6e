/** Orders, products, keys and limits that tests change by hand in a running sandbox. */
import { ROLES } from '../../src/sandbox/http/access.ts';
import type { Platform } from '../../src/sandbox/http/platform.ts';
import { dayOf } from '../../src/sandbox/world/business/calendar.ts';
import { type Order, statusAt } from '../../src/sandbox/world/trade/order.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { withOnePieceMore } from './one-piece-more.ts';

/** A key of the sandbox, by the role that it has. */
export type RoleName = keyof typeof ROLES;

/** Ids of orders added by hand begin here within their day. */
const FIRST_ADDED_SEQUENCE = 50_000;

/** Changes to the orders and products of a world; stamps are in whole seconds. */
export function changesOf(world: World) {
  const { ledger } = world;
  const touchedMs = new Map<number, number>();
  let added = 0;
  const revisedMs = world.revisedMs.bind(world);
  world.revisedMs = (product) => Math.max(revisedMs(product), touchedMs.get(product.id) ?? 0);
  const thisSecond = () => Math.floor(world.now() / 1000) * 1000;

  function change(id: number, edit = (order: Order): Order => order): Order {
    const order = ledger.order(id);
    if (order === undefined) throw new RangeError(`There is no order ${id}.`);
    const atMs = thisSecond();
    const changes = [...order.changes, { atMs, status: statusAt(order, atMs) }];
    const changed = { ...edit(order), changes: changes.sort((a, b) => a.atMs - b.atMs) };
    const orders = ledger.day(order.day);
    orders[orders.indexOf(order)] = changed;
    ledger.changedLate.add(id);
    return changed;
  }

  return {
    /** Places one more order, in the webshop and at this moment unless others are given (epoch ms). */
    addOrder({ shopId = 1, placedMs = thisSecond() }: { shopId?: number; placedMs?: number } = {}) {
      const shop = world.shops.find(({ id }) => id === shopId) ?? world.shops[0];
      const day = dayOf(placedMs);
      const order = ledger.makeOrder(shop, day, placedMs, FIRST_ADDED_SEQUENCE + added++);
      ledger.day(day).push(order);
      ledger.day(day).sort((a, b) => a.placedMs - b.placedMs || a.id - b.id);
      return order;
    },
    /** Moves `date_updated` of an order to now. @throws RangeError when there is no such order */
    touchOrder: (orderId: number) => change(orderId),
    /** Adds a line to these orders, one piece of what they hold; `date_updated` moves to now. */
    changeOrders(orderIds: Iterable<number>) {
      for (const id of orderIds) change(id, withOnePieceMore);
    },
    touchProduct: (productId: number) => void touchedMs.set(productId, thisSecond()),
  };
}

/** Changes to the keys, tokens and limits of a sandbox. */
export function keyChangesOf({ keyring, limiter }: Pick<Platform, 'keyring' | 'limiter'>) {
  const revoked = new Set<string>();
  /** Why tokens are refused although they were minted. */
  const refusals = new Map<string, string>();
  const minted = new Set<string>();
  let round = 0;
  const { exchange, mint, recognise } = keyring;
  keyring.exchange = (clientId, clientSecret) =>
    revoked.has(clientId) ? undefined : exchange.call(keyring, clientId, clientSecret);
  keyring.mint = (role) => {
    const token = mint.call(keyring, role);
    minted.add(token);
    return token;
  };
  keyring.recognise = (token) => {
    const caller = recognise.call(keyring, token);
    if (typeof caller === 'string') return caller;
    if (revoked.has(caller.role.clientId)) return 'The API key of this token was revoked.';
    return refusals.get(token) ?? caller;
  };
  const take = limiter.take.bind(limiter);
  limiter.take = (key, now) => take(`${key} ${round}`, now);
  return {
    /** Revokes a key: its tokens and its exchange answer 401 until it is restored. */
    revokeKey: (clientId: string) => void revoked.add(clientId),
    restoreKey: (clientId: string) => void revoked.delete(clientId),
    /** Ends every token minted so far. */
    expireTokens() {
      for (const token of minted) refusals.set(token, 'The access token has expired.');
    },
    /** A token as a browser session would hold it: refused everywhere. */
    mintBrowserToken(roleName: RoleName = 'owner') {
      const token = keyring.mint(ROLES[roleName]);
      refusals.set(token, 'The token was minted for a browser session.');
      return token;
    },
    /** Changes the general ceiling at once; writes get a tenth of it. */
    setQuota(quota: number) {
      limiter.quota = quota;
    },
    /** Begins a new rate-limit window for every key. */
    rollWindow() {
      round += 1;
    },
  };
}
