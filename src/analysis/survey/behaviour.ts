/** What the platform's document leaves open about how an account behaves, decided from rows that were looked at. */
import { z } from 'zod';
import { readTimestamp } from '../../core/calendar.ts';
import { groupBy, toNumber } from '../../core/json.ts';
import type { Toolset } from '../../endpoints/define.ts';
import type { Row } from '../rows/rows.ts';
import type { LookAt, LookReading } from './found.ts';
import { findReturns, firstColumns } from './returns.ts';

const count = z.int();

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
  get_product_sales: 'product_sales_returns',
  search_customers: 'walk_in_customer',
};

const orders = 'list_orders';
const isInternal = { is_internal: true };

export const behaviours: { readonly [Name in BehaviourName]: Behaviour<Name> } = {
  internal_orders: {
    toolsets: ['orders'],
    async find(look) {
      const [all, internals] = await Promise.all([look(orders), look(orders, isInternal)]);
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

/** Tells the moment at which an order of a list was placed: the column that orders are sorted by has it. */
function placedIn(rows: readonly Row[] = []): (row: Row) => number {
  const momentIn = (name: string) => (row: Row) => readTimestamp(row[name])?.ms ?? Number.NaN;
  const isSortedBy = (name: string) =>
    rows.map(momentIn(name)).every((ms, at, all) => ms <= (all[at - 1] ?? ms));
  const placed = firstColumns(rows).find(isSortedBy);
  return placed === undefined ? () => Number.NaN : momentIn(placed);
}
