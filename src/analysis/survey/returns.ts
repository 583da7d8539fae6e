/** Whether product sales are less returns, decided turnover group by turnover group from a report of the same days. */
import { addDays } from '../../core/calendar.ts';
import { groupBy, toNumber } from '../../core/json.ts';
import { isNumeric, plain, sum } from '../../core/money.ts';
import { type Fact, readFacts } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { LookAt, LookReading } from './shape.ts';

const sales = 'get_product_sales';
const report = 'get_financial_report';

/** A report or a row can have any number of figures: as many are compared. */
const maxFacts = 5000;
const maxColumns = 100;

/** Days that are looked at where the sales of a week are more than one page. */
const maxDays = 4;

/** Compares last week; where its sales are more than one page, its days from Saturday back that had returns. */
export async function findReturns(look: LookAt) {
  const [week, products] = await Promise.all([look(report), look(sales)]);
  if (isComplete(products) || !week.period) return compareReturns(week, products);
  for (let back = 1; back <= maxDays; back++) {
    const day = addDays(week.period.to, -back);
    const days = { from: day, to: day };
    const ofDay = await look(report, days);
    const found = hasReturns(factsOf(ofDay)) && compareReturns(ofDay, await look(sales, days));
    if (found) return { ...found, day };
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
 * Compares each column of product sales with each measure of turnover groups that adds up to the report's turnover or
 * sales. Groups without products, such as shipping, are in the report alone and do not count.
 */
function compareReturns(ofDays: LookReading, products: LookReading) {
  const facts = factsOf(ofDays);
  const { rows = [] } = products;
  if (rows.length === 0 || !isComplete(products) || !hasReturns(facts)) return undefined;
  const totals = facts.filter(({ measure }) => measure.startsWith('revenue.total_'));
  const measures = measuresOfGroups(facts, totals);
  const candidates = sumColumns(rows).flatMap(({ column, sums }) =>
    measures.map(({ measure, total, values }) => {
      const above = [...sums].map(([group, value]) => value.minus(values.get(group) ?? 0));
      return { column, measure, total, above };
    }),
  );
  const totalNamed = (name: string) => totals.find(({ measure }) => measure === name)?.value.abs();
  const found =
    candidates.find(({ above }) => above.every((value) => value.isZero())) ??
    candidates.find(({ total, above }) => {
      const surplus = above.reduce((a, b) => a.plus(b));
      // Differences alone would be another reason; returns of shipping are of no product.
      return (
        total.includes('turnover') &&
        above.every((value) => value.gte(0)) &&
        above.some((value) => value.isZero()) &&
        surplus.lte(totalNamed(total.replace('turnover', 'returns')) ?? 0) &&
        surplus.gt(totalNamed(total.replace('turnover', 'differences')) ?? 0)
      );
    });
  if (found === undefined) return undefined;
  const { column, measure, total, above } = found;
  const groupsAbove = above.filter((value) => !value.isZero()).length;
  const isOff = total.includes('turnover') && groupsAbove === 0;
  return { value: isOff ? ('off' as const) : ('not_off' as const), column, measure, groupsAbove };
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
      sums: new Map(groups.map(([id, some]) => [id, sum(some.map((row) => row[column]))])),
    }));
}

/** Measures by turnover group that add up to a total of the report, and to which. */
function measuresOfGroups(facts: readonly Fact[], totals: readonly Fact[]) {
  const ofGroups = facts.filter(({ ids }) => 'product_group_id' in ids);
  return [...groupBy(ofGroups, ({ measure }) => measure)].flatMap(([measure, some]) => {
    const groups = [...groupBy(some, ({ ids }) => groupOf(ids))];
    const values = new Map(groups.map(([id, ofGroup]) => [id, sumOf(ofGroup)]));
    const added = sumOf(some);
    const total = totals.find(
      (fact) => /total_(turnover|sales)/.test(fact.measure) && fact.value.equals(added),
    );
    return total ? { measure, total: total.measure, values } : [];
  });
}

function groupOf({ product_group_id: id }: { product_group_id?: unknown }): string {
  return String(id);
}

function sumOf(facts: readonly Fact[]) {
  return sum(facts.map(({ value }) => plain(value)));
}
