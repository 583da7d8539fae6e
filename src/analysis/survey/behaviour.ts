/** What the platform's document leaves open about how an account behaves, decided from rows that were looked at. */
import { z } from 'zod';
import { amsterdamDay, readTimestamp } from '../../core/calendar.ts';
import { groupBy } from '../../core/group-by.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { plain, sum, toDecimal } from '../../core/money.ts';
import type { Answer } from '../answer.ts';
import type { Row } from '../rows/rows.ts';
import { type Fact, readFacts } from '../turnover/facts.ts';

/** One thing that the document leaves open. */
export interface Finding<Value> {
  /** Undefined where the look did not settle it, or could not be made. */
  value?: Value | undefined;
  /** A sentence with its evidence, or that it is open. */
  sentence: string;
}

/** What an account does where the document says nothing (docs/platform.md#what-is-not-documented). */
export interface Behaviour {
  /** Internal orders, where `is_internal` is not given; `none`: there were none to see it by. */
  internalOrders: Finding<'left_out' | 'included' | 'none'>;
  /** Whether product sales are less returns. */
  productSalesReturns: Finding<'off' | 'not_off'>;
  /** Whether the feed of changed orders holds internal ones. */
  changeFeedInternal: Finding<boolean>;
  /** The customer that orders without a customer are of, where there is such a one. */
  walkInCustomer: Finding<{ id: number }>;
  /** The day of the oldest order, `YYYY-MM-DD`. */
  firstDay: Finding<string>;
}

/** What one look read. */
export type Reading = Pick<Answer, 'payload' | 'rows'>;

/** A tool, and arguments beside those of its own look. */
type Wanted = readonly [tool: string, input?: JsonObject];

/** What has to be looked at, each after the ones before it, and what follows. */
interface Question<Name extends keyof Behaviour> {
  /** As another replica may have kept it. */
  schema: z.ZodType<Behaviour[Name]>;
  /** What is open, for a sentence. */
  open: string;
  looks: readonly (Wanted | ((before: readonly Reading[]) => Wanted | undefined))[];
  decide(readings: readonly Reading[]): Behaviour[Name] | undefined;
}

/** What the rows of a tool rest on. */
export const behaviourOf: Readonly<Record<string, keyof Behaviour>> = {
  list_orders: 'internalOrders',
  list_order_changes: 'changeFeedInternal',
  get_product_sales: 'productSalesReturns',
  search_customers: 'walkInCustomer',
};

function findingOf<Value>(value: z.ZodType<Value>): z.ZodType<Finding<Value>> {
  return z.object({ value: value.optional(), sentence: z.string() });
}

const orders = 'list_orders';
const internal: Wanted = [orders, { is_internal: true }];
const ever = { from: '2000-01-01', limit: 1 };
const none: Reading = { payload: {} };

export const questions: { readonly [Name in keyof Behaviour]: Question<Name> } = {
  internalOrders: {
    schema: findingOf(z.enum(['left_out', 'included', 'none'])),
    open: 'What the platform does with internal orders without is_internal',
    looks: [
      [orders],
      internal,
      // Where the rows do not tell, the counts do.
      (before) => (decideInternal(before) ? undefined : [orders, { is_internal: false, limit: 1 }]),
    ],
    decide: decideInternal,
  },
  productSalesReturns: {
    schema: findingOf(z.enum(['off', 'not_off'])),
    open: 'Whether product sales are less returns',
    looks: [['get_product_sales'], ['get_financial_report']],
    decide: ([sales, report]) => sales && report && decideReturns(sales, report.payload),
  },
  changeFeedInternal: {
    schema: findingOf(z.boolean()),
    open: 'Whether the feed of changed orders holds internal orders',
    looks: [['list_order_changes'], internal],
    decide([{ rows: changes = [] } = none, { rows: own = [] } = none]) {
      const ids = new Set(own.map(({ id }) => id));
      const held = changes.filter(({ id }) => ids.has(id)).length;
      if (held > 0)
        return { value: true, sentence: `The feed holds internal orders: ${held} seen.` };
      const stamps = changes.map(stampOf).filter((it) => it !== '');
      const isWithin = (stamp: string) =>
        stamp >= (stamps[0] ?? '9') && stamp <= (stamps.at(-1) ?? '');
      const missing = own.map(stampOf).filter(isWithin).length;
      if (missing === 0) return undefined;
      return {
        value: false,
        sentence: `The feed leaves internal orders out: ${missing} changed on its days.`,
      };
    },
  },
  walkInCustomer: {
    schema: findingOf(z.object({ id: z.int() })),
    open: 'Which customer stands for sales without one',
    looks: [[orders]],
    decide([{ rows = [] } = none]) {
      const known = rows.filter(({ relation_data_id: id }) => Number.isSafeInteger(id));
      const byId = groupBy(known, ({ relation_data_id: id }) => String(id));
      const [first, second] = [...byId].sort(([, a], [, b]) => b.length - a.length);
      // One of many customers by chance has no such share.
      const isClear =
        first && first[1].length >= 20 && first[1].length >= 5 * (second?.[1].length ?? 0);
      if (!isClear) return undefined;
      const [id, own] = first;
      const said = `Customer ${id} is that of sales without a customer: ${own.length} of ${rows.length} orders.`;
      return { value: { id: Number(id) }, sentence: said };
    },
  },
  firstDay: {
    schema: findingOf(z.iso.date()),
    open: 'The first day with orders',
    looks: [
      [orders, ever],
      ([all]) => [orders, { ...ever, start: Math.max(0, numberIn(all?.payload.total) - 1) }],
    ],
    decide([, oldest]) {
      const row = oldest?.rows?.[0] ?? {};
      // The field is not documented; no other moment of an order is before the one it was placed at.
      const moments = Object.values(row).flatMap((value) => readTimestamp(value)?.ms ?? []);
      if (moments.length === 0) return undefined;
      const value = amsterdamDay(Math.min(...moments));
      return { value, sentence: `The first day with orders is ${value}.` };
    },
  },
};

