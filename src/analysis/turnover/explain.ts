/** Where a difference of turnover comes from: parts that add up to it to the cent (docs/answers.md#explain). */
import type { Days } from '../../core/calendar.ts';
import { groupBy } from '../../core/json.ts';
import { type Decimal, plain, sayAmount, zero } from '../../core/money.ts';
import { sayDays } from '../../core/periods.ts';
import type { Fact } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { FilledSpan } from './compare.ts';
import { middlePeriod, standingOf } from './earlier-periods.ts';
import { orderCount, turnoverWithVat } from './measures.ts';
import type { Question } from './question.ts';
import { countOrders, namesFor, ordersToCount, type Readings } from './readings.ts';

/** The parts of a difference as rows, and what is said about them. */
export type Explanation = Awaited<ReturnType<typeof explainTurnover>>;

/** Splits the difference of a span against its reference, or against the earlier period in the middle. */
export async function explainTurnover(
  question: Question,
  readings: Readings,
  { period, reference, counted }: FilledSpan,
) {
  const factsOf = (days: Days) => readings.on(days).reports.flatMap(({ facts }) => facts);
  const totals = counted.map((days) => ({ days, value: totalOf(factsOf(days)) ?? zero }));
  const inTheMiddle = reference ? undefined : middlePeriod(totals);
  const against = reference ?? inTheMiddle?.days;
  if (!against) return unexplained('there is no earlier period with trade to hold it against');
  const counts = ordersToCount(question, 'total', readings.location?.id);
  const sideOf = async (days: Days) => {
    const { figures, calls } = await countOrders(question, await counts, days);
    return { facts: factsOf(days), orders: figures[0]?.value, calls };
  };
  const [now, then, shop, turnover_group] = await Promise.all([
    sideOf(period),
    sideOf(against),
    namesFor(question, 'shop'),
    namesFor(question, 'turnover_group'),
  ]);
  const found = explainDifference(now, then, { shop, turnover_group });
  if (!found) return unexplained('the report has no turnover incl. VAT as a whole');
  const { rows, missing } = found;
  const days = { from: against.from, to: against.to };
  const values = totals.map(({ value }) => value);
  const median = standingOf(null, values)?.median ?? zero;
  const middle = inTheMiddle && {
    turnover: inTheMiddle.value,
    fromMedian: inTheMiddle.value.minus(median),
  };
  return {
    rows,
    summary: [sayExplained(days, middle, found), ...missing],
    calls: now.calls + then.calls,
    middle: middle && {
      ...days,
      turnover: plain(middle.turnover),
      from_median: plain(middle.fromMedian),
    },
  };
}

function unexplained(why: string) {
  return { rows: [], summary: [`Not explained: ${why}.`], calls: 0, middle: undefined };
}

/** The difference, where the earlier period stands among its like, and which parts hold most of it. */
export function sayExplained(
  against: Days,
  middle: Record<'turnover' | 'fromMedian', Decimal> | undefined,
  { difference, orders, largest }: NonNullable<ReturnType<typeof explainDifference>>,
): string {
  const where = middle
    ? `, in the middle of these periods (${sayAmount(middle.turnover)}, ${signed(middle.fromMedian)} from the median)`
    : '';
  const parts = [
    orders && sayOrders(orders),
    largest && `${largest.part} alone ${signed(largest.difference)}`,
  ].filter(Boolean);
  const listed = parts.length > 0 ? `: ${parts.join('; ')}` : '';
  return `${signed(difference)} against ${sayDays(against)}${where}${listed}.`;
}

function sayOrders({ count, before, byNumber, byValue }: OrderCounts): string {
  const compared = count.cmp(before);
  const counts = `(${plain(count)}${compared === 0 ? '' : ` for ${plain(before)}`})`;
  const more = `${['fewer', 'as many', 'more'][compared + 1]} orders ${counts}`;
  const higher = `${['lower', 'the same', 'higher'][byValue.cmp(zero) + 1]} value per order`;
  const isShared = !byNumber.isZero() && !byValue.isZero() && byNumber.s === byValue.s;
  return isShared
    ? `${sayAmount(byNumber.abs())} of it ${more}, ${sayAmount(byValue.abs())} ${higher}`
    : `${more} ${signed(byNumber)}, ${higher} ${signed(byValue)}`;
}

/** With its sign; a zero has none. */
function signed(value: Decimal): string {
  return `${value.gt(0) ? '+' : ''}${sayAmount(value)}`;
}

interface ExplainedSide {
  facts: readonly Fact[];
  orders?: Decimal | undefined;
}

const splits = ['shop', 'turnover_group'] as const;

type Split = (typeof splits)[number];

const maxParts = 8;

interface Part {
  part: string;
  id?: number;
  current: Decimal;
  reference: Decimal;
  difference: Decimal;
  /** It is in one of the two reports only. */
  mark?: 'new' | 'gone';
}

function partOf(part: string, current: Decimal, reference: Decimal): Part {
  return { part, current, reference, difference: current.minus(reference) };
}

/**
 * The difference of turnover incl. VAT between two reports: rows of parts, which add up to it in each view, the
 * largest of them and the views that are missing. Undefined without such turnover.
 * @param names by id, for each split
 */
