/** Decides from looks how an account behaves where the platform's document leaves it open. */
import { z } from 'zod';
import { groupBy, toNumber } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { Toolset } from '../../endpoints/define.ts';
import type { BehaviourFinding, BehaviourName } from '../services.ts';
import type { LookAt } from './look.ts';
import { findReturns } from './returns.ts';

/** Reads a finding that another process remembered. */
export const behaviourFinding: z.ZodType<BehaviourFinding> = z.object({
  value: z.union([z.string(), z.int()]),
  text: z.string().regex(/^.{1,500}$/),
});

interface Behaviour {
  /** Only callers with all of these are told, since the evidence comes from their rows. */
  toolsets: readonly Toolset[];
  /** Begins the sentence for an open behaviour. */
  subject: string;
  /** Undefined where the looks do not tell. */
  find(look: LookAt): Promise<BehaviourFinding | undefined>;
}

/** The behaviour that decides the rows of a tool. */
export const behaviourOf: Readonly<Record<string, BehaviourName>> = {
  list_orders: 'internal_orders',
  get_product_sales: 'product_sales_returns',
  search_customers: 'walk_in_customer',
};

const orders = 'list_orders';

export const behaviours: Readonly<Record<BehaviourName, Behaviour>> = {
  internal_orders: {
    toolsets: ['orders'],
    subject: 'What the platform does with internal orders without is_internal',
    async find(look) {
      const filters = [{}, { is_internal: true, limit: 1 }, { is_internal: false, limit: 1 }];
      const readings = await Promise.all(filters.map((filter) => look(orders, filter)));
      const [all, internals, others] = readings.map(({ payload }) => toNumber(payload.total));
      return decideInternal(all, internals, others);
    },
  },
  product_sales_returns: {
    toolsets: ['reports'],
    subject: 'Whether product sales are less returns',
    find: findReturns,
  },
  walk_in_customer: {
    toolsets: ['orders', 'customers'],
    subject: 'Which customer stands for sales without one',
    async find(look) {
      const { rows = [] } = await look(orders);
      const withCustomer = rows.filter(({ relation_data_id: id }) => Number.isSafeInteger(id));
      const byId = groupBy(withCustomer, ({ relation_data_id: id }) => String(id));
      const [first, second] = [...byId].sort(([, a], [, b]) => b.length - a.length);
      // A real customer does not order five times as often as any other.
      const [id, { length: count }] = first ?? ['', []];
      if (count < 20 || count < 5 * (second?.[1].length ?? 0)) return undefined;
      const text = `Customer ${id} is that of sales without a customer: ${count} of ${rows.length} orders.`;
      return { value: Number(id), text };
    },
  },
};

/** Compares the count of orders without `is_internal` with the counts of both values. */
function decideInternal(
  all = Number.NaN,
  internals = Number.NaN,
  others = Number.NaN,
): BehaviourFinding | undefined {
  const finding = (value: string, does: string) => {
    return { value, text: `Without is_internal the platform ${does} in the last 30 days.` };
  };
  if (internals === 0) return finding('none', 'decides: there were no internal orders');
  if (all === others) return finding('left_out', `leaves internal orders out: ${internals}`);
  if (all !== others + internals) return undefined;
  return finding('included', `counts internal orders in: ${internals}`);
}

/**
 * @param why `open` where the looks did not tell, or failed
 * @param failed why a look failed
 */
export function sayOpen(
  name: BehaviourName,
  why: 'not known yet' | 'open',
  failed?: string,
): string {
  const { subject } = behaviours[name];
  return `${subject} is ${why}${failed === undefined ? '.' : `: ${quote(failed, 160)}`}`;
}
