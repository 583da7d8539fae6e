/** What the platform's document leaves open about how an account behaves, decided from rows that were looked at. */
import { z } from 'zod';
import { amsterdamDay, readTimestamp } from '../../core/calendar.ts';
import { groupBy } from '../../core/group-by.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { type Decimal, isNumeric, plain, sum } from '../../core/money.ts';
import { quoted } from '../../core/text.ts';
import type { Toolset } from '../../endpoints/define.ts';
import type { Answer } from '../answer.ts';
import { type Fact, readFacts } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';

/** What looks say about one thing that the document leaves open. */
export interface BehaviourFinding {
  /** Undefined where the looks did not settle it, or could not be made. */
  value?: string | number | boolean | undefined;
  /** A sentence with its evidence, or that it is open. */
  sentence: string;
}

/** As another replica may have kept it. */
export const behaviourFindingSchema: z.ZodType<BehaviourFinding> = z.object({
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  sentence: z.string(),
});

/** What one look read. */
export type LookReading = Pick<Answer, 'payload' | 'rows'>;

/** A tool to look at, and arguments beside those of its usual look. */
type Look = readonly [tool: string, input?: JsonObject];

/** What has to be looked at, each after the ones before it, and what follows. */
interface Question {
  /** Who sees all of these may know what was found: the evidence is of their rows. */
  toolsets: readonly Toolset[];
  /** The subject of sentences about it. */
  open: string;
  looks: readonly (Look | ((before: readonly LookReading[]) => Look | undefined))[];
  decide(readings: readonly LookReading[]): BehaviourFinding | undefined;
}

/** What an account does where the document says nothing (docs/platform.md#what-is-not-documented). */
export type BehaviourName =
  | 'internalOrders'
  | 'productSalesReturns'
  | 'changeFeedInternal'
  | 'reportedInternal'
  | 'walkInCustomer'
  | 'firstDay';

/** What the rows of a tool rest on. */
export const behaviourOf: Readonly<Record<string, BehaviourName>> = {
  list_orders: 'internalOrders',
  list_order_changes: 'changeFeedInternal',
  get_daily_close: 'reportedInternal',
  get_product_sales: 'productSalesReturns',
  search_customers: 'walkInCustomer',
};

const orders = 'list_orders';
const internal: Look = [orders, { is_internal: true }];
const ever = { from: '2000-01-01', limit: 1 };
const none: LookReading = { payload: {} };

/** Characters of a name of the platform's in a sentence. */
const maxNameLength = 64;

