/** Decides from looks how an account behaves where the platform's document leaves it open. */
import { z } from 'zod';
import { addDays } from '../../core/calendar.ts';
import { groupBy, toNumber } from '../../core/json.ts';
import { type Decimal, isNumeric, plain, sum, zero } from '../../core/money.ts';
import { countNoun, quote, quoted } from '../../core/text.ts';
import type { Toolset } from '../../endpoints/define.ts';
import type { Fact } from '../answer.ts';
import { readFacts } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { BehaviourFinding, BehaviourName } from '../services.ts';
import type { LookAt, LookReading } from './look.ts';

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
      const text = `Customer ${id} stands for sales without a customer: ${count} of ${rows.length} orders.`;
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
  const finding = (value: string, fact: string) => {
    return { value, text: `${fact} in the last 30 days.` };
  };
  const subject = 'Without is_internal the platform';
  if (internals === 0) return finding('none', 'There were no internal orders');
  if (all === others)
    return finding('left_out', `${subject} leaves internal orders out: ${internals}`);
  if (all !== others + internals) return undefined;
  return finding('included', `${subject} counts internal orders in: ${internals}`);
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

// Whether product sales are less returns is found by comparing turnover groups with a report of the same days.

const sales = 'get_product_sales';
const report = 'get_financial_report';

/** Bounds for what is compared, since a report or a row can have any number of figures. */
const maxFacts = 5000;
const maxColumns = 100;

const maxName = 64;

const maxDays = 4;

/** Compares last week, or, where its sales are more than one page, single days with returns, from Saturday back. */
async function findReturns(look: LookAt) {
  const [week, products] = await Promise.all([look(report), look(sales)]);
  if (isComplete(products) || !week.period) return compareReturns(week, products, 'last week');
  for (let back = 1; back <= maxDays; back++) {
    const day = addDays(week.period.to, -back);
    const days = { from: day, to: day };
    const dayReport = await look(report, days);
    if (!hasReturns(factsOf(dayReport))) continue;
    const finding = compareReturns(dayReport, await look(sales, days), day);
    if (finding) return finding;
  }
  return undefined;
}

function isComplete({ rows = [], payload }: LookReading): boolean {
  return !(toNumber(payload.total) > rows.length);
}

function factsOf({ payload }: LookReading): readonly Fact[] {
  return readFacts(payload).slice(0, maxFacts);
}

function hasReturns(facts: readonly Fact[]): boolean {
  return facts.some(
    ({ measure, value }) => measure.startsWith('revenue.total_returns') && !value.isZero(),
  );
}

/**
 * Compares each column of product sales with each measure of turnover groups that adds up to the report's turnover.
 * Groups without products, such as shipping, are ignored.
 */
function compareReturns(reportReading: LookReading, products: LookReading, days: string) {
  const facts = factsOf(reportReading);
  const { rows = [] } = products;
  if (rows.length === 0 || !isComplete(products) || !hasReturns(facts)) return undefined;
  const measures = measuresOfGroups(facts);
  const candidates = sumColumns(rows).flatMap(({ column, sums }) =>
    measures.map(({ measure, values, ...totals }): Candidate => {
      const surpluses = sums.map(([group, value]) => value.minus(values.get(group) ?? 0));
      const above = surpluses.filter((value) => !value.isZero());
      return { column, measure, above, isPart: above.length < sums.length, ...totals };
    }),
  );
  const match =
    candidates.find(({ above }) => above.length === 0) ?? candidates.find(isAboveByReturns);
  if (match === undefined) return undefined;
  const { column, measure, above } = match;
  const isOff = above.length === 0;
  const compared = isOff
    ? `adds up to the report's ${quoted(measure, maxName)} in each turnover group`
    : `is above the report's ${quoted(measure, maxName)} in ${countNoun(above.length, 'turnover group')} by about what came back, and equals it in the others`;
  const text = `Product sales are ${isOff ? 'less' : 'before'} returns (checked on ${days}: ${quoted(column, maxName)} ${compared}).`;
  return { value: isOff ? 'off' : 'not_off', text };
}

interface Candidate {
  column: string;
  measure: string;
  /** By how much the column is above the measure in each turnover group where the two differ. */
  above: Decimal[];
  /** The two are equal in other groups. */
  isPart: boolean;
  returns: Decimal;
  differences: Decimal;
}

/**
 * Whether returns explain the surplus. It may be up to twice the returns, since returned shipping and discounts belong
 * to no product. A surplus within the report's differences would have another reason.
 */
function isAboveByReturns({ above, isPart, returns, differences }: Candidate) {
  const surplus = above.reduce((a, b) => a.plus(b), zero);
  const isOfReturns = surplus.lte(returns.times(2)) && surplus.gt(differences);
  return isPart && isOfReturns && above.every((value) => value.gt(0));
}

/** Each column of numbers with its sum in each turnover group. */
function sumColumns(rows: readonly Row[]) {
  const groups = [...groupBy(rows, groupOf)];
  const [first = {}] = rows;
  const columns = Object.keys(first).slice(0, maxColumns);
  return columns
    .filter((name) => isNumeric(first[name]))
    .map((column) => ({
      column,
      sums: groups.map(([id, group]) => [id, sum(group.map((row) => row[column]))] as const),
    }));
}

/** Measures by turnover group that add up to the report's turnover, with its returns and differences. */
function measuresOfGroups(facts: readonly Fact[]) {
  const totals = facts.filter(({ measure }) => /^revenue\.total_/.test(measure));
  // A group's own figures come before those of its shops.
  const groupFacts = facts
    .filter(({ ids }) => 'product_group_id' in ids)
    .toSorted((a, b) => a.split.length - b.split.length);
  return [...groupBy(groupFacts, ({ measure }) => measure)].flatMap(([measure, sameMeasure]) => {
    const added = sumOf(sameMeasure);
    const total = totals.find(
      (fact) => fact.measure.includes('total_turnover') && fact.value.equals(added),
    )?.measure;
    if (total === undefined) return [];
    const groups = [...groupBy(sameMeasure, ({ ids }) => groupOf(ids))];
    const values = new Map(groups.map(([id, group]) => [id, sumOf(group)]));
    const other = (word: string) => {
      const name = total.replace('turnover', word);
      return totals.find((fact) => fact.measure === name)?.value.abs() ?? zero;
    };
    return { measure, values, returns: other('returns'), differences: other('differences') };
  });
}

function groupOf({ product_group_id: id }: { product_group_id?: unknown }): string {
  return String(id);
}

function sumOf(facts: readonly Fact[]) {
  return sum(facts.map(({ value }) => plain(value)));
}
