/** What the platform's document leaves open about how an account behaves, decided from rows that were looked at. */
import { z } from 'zod';
import { groupBy, toNumber } from '../../core/json.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { findReturns } from './returns.ts';
import type { LookAt } from './shape.ts';

const count = z.int();

/** What looks found of one thing that the document leaves open, with the evidence, as another replica may have kept it. */
export const behaviourFinding = z.discriminatedUnion('code', [
  /** What the platform does with internal orders without `is_internal`; `none`: there were none to see it by. */
  z.object({
    code: z.literal('internal_orders'),
    value: z.enum(['left_out', 'included', 'none']),
    count,
  }),
  /** Whether product sales are less returns: which of their columns was compared with which measure. */
  z.object({
    code: z.literal('product_sales_returns'),
    value: z.enum(['off', 'not_off']),
    column: z.string(),
    measure: z.string(),
    /** Turnover groups in which product sales are above the report, by what came back. */
    groupsAbove: count,
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

export const behaviours: { readonly [Name in BehaviourName]: Behaviour<Name> } = {
  internal_orders: {
    toolsets: ['orders'],
    async find(look) {
      const filters = [{}, { is_internal: true, limit: 1 }, { is_internal: false, limit: 1 }];
      const readings = await Promise.all(filters.map((filter) => look(orders, filter)));
      const [all, internals, others] = readings.map(({ payload }) => toNumber(payload.total));
      return decideInternal(all, internals, others);
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

/** The list without `is_internal` has as many orders as one of the lists with it, or as both together. */
function decideInternal(
  all = Number.NaN,
  count = Number.NaN,
  others = Number.NaN,
): FindingOf<'internal_orders'> | undefined {
  const code = 'internal_orders';
  if (count === 0) return { code, value: 'none', count };
  if (all === others) return { code, value: 'left_out', count };
  return all === others + count ? { code, value: 'included', count } : undefined;
}
