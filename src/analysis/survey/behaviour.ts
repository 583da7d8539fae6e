/** What the platform's document leaves open about how an account behaves, decided from rows that were looked at. */
import { z } from 'zod';
import { amsterdamDay, readTimestamp } from '../../core/calendar.ts';
import { isAmountName, isQuantityName } from '../../core/column-name.ts';
import { groupBy, toNumber } from '../../core/json.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { readFacts } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { LookAt, LookReading } from './found.ts';
import { findReturns, firstColumns } from './returns.ts';

const count = z.int();
const word = z.string().regex(/^[\w.-]{1,64}$/);

/** What looks found of one thing that the document leaves open, with the evidence, as another replica may have kept it. */
export const behaviourFinding = z.discriminatedUnion('code', [
  /** What the platform does with internal orders without `is_internal`; `none`: there were none to see it by. */
  z.object({
    code: z.literal('internal_orders'),
    value: z.enum(['left_out', 'included', 'none']),
    count,
  }),
  /** Whether product sales are less returns: which of their columns adds up to which measure. */
  z.object({
    code: z.literal('product_sales_returns'),
    value: z.enum(['off', 'not_off']),
    column: z.string(),
    measure: z.string(),
    isPerGroup: z.boolean(),
    /** The day that was looked at; last week without one. */
    day: z.string().optional(),
  }),
  /** Whether the feed of changed orders holds internal ones. */
  z.object({ code: z.literal('change_feed_internal'), value: z.boolean(), count }),
  /** What turnover and the count of a day's orders do with internal ones. */
  z.object({
    code: z.literal('reported_internal'),
    value: z.enum(['left_out', 'included']),
    day: z.string(),
    reported: count,
    others: count,
    internals: count,
  }),
  /** Whether discounted orders hold internal ones: those of a day that have a discount. */
  z.object({
    code: z.literal('discounted_internal'),
    value: z.enum(['left_out', 'included']),
    day: z.string(),
    count,
  }),
  /** The lines of a correction: which amounts and quantities of each kind are below zero. */
  z.object({
    code: z.literal('correction_lines'),
    value: z.array(z.object({ kind: word, below: z.array(word) })),
  }),
  /** The id of the customer who stands for sales without one. */
  z.object({ code: z.literal('walk_in_customer'), value: count, count, orders: count }),
]);

export type BehaviourFinding = z.output<typeof behaviourFinding>;

/** What an account does where the document says nothing (docs/platform.md#what-is-not-documented). */
export type BehaviourName = BehaviourFinding['code'];

/** The finding about one thing. */
export type FindingOf<Name extends BehaviourName> = Extract<BehaviourFinding, { code: Name }>;

/** A finding in words; without a value the thing is open, and the text says why. */
export type KnownBehaviour<Name extends BehaviourName> = { text: string } & (
  | FindingOf<Name>
  | { value?: undefined }
);

interface Behaviour<Name extends BehaviourName> {
  /** Who sees all of these may know what was found: the evidence is of their rows. */
  toolsets: readonly Toolset[];
  find(look: LookAt): Promise<FindingOf<Name> | undefined>;
}

/** What the rows of a tool rest on. */
export const behaviourOf: Readonly<Record<string, BehaviourName>> = {
  list_orders: 'internal_orders',
  list_order_changes: 'change_feed_internal',
  get_daily_close: 'reported_internal',
  list_discount_orders: 'discounted_internal',
  list_order_items: 'correction_lines',
  get_product_sales: 'product_sales_returns',
  search_customers: 'walk_in_customer',
};

/** Of these one look shows the columns as well: what it asks for is known from other looks. */
export const columnsByBehaviour: ReadonlySet<string> = new Set([
  'get_daily_close',
  'list_discount_orders',
  'list_order_items',
]);

const orders = 'list_orders';
const ever = { from: '2000-01-01' };
const isInternal = { is_internal: true };

/** The newest orders, and the internal ones alone. */
function lookAtOrders(look: LookAt) {
  return Promise.all([look(orders), look(orders, isInternal)]);
}

