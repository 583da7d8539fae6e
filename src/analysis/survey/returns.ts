/** Whether product sales are less returns, decided turnover group by turnover group from a report of the same days. */
import { addDays } from '../../core/calendar.ts';
import { groupBy, toNumber } from '../../core/json.ts';
import { type Decimal, isNumeric, plain, sum, zero } from '../../core/money.ts';
import { countNoun, quoted } from '../../core/text.ts';
import type { Fact } from '../answer.ts';
import { readFacts } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { LookAt, LookReading } from './look.ts';

const sales = 'get_product_sales';
const report = 'get_financial_report';

/** A report or a row can have any number of figures: as many are compared. */
const maxFacts = 5000;
const maxColumns = 100;

const maxName = 64;

/** Days that are looked at where the sales of a week are more than one page. */
const maxDays = 4;

/** Compares last week; where its sales are more than one page, its days from Saturday back that had returns. */
export async function findReturns(look: LookAt) {
  const [week, products] = await Promise.all([look(report), look(sales)]);
  if (isComplete(products) || !week.period) return compareReturns(week, products, 'last week');
  for (let back = 1; back <= maxDays; back++) {
    const day = addDays(week.period.to, -back);
    const days = { from: day, to: day };
    const ofDay = await look(report, days);
    if (!hasReturns(factsOf(ofDay))) continue;
    const found = compareReturns(ofDay, await look(sales, days), day);
    if (found) return found;
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
 * Groups without products, such as shipping, are in the report alone and do not count.
 */
function compareReturns(ofDays: LookReading, products: LookReading, days: string) {
  const facts = factsOf(ofDays);
  const { rows = [] } = products;
  if (rows.length === 0 || !isComplete(products) || !hasReturns(facts)) return undefined;
  const measures = measuresOfGroups(facts);
  const candidates = sumColumns(rows).flatMap(({ column, sums }) =>
    measures.map(({ measure, values, ...totals }): Candidate => {
      const apart = sums.map(([group, value]) => value.minus(values.get(group) ?? 0));
      const above = apart.filter((value) => !value.isZero());
      return { column, measure, above, isPart: above.length < sums.length, ...totals };
    }),
  );
  const found =
    candidates.find(({ above }) => above.length === 0) ?? candidates.find(isAboveByReturns);
  if (found === undefined) return undefined;
  const { column, measure, above } = found;
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
 * By about as much as came back: shipping and discounts that came back are of no product. Differences alone would be
 * another reason, and so would discounts.
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
      sums: groups.map(([id, some]) => [id, sum(some.map((row) => row[column]))] as const),
    }));
}

/** Measures by turnover group that add up to the report's turnover, with its returns and differences. */
function measuresOfGroups(facts: readonly Fact[]) {
  const totals = facts.filter(({ measure }) => /^revenue\.total_/.test(measure));
  // A group's own figures are named before those of its shops.
  const ofGroups = facts
    .filter(({ ids }) => 'product_group_id' in ids)
    .toSorted((a, b) => a.split.length - b.split.length);
  return [...groupBy(ofGroups, ({ measure }) => measure)].flatMap(([measure, some]) => {
    const added = sumOf(some);
    const total = totals.find(
      (fact) => fact.measure.includes('total_turnover') && fact.value.equals(added),
    )?.measure;
    if (total === undefined) return [];
    const groups = [...groupBy(some, ({ ids }) => groupOf(ids))];
    const values = new Map(groups.map(([id, ofGroup]) => [id, sumOf(ofGroup)]));
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
