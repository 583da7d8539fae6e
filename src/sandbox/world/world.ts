/**
 * The truth behind the sandbox: a Dutch retail and hospitality business, as functions over its data.
 *
 * Amounts are whole cents, days are Amsterdam's. Over any period and shops, without internal orders:
 * - an order's total is the sum of its lines, with VAT and without;
 * - the payments of a paid order add up to its total (except one on the unbalanced day);
 * - sales - returns - differences = turnover = the sum over groups = the sum over rates;
 * - paid turnover incl. VAT + non-revenue = payments received (except that one);
 * - what the products of a group sold is the turnover of that group;
 * - stock is what Monday's delivery left on the shelf, less what was sold since.
 */
import { Ledger, type OrderFilter, type Scale } from './books/ledger.ts';
import { type Tally, tallyOf } from './books/tally.ts';
import { GROUP, LOCATIONS, METHOD, SHOPS, TAX_RATES } from './business/account.ts';
import {
  dayNumber,
  dayOf,
  formatDay,
  SHORTAGE_CENTS,
  spanFrom,
  UNBALANCED_SHOP_ID,
  weekday,
} from './business/calendar.ts';
import { Chance } from './business/chance.ts';
import {
  type Customer,
  customer,
  customerCount,
  SEGMENT,
  WALK_IN_ID,
} from './business/customers.ts';
import { lastRevision, PRODUCTS, type Product, sells } from './business/products.ts';
import type { Order } from './trade/order.ts';

/** Restricts a report to a shop or to the shops of a location. */
export interface ReportScope {
  shopId?: number | undefined;
  locationId?: number | undefined;
}

/** The business at the moment of `now()`. */
export class World {
  readonly shops = SHOPS;
  readonly locations = LOCATIONS;
  readonly taxRates = TAX_RATES;
  readonly turnoverGroups = Object.values(GROUP);
  readonly paymentMethods = Object.values(METHOD);
  readonly segments = Object.values(SEGMENT);
  readonly products = PRODUCTS;
  /** A recent weekday without sales. */
  readonly closedDay: string;
  /** The day on which payments are `differenceCents` off the total (negative: too little). */
  readonly unbalancedDay: { date: string; shopId: number; differenceCents: number };
  readonly firstDay: string;
  readonly now: () => number;
  readonly ledger: Ledger;
  readonly #scale: Scale;
  #customers: readonly Customer[] | undefined;

  constructor(scale: Scale, now: () => number) {
    const span = spanFrom(dayOf(now()), scale.days ?? 762);
    this.#scale = scale;
    this.now = now;
    this.firstDay = formatDay(span.first);
    this.closedDay = formatDay(span.closedDay);
    this.unbalancedDay = {
      date: formatDay(span.unbalancedDay),
      shopId: UNBALANCED_SHOP_ID,
      differenceCents: -SHORTAGE_CENTS,
    };
    this.ledger = new Ledger(scale, span, now);
  }

  today(): string {
    return formatDay(this.ledger.today());
  }

  /** Newest first; internal orders only if the filter asks for them. */
  orders(from: string, to = from, filter: OrderFilter = {}): Order[] {
    return this.ledger.page(dayNumber(from), dayNumber(to), filter).orders;
  }

  report(from: string, to = from, { shopId, locationId }: ReportScope = {}): Tally {
    const orders = [...this.ledger.placed(dayNumber(from), dayNumber(to))].flat();
    const inScope = orders
      .filter((order) => order.shopId === (shopId ?? order.shopId))
      .filter((order) => order.locationId === (locationId ?? order.locationId));
    return tallyOf(inScope);
  }

  reportPerShop(from: string, to = from, scope: ReportScope = {}): ReadonlyMap<number, Tally> {
    const shops = this.shops.filter(
      ({ locationId }) => locationId === (scope.locationId ?? locationId),
    );
    return new Map(shops.map(({ id }) => [id, this.report(from, to, { shopId: id })]));
  }

  /** Current stock, for many products at once; negative if too much was sold. */
  stockLevels(): (product: Product, locationId: number) => number {
    const today = this.ledger.today();
    const monday = formatDay(today - (weekday(today) - 1));
    const tallies = this.locations.map(({ id }) => {
      return [id, this.report(monday, this.today(), { locationId: id })] as const;
    });
    const sold = new Map(tallies);
    return (product, locationId) => {
      if (!isSoldAt(product, locationId)) return 0;
      const pieces = sold.get(locationId)?.products.get(product.id)?.quantity ?? 0;
      return mondayStock(this.#scale, product, locationId) - pieces;
    };
  }

  revisedMs(product: Product): number {
    return lastRevision(product, this.now());
  }

  customer(id: number): Customer | undefined {
    return this.customers()[id - WALK_IN_ID];
  }

  /** All customers by id, the walk-in relation first. */
  customers(): readonly Customer[] {
    this.#customers ??= Array.from(
      { length: customerCount(this.#scale.ordersPerDay) + 1 },
      (_, n) => customer(this.#scale.seed, n),
    );
    return this.#customers;
  }
}

/** Whether a location sells a product. */
export function isSoldAt(product: Product, locationId: number): boolean {
  return SHOPS.some((shop) => shop.locationId === locationId && sells(shop.trade, product));
}

/** Pieces of a product at a location after the Monday delivery. */
function mondayStock(scale: Scale, product: Product, locationId: number): number {
  const chance = new Chance(scale.seed, product.id, locationId, 0x57);
  return Math.ceil(chance.between(12, 80) * Math.max(1, scale.ordersPerDay / 60));
}