export const behaviours: { readonly [Name in BehaviourName]: Behaviour<Name> } = {
  internal_orders: {
    toolsets: ['orders'],
    async find(look) {
      const [all, internals] = await lookAtOrders(look);
      // Where the rows do not tell, the counts do.
      const counted = async () =>
        decideInternal(all, internals, await look(orders, { is_internal: false, limit: 1 }));
      return decideInternal(all, internals) ?? counted();
    },
  },
  product_sales_returns: {
    toolsets: ['reports'],
    async find(look) {
      const found = await findReturns(look);
      return found && { code: 'product_sales_returns', ...found };
    },
  },
  change_feed_internal: {
    toolsets: ['orders'],
    async find(look) {
      const [{ rows: changes = [] }, { rows: internals = [] }] = await Promise.all([
        look('list_order_changes'),
        look(orders, isInternal),
      ]);
      const ids = new Set(internals.map(({ id }) => id));
      const held = changes.filter(({ id }) => ids.has(id)).length;
      if (held > 0) return { code: 'change_feed_internal', value: true, count: held };
      const stamps = changes.map(stampOf).filter((it) => it !== '');
      const isWithin = (stamp: string) =>
        stamp >= (stamps[0] ?? '9') && stamp <= (stamps.at(-1) ?? '');
      const count = internals.map(stampOf).filter(isWithin).length;
      return count === 0 ? undefined : { code: 'change_feed_internal', value: false, count };
    },
  },
  reported_internal: {
    toolsets: ['orders', 'reports'],
    async find(look) {
      const found = internalDay(await lookAtOrders(look));
      if (found === undefined) return undefined;
      const { payload } = await look('get_daily_close', { date: found.day });
      const facts = readFacts(payload).filter(({ split }) => split === 'total');
      const fact = facts.find(({ measure }) => /(^|\.)order_count$/.test(measure));
      const reported = fact?.value.toNumber();
      const isOut = reported === found.others;
      if (!isOut && reported !== found.others + found.internals) return undefined;
      const value = isOut ? 'left_out' : 'included';
      return { code: 'reported_internal', value, reported, ...found };
    },
  },
  discounted_internal: {
    toolsets: ['orders', 'reports'],
    async find(look) {
      // Few internal orders have a discount: the newest may be older than the usual look goes back.
      const found =
        newestDiscounted(await look(orders, isInternal)) ??
        newestDiscounted(await look(orders, { ...ever, ...isInternal }));
      if (found === undefined) return undefined;
      const { day, ids } = found;
      const { rows } = await look('list_discount_orders', { from: day, to: day });
      const count = rows?.filter(({ id }) => ids.has(id)).length;
      if (count === undefined) return undefined;
      return count > 0
        ? { code: 'discounted_internal', value: 'included', day, count }
        : { code: 'discounted_internal', value: 'left_out', day, count: ids.size };
    },
  },
  correction_lines: {
    toolsets: ['orders'],
    async find(look) {
      let ofCorrection: readonly Row[] = [];
      for (const order of tellingOrders(await look(orders))) {
        const { rows = [] } = await look('list_order_items', { order_id: String(order.id) });
        if (isCorrection(order) && ofCorrection.length === 0) ofCorrection = rows;
      }
      // What is no word would be read as one of ours.
      const isWord = (it: unknown) => word.safeParse(it).success;
      const byKind = groupBy(ofCorrection, ({ kind }) => (isWord(kind) ? String(kind) : ''));
      byKind.delete('');
      const value = [...byKind].map(([kind, ofKind]) => {
        return { kind, below: belowZero(ofKind).filter(isWord) };
      });
      return value.length > 0 ? { code: 'correction_lines', value } : undefined;
    },
  },
  walk_in_customer: {
    toolsets: ['orders', 'customers'],
    async find(look) {
      const { rows = [] } = await look(orders);
      const known = rows.filter(({ relation_data_id: id }) => Number.isSafeInteger(id));
      const byId = groupBy(known, ({ relation_data_id: id }) => String(id));
      const [first, second] = [...byId].sort(([, a], [, b]) => b.length - a.length);
      // No customer among others orders so often by chance.
      const [id, { length: count }] = first ?? ['', []];
      if (count < 20 || count < 5 * (second?.[1].length ?? 0)) return undefined;
      return { code: 'walk_in_customer', value: Number(id), count, orders: rows.length };
    },
  },
};

