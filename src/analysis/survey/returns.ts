/** Whether product sales are less returns, decided from the sums of a report and of product sales. */
import { addDays } from '../../core/calendar.ts';
import { groupBy, toNumber } from '../../core/json.ts';
import { type Decimal, isNumeric, plain, sum } from '../../core/money.ts';
import { type Fact, readFacts } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { LookAt, LookReading } from './found.ts';

const sales = 'get_product_sales';
const report = 'get_financial_report';

const maxFacts = 5000;

/** Days that are looked at where the sales of a week are more than one page. */
const maxDays = 4;

/** By last week; after it by its days from Saturday back on which something came back. */
export async function findReturns(look: LookAt) {
  const [week, ofWeek] = await Promise.all([look(report), look(sales)]);
  const found = compareReturns(week, ofWeek);
  if (found || isWhole(ofWeek) || !week.period) return found;
  for (let back = 1; back <= maxDays; back++) {
    const day = addDays(week.period.to, -back);
    const days = { from: day, to: day };
    const ofDay = await look(report, days);
    const onDay = hasReturns(ofDay) && compareReturns(ofDay, await look(sales, days));
    if (onDay) return { ...onDay, day };
  }
  return undefined;
}

/** What the sums tell, where there were returns and all products were read. */
function compareReturns(ofDays: LookReading, products: LookReading) {
  const isTelling = isWhole(products) && hasReturns(ofDays);
  return isTelling ? matchSums(products.rows ?? [], factsOf(ofDays)) : undefined;
}

function isWhole({ rows = [], payload }: LookReading): boolean {
  return !(toNumber(payload.total) > rows.length);
}

function factsOf({ payload }: LookReading): readonly Fact[] {
  return readFacts(payload).slice(0, maxFacts);
}

function hasReturns(reading: LookReading): boolean {
  return factsOf(reading).some(
    ({ measure, value }) => measure.startsWith('revenue.total_returns') && !value.isZero(),
  );
}

/**
 * Product sales are less returns where a column of theirs adds up to the report's turnover, in total or group by
 * group; they are not where it adds up to its sales. Which column that is, the sums tell, each computed once.
 */
function matchSums(rows: readonly Row[], facts: readonly Fact[]) {
  const totals = facts.filter(({ measure }) => /^revenue\.total_(turnover|sales)/.test(measure));
  const totalsBySum = groupBy(totals, ({ value }) => String(plain(value)));
  const totalOf = (value: Decimal) => totalsBySum.get(String(plain(value)))?.[0].measure;
  const ofGroups = facts.filter(({ split }) => split === 'turnover_group');
  const keyOf = (group: unknown, value: Decimal) => `${group} ${plain(value)}`;
  const byGroupAndSum = groupBy(ofGroups, ({ ids, value }) => keyOf(ids.product_group_id, value));
  const byMeasure = groupBy(ofGroups, ({ measure }) => measure);
  const groups = groupBy(rows, ({ product_group_id: id }) => String(id));
  for (const column of firstColumns(rows).filter((name) => isNumeric(rows[0]?.[name]))) {
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
    const value = measure.includes('turnover') ? ('off' as const) : ('not_off' as const);
    return { value, column, measure: inTotal ?? first, isPerGroup: inTotal === undefined };
  }
  return undefined;
}

/** The first columns of a list: a row can have any number, and each is compared. */
export function firstColumns([first = {}]: readonly Row[]): string[] {
  return Object.keys(first).slice(0, 100);
}
