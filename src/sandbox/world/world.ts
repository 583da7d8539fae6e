/**
 * The truth behind the sandbox: a Dutch retail and hospitality business, as plain functions over
 * its data.
 *
 * Amounts are whole cents. Days are Amsterdam days, written `YYYY-MM-DD`. For every period and any
 * set of shops, over the orders that are not internal:
 * - an order's total is the sum of its lines; its total excl. VAT is the sum of what each line excludes;
 * - the payments of a paid order add up to its total (but for one payment on the unbalanced day);
 * - sales - returns - differences = turnover = the sum over groups = the sum over rates, paid and unpaid;
 * - paid turnover incl. VAT + non-revenue = payments received (plus the shortage on the unbalanced day);
 * - what the products of a group sold is the turnover of that group;
 * - stock is what Monday's delivery left on the shelf, less what was sold since.
 */
import { Accounts, mergeTallies, type ShopTallies } from './books/accounts.ts';
import { Changes } from './books/changes.ts';
import { Ledger } from './books/ledger.ts';
import { Listing, type OrderFilter } from './books/listing.ts';
import { type StockLevel, stockLevels } from './books/stock.ts';
import type { Tally } from './books/tally.ts';
import { type DayNumber, formatDay, parseDay } from './business/calendar.ts';
import {
  type Customer,
  countMembers,
  customer,
  customerCount,
  SEGMENTS,
  WALK_IN_ID,
} from './business/customers.ts';
import { PAYMENT_METHODS, TAX_RATES, TURNOVER_GROUPS } from './business/ledgers.ts';
import { SHORTAGE_CENTS, spanFrom, UNBALANCED_SHOP_ID } from './business/opening.ts';
import { LOCATIONS, SHOPS } from './business/places.ts';
import { lastRevision, PRODUCTS, type Product, productById } from './business/products.ts';
import { createDayMaker, type Scale } from './trade/day.ts';
import type { Line, Order } from './trade/order.ts';

/** Narrows a report to one shop or to the shops of one location. */
export interface ReportScope {
  shopId?: number;
  locationId?: number;
}

/** The business as it is at the moment `now()` tells. */
export class World {
  readonly shops = SHOPS;
  readonly locations = LOCATIONS;
  readonly taxRates = TAX_RATES;
  readonly turnoverGroups = TURNOVER_GROUPS;
  readonly paymentMethods = PAYMENT_METHODS;
  readonly segments = SEGMENTS;
  readonly products = PRODUCTS;
  /** A recent weekday on which no shop sold anything. */
  readonly closedDay: string;
  /**
   * The day, and the shop, whose payments are `differenceCents` off the total (negative: too
   * little).
   */
  readonly unbalancedDay: { date: string; shopId: number; differenceCents: number };
  /** The first day with data. */
  readonly firstDay: string;
  readonly scale: Scale;
  readonly now: () => number;

  readonly ledger: Ledger;
  readonly listing: Listing;
  readonly changes: Changes;
  readonly accounts: Accounts;
  readonly #productTouches = new Map<number, number>();
  #customers: readonly Customer[] | undefined;
  #memberCounts: ReadonlyMap<number, number> | undefined;

  constructor(scale: Scale, now: () => number) {
    const span = spanFrom(now());
    this.scale = scale;
    this.now = now;
    this.firstDay = formatDay(span.first);
    this.closedDay = formatDay(span.closedDay);
    this.unbalancedDay = {
      date: formatDay(span.unbalancedDay),
      shopId: UNBALANCED_SHOP_ID,
      differenceCents: -SHORTAGE_CENTS,
    };
    this.ledger = new Ledger(createDayMaker(scale, span), span, now);
    this.listing = new Listing(this.ledger);
    this.changes = new Changes(this.ledger);
    this.accounts = new Accounts(this.ledger);
  }

  /** Today in Amsterdam. */
  today(): string {
    return formatDay(this.ledger.today());
  }

  /** Orders placed in a period, newest first; internal ones only when the filter asks for them. */
  orders(from: string, to = from, filter: OrderFilter = {}): Order[] {
    return this.listing.page(dayNumber(from), dayNumber(to), filter).orders;
  }

  order(id: number): Order | undefined {
    return this.ledger.order(id);
  }

  /** All lines of an order. */
  items(orderId: number): readonly Line[] {
    return this.order(orderId)?.lines ?? [];
  }

  /** The sums over a period, all chosen shops together. */
  report(from: string, to = from, scope: ReportScope = {}): Tally {
    return mergeTallies(this.reportPerShop(from, to, scope).values());
  }

  /** The sums over a period, per shop id. */
  reportPerShop(from: string, to = from, scope: ReportScope = {}): ShopTallies {
    const shopIds = this.shops
      .filter(({ id }) => scope.shopId === undefined || id === scope.shopId)
      .filter(({ locationId }) => locationId === (scope.locationId ?? locationId))
      .map(({ id }) => id);
    return this.accounts.perShop(dayNumber(from), dayNumber(to), shopIds);
  }

  /** Pieces of a product (inner id) at one location, or at all together. */
  stock(productId: number, locationId?: number): number {
    const product = productById(productId);
    if (product === undefined) return 0;
    const level = this.stockLevels();
    return this.locations
      .filter(({ id }) => id === (locationId ?? id))
      .reduce((total, { id }) => total + level(product, id), 0);
  }

  /** Stock levels of this moment, for many products at once. */
  stockLevels(): StockLevel {
    return stockLevels(this.accounts, this.scale, this.ledger.today());
  }

  /** When a product itself last changed, in epoch milliseconds. */
  revisedMs(product: Product): number {
    const revised = lastRevision(product, this.now());
    return Math.max(revised, this.#productTouches.get(product.id) ?? revised);
  }

  /** Moves the update stamp of a product (inner id). */
  touchProduct(productId: number, atMs: number): void {
    this.#productTouches.set(productId, atMs);
  }

  /** By relation id. */
  customer(id: number): Customer | undefined {
    const n = id - WALK_IN_ID;
    return n >= 0 && n <= customerCount(this.scale.ordersPerDay)
      ? customer(this.scale.seed, n)
      : undefined;
  }

  /** All customers by id, the walk-in relation first. */
  customers(): readonly Customer[] {
    this.#customers ??= Array.from({ length: customerCount(this.scale.ordersPerDay) + 1 }, (_, n) =>
      customer(this.scale.seed, n),
    );
    return this.#customers;
  }

  /** Members per segment id. */
  memberCounts(): ReadonlyMap<number, number> {
    this.#memberCounts ??= countMembers(this.scale);
    return this.#memberCounts;
  }
}

function dayNumber(date: string): DayNumber {
  const day = parseDay(date);
  if (day === undefined) throw new RangeError(`"${date}" is not a day: write it as YYYY-MM-DD.`);
  return day;
}