export const questions: Readonly<Record<BehaviourName, Question>> = {
  /** `left_out`, `included`, or `none` where there were none to see it by. */
  internalOrders: {
    toolsets: ['orders'],
    open: 'What the platform does with internal orders without is_internal',
    looks: [
      [orders],
      internal,
      // Where the rows do not tell, the counts do.
      (before) => (decideInternal(before) ? undefined : [orders, { is_internal: false, limit: 1 }]),
    ],
    decide: decideInternal,
  },
  /** `off` or `not_off`. */
  productSalesReturns: {
    toolsets: ['reports'],
    open: 'Whether product sales are less returns',
    looks: [['get_product_sales'], ['get_financial_report']],
    decide: ([sales, report]) => sales && report && decideReturns(sales, report.payload),
  },
  /** Whether the feed holds them. */
  changeFeedInternal: {
    toolsets: ['orders'],
    open: 'Whether the feed of changed orders holds internal orders',
    looks: [['list_order_changes'], internal],
    decide([{ rows: changes = [] } = none, { rows: internals = [] } = none]) {
      const ids = new Set(internals.map(({ id }) => id));
      const held = changes.filter(({ id }) => ids.has(id)).length;
      if (held > 0)
        return { value: true, sentence: `The feed holds internal orders: ${held} seen.` };
      const stamps = changes.map(stampOf).filter((it) => it !== '');
      const isWithin = (stamp: string) =>
        stamp >= (stamps[0] ?? '9') && stamp <= (stamps.at(-1) ?? '');
      const missing = internals.map(stampOf).filter(isWithin).length;
      if (missing === 0) return undefined;
      return {
        value: false,
        sentence: `The feed leaves internal orders out: ${missing} changed on its days.`,
      };
    },
  },
  /** `left_out` or `included`, in the count of a day's orders. */
  reportedInternal: {
    toolsets: ['orders', 'reports'],
    open: 'Whether turnover and order_count hold internal orders',
    looks: [
      [orders],
      internal,
      (before) => {
        const { day } = internalDay(before) ?? {};
        return day === undefined ? undefined : ['get_daily_close', { date: day }];
      },
    ],
    decide(readings) {
      const { day, others, internals } = internalDay(readings) ?? {};
      const facts = readFacts(readings[2]?.payload ?? {}).filter(({ split }) => split === 'total');
      const count = facts.find(({ measure }) => /(^|\.)order_count$/.test(measure));
      const isOut = count?.value.eq(others ?? Number.NaN);
      if (!isOut && !count?.value.eq((others ?? Number.NaN) + (internals ?? 0))) return undefined;
      return {
        value: isOut ? 'left_out' : 'included',
        sentence: `Reports ${isOut ? 'leave internal orders out' : 'count internal orders in'}: order_count of ${day} is ${count?.value}, the list has ${others} and ${internals} internal ones.`,
      };
    },
  },
  /** The id of the customer. */
  walkInCustomer: {
    toolsets: ['orders', 'customers'],
    open: 'Which customer stands for sales without one',
    looks: [[orders]],
    decide([{ rows = [] } = none]) {
      const known = rows.filter(({ relation_data_id: id }) => Number.isSafeInteger(id));
      const byId = groupBy(known, ({ relation_data_id: id }) => String(id));
      const [first, second] = [...byId].sort(([, a], [, b]) => b.length - a.length);
      // No customer among others orders so often by chance.
      const isClear =
        first && first[1].length >= 20 && first[1].length >= 5 * (second?.[1].length ?? 0);
      if (!isClear) return undefined;
      const [id, { length }] = first;
      const sentence = `Customer ${id} is that of sales without a customer: ${length} of ${rows.length} orders.`;
      return { value: Number(id), sentence };
    },
  },
  /** The day of the oldest order, `YYYY-MM-DD`. */
  firstDay: {
    toolsets: ['orders'],
    open: 'The first day with orders',
    looks: [
      [orders, ever],
      ([all]) => [orders, { ...ever, start: Math.max(0, toNumber(all?.payload.total) - 1) }],
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
function decideInternal([all = none, internals = none, others]: readonly LookReading[]):
  | BehaviourFinding
  | undefined {
  const [total, count] = [all, internals].map(({ payload }) => toNumber(payload.total));
  if (count === 0)
    return {
      value: 'none',
      sentence:
        'Without is_internal the platform decides: the last 30 days had no internal orders.',
    };
  const { rows = [] } = all;
  const ids = new Set(rows.map(({ id }) => id));
  const placed = placedIn(rows);
  const momentOf = placed === undefined ? () => Number.NaN : momentIn(placed);
  const last = momentOf(rows.at(-1) ?? {});
  const without = others && toNumber(others.payload.total);
  const isHeld =
    internals.rows?.some(({ id }) => ids.has(id)) || total === Number(without) + Number(count);
  const isOut =
    rows.length === total ||
    total === without ||
    internals.rows?.some((row) => momentOf(row) > last);
  if (!isHeld && !isOut) return undefined;
  const does = isHeld ? 'counts internal orders in' : 'leaves internal orders out';
  return {
    value: isHeld ? 'included' : 'left_out',
    sentence: `Without is_internal the platform ${does}: ${count} in the last 30 days.`,
  };
}

/** The newest day that is over, of which both lists were read whole and that has internal orders, with their counts. */
function internalDay([all = none, internal = none]: readonly LookReading[]) {
  const placed = placedIn(all.rows ?? []);
  if (placed === undefined) return undefined;
  const dayOf = (row: Row) => {
    const ms = momentIn(placed)(row);
    return Number.isNaN(ms) ? '' : amsterdamDay(ms);
  };
  const [days, internals] = [all, internal].map(({ rows = [] }) => groupBy(rows, dayOf));
  const [today = '', ...over] = [...(days?.keys() ?? [])];
  // Of the last one more may lie on the next page, as of today they may be still to come.
  const day = over.slice(0, -1).find((it) => it !== today && internals?.has(it));
  if (day === undefined) return undefined;
  const ids = new Set(internals?.get(day)?.map(({ id }) => id));
  const others = days?.get(day)?.filter(({ id }) => !ids.has(id)).length ?? 0;
  return { day, others, internals: ids.size };
}

/** The column that a list of orders is sorted by: the moment they were placed at. */
function placedIn(rows: readonly Row[]): string | undefined {
  return columnsOf(rows).find((name) => isDescending(rows.map(momentIn(name))));
}

function momentIn(column: string): (row: Row) => number {
  return (row) => readTimestamp(row[column])?.ms ?? Number.NaN;
}

function isDescending(moments: readonly number[]): boolean {
  return moments.every((ms, at) => ms <= (moments[at - 1] ?? ms));
}

function stampOf({ date_updated: stamp }: Row): string {
  return typeof stamp === 'string' ? stamp : '';
}

/** The first columns of a list: a row can have any number, and each is compared. */
function columnsOf([first = {}]: readonly Row[]): string[] {
  return Object.keys(first).slice(0, 100);
}

const maxFacts = 5000;

/**
 * Product sales are less returns where a column of theirs adds up to the report's turnover, in total or group by
 * group; they are not where it adds up to its sales. Which column that is, the sums tell, each computed once.
 */
function decideReturns(
  { rows = [], payload }: LookReading,
  report: JsonObject,
): BehaviourFinding | undefined {
  const facts = readFacts(report).slice(0, maxFacts);
  const isOfReturns = ({ measure, value }: Fact) =>
    measure.startsWith('revenue.total_returns') && !value.isZero();
  if (toNumber(payload.total) > rows.length || !facts.some(isOfReturns)) return undefined;
  const totals = facts.filter(({ measure }) => /^revenue\.total_(turnover|sales)/.test(measure));
  const totalsBySum = groupBy(totals, ({ value }) => String(plain(value)));
  const totalOf = (value: Decimal) => totalsBySum.get(String(plain(value)))?.[0].measure;
  const ofGroups = facts.filter(({ split }) => split === 'turnover_group');
  const keyOf = (group: unknown, value: Decimal) => `${group} ${plain(value)}`;
  const byGroupAndSum = groupBy(ofGroups, ({ ids, value }) => keyOf(ids.product_group_id, value));
  const byMeasure = groupBy(ofGroups, ({ measure }) => measure);
  const groups = groupBy(rows, ({ product_group_id: id }) => String(id));
  for (const column of columnsOf(rows).filter((name) => isNumeric(rows[0]?.[name]))) {
    const sumOf = (some: readonly Row[]) => sum(some.map((row) => row[column]));
    // The total may hold turnover of no product, such as shipping: then the groups of products tell.
    const found = [...groups].map(
      ([group, products]) => byGroupAndSum.get(keyOf(group, sumOf(products)))?.[0].measure,
    );
    const first = found[0] ?? '';
    const isEach = first !== '' && found.every((measure) => measure === first);
    const ofFirst = byMeasure.get(first) ?? [];
    const inTotal = totalOf(sumOf(rows));
    const measure =
      inTotal ?? (isEach ? totalOf(sum(ofFirst.map((it) => plain(it.value)))) : undefined);
    if (measure === undefined) continue;
    const isOff = measure.includes('turnover');
    const to = quoted(inTotal ?? first, maxNameLength) + (inTotal ? '' : ' of each group');
    return {
      value: isOff ? 'off' : 'not_off',
      sentence: `Product sales are ${isOff ? 'less' : 'before'} returns (checked on last week: ${quoted(column, maxNameLength)} adds up to ${to}).`,
    };
  }
  return undefined;
}