/** Internal orders are in the list, or missing among those as new as its last row; else the counts tell. */
function decideInternal([all = none, own = none, others]: readonly Reading[]) {
  const [total, count] = [all, own].map(({ payload }) => numberIn(payload.total));
  const { rows = [] } = all;
  const ids = new Set(rows.map(({ id }) => id));
  const isHeld = own.rows?.some(({ id }) => ids.has(id));
  const placed = Object.keys(rows[0] ?? {}).find((name) => isDescending(rows.map(momentIn(name))));
  const last = placed === undefined ? Number.NaN : momentIn(placed)(rows.at(-1) ?? {});
  const isMissing = own.rows?.some((row) => placed !== undefined && momentIn(placed)(row) > last);
  const without = others && numberIn(others.payload.total);
  const said = (value: 'left_out' | 'included', does: string): Behaviour['internalOrders'] => ({
    value,
    sentence: `Without is_internal the platform ${does}: ${count} in the last 30 days.`,
  });
  if (count === 0)
    return {
      value: 'none' as const,
      sentence:
        'Without is_internal the platform decides: the last 30 days had no internal orders.',
    };
  if (isHeld || total === Number(without) + Number(count))
    return said('included', 'counts internal orders in');
  const isOut = isMissing || rows.length === total || total === without;
  return isOut ? said('left_out', 'leaves internal orders out') : undefined;
}

function momentIn(column: string): (row: Row) => number {
  return (row) => readTimestamp(row[column])?.ms ?? Number.NaN;
}

/** Whether it is the column that a list is sorted by, the newest first. */
function isDescending(moments: readonly number[]): boolean {
  return moments.every((ms, at) => ms <= (moments[at - 1] ?? ms));
}

function stampOf({ date_updated: stamp }: Row): string {
  return typeof stamp === 'string' ? stamp : '';
}

/**
 * Product sales are less returns where a column of theirs adds up to the report's turnover, in total or group by
 * group; they are not where it adds up to its sales. Which column that is, the sums tell.
 */
function decideReturns(
  { rows = [], payload }: Reading,
  report: JsonObject,
): Behaviour['productSalesReturns'] | undefined {
  const facts = readFacts(report);
  const isOfReturns = ({ measure, value }: Fact) =>
    measure.startsWith('revenue.total_returns') && !value.isZero();
  if (numberIn(payload.total) > rows.length || !facts.some(isOfReturns)) return undefined;
  const totals = facts.filter(({ measure }) => /^revenue\.total_(turnover|sales)/.test(measure));
  const ofGroups = facts.filter(({ split }) => split === 'turnover_group');
  const groups = groupBy(rows, ({ product_group_id: id }) => String(id));
  const columns = Object.keys(rows[0] ?? {}).filter((name) => toDecimal(rows[0]?.[name]));
  const sumOf = (column: string, own: readonly Row[] = rows) => sum(own.map((row) => row[column]));
  const said = (column: string, to: string, isOff: boolean): Behaviour['productSalesReturns'] => ({
    value: isOff ? 'off' : 'not_off',
    sentence: `Product sales are ${isOff ? 'less' : 'before'} returns: last week ${column} adds up to ${to}.`,
  });
  for (const column of columns) {
    const total = totals.find(({ value }) => value.eq(sumOf(column)));
    if (total) return said(column, total.measure, total.measure.includes('turnover'));
    // What is no product's, such as shipping, is turnover too: then the groups of products tell.
    const isOfGroup = (id: string, own: readonly Row[]) => (fact: Fact) =>
      String(fact.ids.product_group_id) === id && fact.value.eq(sumOf(column, own));
    const found = [...groups].map(([id, own]) => ofGroups.find(isOfGroup(id, own))?.measure);
    const [measure] = found;
    const isEach = measure !== undefined && found.every((it) => it === measure);
    const all = sum(
      ofGroups.filter((it) => it.measure === measure).map(({ value }) => plain(value)),
    );
    const whole = totals.find(({ value }) => value.eq(all))?.measure;
    if (isEach && whole)
      return said(column, `${measure} of each group`, whole.includes('turnover'));
  }
  return undefined;
}