/** Internal orders are in the list, or missing among those as new as its last row; else the counts tell. */
function decideInternal(
  all: LookReading,
  internals: LookReading,
  others?: LookReading,
): FindingOf<'internal_orders'> | undefined {
  const total = toNumber(all.payload.total);
  const count = toNumber(internals.payload.total);
  if (count === 0) return { code: 'internal_orders', value: 'none', count };
  const { rows = [] } = all;
  const ids = new Set(rows.map(({ id }) => id));
  const momentOf = placedIn(rows);
  const last = momentOf(rows.at(-1) ?? {});
  const without = others && toNumber(others.payload.total);
  const isHeld = internals.rows?.some(({ id }) => ids.has(id)) || total === Number(without) + count;
  const isOut =
    rows.length === total ||
    total === without ||
    internals.rows?.some((row) => momentOf(row) > last);
  if (!isHeld && !isOut) return undefined;
  return { code: 'internal_orders', value: isHeld ? 'included' : 'left_out', count };
}

function internalDay([all, internal]: readonly [LookReading, LookReading]) {
  const dayOf = dayIn(all.rows);
  const days = groupBy(all.rows ?? [], dayOf);
  const internals = groupBy(internal.rows ?? [], dayOf);
  const [today = '', ...over] = days.keys();
  // Of the last one more may lie on the next page, as of today they may be still to come.
  const day = over.slice(0, -1).find((it) => it !== today && internals.has(it));
  if (day === undefined) return undefined;
  const ids = new Set(internals.get(day)?.map(({ id }) => id));
  const others = days.get(day)?.filter(({ id }) => !ids.has(id)).length ?? 0;
  return { day, others, internals: ids.size };
}

/** The orders with a discount of the newest day that has any. */
function newestDiscounted({ rows = [] }: LookReading) {
  const [[day = '', ofDay] = []] = groupBy(rows.filter(hasDiscount), dayIn(rows));
  return ofDay && day !== '' ? { day, ids: new Set(ofDay.map(({ id }) => id)) } : undefined;
}

/** Two orders whose lines tell most: one with a discount, and a correction, with a discount where there is such a one. */
function tellingOrders({ rows = [] }: LookReading): Row[] {
  const corrections = rows.filter(isCorrection);
  const discounted = rows.find(hasDiscount) ?? rows[0];
  const correction =
    corrections.find(({ discount_value_wt: it }) => toNumber(it) < 0) ?? corrections[0];
  return [...new Set([discounted, correction])].flatMap((row) =>
    row && Number.isSafeInteger(row.id) ? [row] : [],
  );
}

function hasDiscount({ discount_value_wt: discount }: Row): boolean {
  return toNumber(discount) > 0;
}

function isCorrection(order: Row): boolean {
  return Object.entries(order).some(([name, value]) => isAmountName(name) && toNumber(value) < 0);
}

function belowZero(lines: readonly Row[]): string[] {
  return firstColumns(lines).filter(
    (name) =>
      (isAmountName(name) || isQuantityName(name)) &&
      lines.every((line) => toNumber(line[name]) < 0),
  );
}

/** Tells the day on which an order of a list was placed; empty where that is not to be seen. */
function dayIn(rows?: readonly Row[]): (row: Row) => string {
  const momentOf = placedIn(rows);
  return (row) => (Number.isNaN(momentOf(row)) ? '' : amsterdamDay(momentOf(row)));
}

/** Tells the moment at which an order of a list was placed: the column that orders are sorted by has it. */
function placedIn(rows: readonly Row[] = []): (row: Row) => number {
  const momentIn = (name: string) => (row: Row) => readTimestamp(row[name])?.ms ?? Number.NaN;
  const isSortedBy = (name: string) =>
    rows.map(momentIn(name)).every((ms, at, all) => ms <= (all[at - 1] ?? ms));
  const placed = firstColumns(rows).find(isSortedBy);
  return placed === undefined ? () => Number.NaN : momentIn(placed);
}

function stampOf({ date_updated: stamp }: Row): string {
  return typeof stamp === 'string' ? stamp : '';
}