export function explainDifference(
  now: ExplainedSide,
  then: ExplainedSide,
  names: Readonly<Record<Split, ReadonlyMap<number, string>>>,
) {
  const [current, reference] = [totalOf(now.facts), totalOf(then.facts)];
  if (!current || !reference) return undefined;
  const whole = partOf('total', current, reference);
  const orders = splitByOrders(whole, now.orders, then.orders);
  const views = splits.map((split) => {
    return { split, parts: partsOf(split, now.facts, then.facts, names[split]) };
  });
  // One part alone is the whole.
  const [largest] = views
    .filter(({ parts }) => parts.length > 1 && !whole.difference.isZero())
    .flatMap(({ parts }) => parts.find((it) => it.difference.s === whole.difference.s) ?? []);
  const why =
    now.orders && then.orders
      ? 'the reference has none'
      : 'counting orders needs the toolset orders';
  const without = views.filter(({ parts }) => parts.length === 0);
  const missing = [
    ...(orders ? [] : [`No view of orders and value per order: ${why}.`]),
    ...without.map(({ split }) => {
      const noun = split.replace('_', ' ');
      return `No view by ${noun}: the report has no turnover of a ${noun}.`;
    }),
  ];
  const ofSplits = views.flatMap(({ split, parts }) =>
    shownParts(split, whole, parts).map((part) => rowOf(split, part)),
  );
  return {
    difference: whole.difference,
    orders: orders?.counts,
    largest,
    rows: [...(orders?.rows ?? []), ...ofSplits],
    missing,
  };
}

function totalOf(facts: readonly Fact[]): Decimal | undefined {
  return turnoverOf(facts.filter(({ split }) => split === 'total'))[0]?.value;
}

/** The facts that mean turnover incl. VAT; none where no measure does, or more than one. */
function turnoverOf(facts: readonly Fact[]): Fact[] {
  const measure = turnoverWithVat(facts.map((fact) => fact.measure));
  return facts.filter((fact) => fact.measure === measure);
}

type OrderCounts = Record<'count' | 'before' | 'byNumber' | 'byValue', Decimal>;

/** What the change in number is worth at the old value of an order, and what the change in value is: the rest. */
function splitByOrders(whole: Part, now: Decimal | undefined, then: Decimal | undefined) {
  if (!now || !then || then.isZero()) return undefined;
  const byNumber = now.minus(then).times(whole.reference).div(then).toDecimalPlaces(2);
  const byValue = whole.difference.minus(byNumber);
  const perOrder = (turnover: Decimal, orders: Decimal) =>
    plain(turnover.div(orders).toDecimalPlaces(2));
  const view = 'orders_and_value';
  const average: Row = {
    view,
    part: 'average_order_value_wt',
    ...(!now.isZero() && { current: perOrder(whole.current, now) }),
    reference: perOrder(whole.reference, then),
    difference: plain(byValue),
  };
  return {
    rows: [rowOf(view, { ...partOf(orderCount, now, then), difference: byNumber }), average],
    counts: { count: now, before: then, byNumber, byValue },
  };
}

function partsOf(
  split: Split,
  now: readonly Fact[],
  then: readonly Fact[],
  names: ReadonlyMap<number, string>,
): Part[] {
  const found = turnoverOf([...now, ...then].filter((fact) => fact.split === split));
  const parts = [...groupBy(found, ({ ids }) => String(Object.values(ids)[0]))].flatMap(
    ([key, facts]): Part[] => {
      const id = Number(key);
      // What belongs to none is in the rest.
      if (Number.isNaN(id)) return [];
      const [current, reference] = [now, then].map((it) => facts.find((fact) => it.includes(fact)));
      const name = names.get(id) ?? facts[0].name ?? key;
      const part = partOf(name, current?.value ?? zero, reference?.value ?? zero);
      return [{ ...part, id, ...(facts.length < 2 && { mark: current ? 'new' : 'gone' }) }];
    },
  );
  return parts.toSorted((a, b) => b.difference.abs().cmp(a.difference.abs()));
}

function shownParts(split: Split, whole: Part, parts: readonly Part[]): Part[] {
  if (parts.length === 0) return [];
  const isThere = ({ current, reference }: Part) => !current.isZero() || !reference.isZero();
  const total = (some: readonly Part[], side: 'current' | 'reference') =>
    some.reduce((sum, part) => sum.plus(part[side]), zero);
  const less = (side: 'current' | 'reference') => whole[side].minus(total(parts, side));
  const shown = parts.filter(isThere);
  const small = shown.slice(maxParts);
  const rest = [
    partOf('others', total(small, 'current'), total(small, 'reference')),
    partOf(`no ${split.replace('_', ' ')}`, less('current'), less('reference')),
  ];
  return [...shown.slice(0, maxParts), ...rest.filter(isThere)];
}

function rowOf(view: string, { current, reference, difference, mark, ...part }: Part): Row {
  const figures = { current: plain(current), reference: plain(reference) };
  return { view, ...part, ...figures, difference: plain(difference), ...(mark && { mark }) };
}
