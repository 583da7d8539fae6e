/** Where a difference of turnover comes from: parts that add up to it to the cent (docs/answers.md#explain). */
import type { Days } from '../../core/calendar.ts';
import { groupBy } from '../../core/group-by.ts';
import { type Decimal, plain, sayAmount, zero } from '../../core/money.ts';
import { sayDays } from '../../core/periods.ts';
import type { Fact } from '../reference/facts.ts';
import type { Row } from '../rows/rows.ts';
import type { FilledSpan } from './cells.ts';
import { orderCount, turnoverWithVat } from './measures.ts';
import { countOrders, namesFor, type Question, type Readings } from './readings.ts';
import { middlePeriod, standingOf } from './standing.ts';

/**
 * The parts of the difference of a span against its reference, or the earlier period in the middle: their rows,
 * sentences about them, that period, and how many requests it took.
 */
export async function explainTurnover(
  question: Question,
  { of, location }: Readings,
  { period, reference, kept }: FilledSpan,
) {
  const none = (why: string) => {
    return { rows: [], summary: [`Not explained: ${why}.`], calls: 0, middle: undefined };
  };
  const factsOf = (days: Days) => of(days).reports.flatMap(({ facts }) => facts);
  const totals = kept.map((days) => ({ days, value: totalOf(factsOf(days)) ?? zero }));
  const middle = reference ? undefined : middlePeriod(totals);
  const against = reference ?? middle?.days;
  if (!against) return none('there is no earlier period with trade to hold it against');
  const [orders, ordersThen, shop, turnover_group] = await Promise.all([
    countOrders(question, 'total', location?.id, period),
    countOrders(question, 'total', location?.id, against),
    namesFor(question, 'shop'),
    namesFor(question, 'turnover_group'),
  ]);
  const sideOf = (days: Days, { figures }: typeof orders): ExplainedSide => {
    return { facts: factsOf(days), orders: figures[0]?.value };
  };
  const names = { shop, turnover_group };
  const found = explainDifference(sideOf(period, orders), sideOf(against, ordersThen), names);
  if (!found) return none('the report has no turnover incl. VAT as a whole');
  const values = totals.map(({ value }) => value);
  const gap = (middle?.value ?? zero).minus(standingOf(null, values)?.median ?? zero);
  const inTheMiddle = middle
    ? `, in the middle of these periods (${sayAmount(middle.value)}, ${signed(gap)} from the median)`
    : '';
  const [sentence = '', ...others] = found.sentences;
  const parts = sentence && `: ${sentence}`;
  const { from, to } = against;
  return {
    rows: found.rows,
    summary: [
      `${signed(found.difference)} against ${sayDays(against)}${inTheMiddle}${parts}.`,
      ...others,
    ],
    calls: orders.calls + ordersThen.calls,
    middle: middle && { from, to, turnover: plain(middle.value), from_median: plain(gap) },
  };
}

/** One of the two periods: its report, and how many orders it has where the caller may know. */
interface ExplainedSide {
  facts: readonly Fact[];
  orders?: Decimal | undefined;
}

/** The splits of a report that are views of a difference. */
const splits = ['shop', 'turnover_group'] as const;

type Split = (typeof splits)[number];

const maxParts = 8;

/** Turnover in both periods. */
interface Pair {
  current: Decimal;
  reference: Decimal;
}

interface Part extends Pair {
  part: string;
  id?: number;
  /** It is in one of the two reports only. */
  mark?: 'new' | 'gone';
}

/**
 * The difference of turnover incl. VAT between two reports: rows of parts, which add up to it in each view, and
 * sentences about them, the first to go on after what it is against. Undefined without such turnover.
 * @param names by id, for each split
 */
export function explainDifference(
  now: ExplainedSide,
  then: ExplainedSide,
  names: Readonly<Record<Split, ReadonlyMap<number, string>>>,
): { difference: Decimal; rows: Row[]; sentences: string[] } | undefined {
  const [current, reference] = [totalOf(now.facts), totalOf(then.facts)];
  if (!current || !reference) return undefined;
  const whole = { current, reference };
  const difference = changeOf(whole);
  const orders = viewOrders(whole, now.orders, then.orders);
  const views = splits.map((split) => {
    const parts = partsOf(split, now.facts, then.facts, names[split]);
    return { split, parts, noun: split.replace('_', ' ') };
  });
  // One part alone is the whole.
  const [alone] = views
    .filter(({ parts }) => parts.length > 1 && !difference.isZero())
    .flatMap(({ parts }) => parts.find((part) => changeOf(part).s === difference.s) ?? []);
  const most = alone ? [`${alone.part} alone ${signed(changeOf(alone))}`] : [];
  const missing = views.filter(({ parts }) => parts.length === 0);
  return {
    difference,
    rows: [
      ...orders.rows,
      ...views.flatMap(({ split, noun, parts }) =>
        shownParts(noun, whole, parts).map((part) => rowOf(split, part, changeOf(part))),
      ),
    ],
    sentences: [
      [...orders.sentence, ...most].join('; '),
      ...orders.missing,
      ...missing.map(({ noun }) => `No view by ${noun}: the report has no turnover of a ${noun}.`),
    ],
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

/** What the change in number is worth at the old value of an order, and what the change in value is: the rest. */
function viewOrders(whole: Pair, now: Decimal | undefined, then: Decimal | undefined) {
  const why = !now || !then ? 'counting orders needs the toolset orders' : 'the reference has none';
  if (!now || !then || then.isZero())
    return { rows: [], sentence: [], missing: [`No view of orders and value per order: ${why}.`] };
  const byOrders = now.minus(then).times(whole.reference).div(then).toDecimalPlaces(2);
  const byValue = changeOf(whole).minus(byOrders);
  const count = { part: orderCount, current: now, reference: then };
  const average = {
    part: 'average_order_value_wt',
    ...(!now.isZero() && { current: whole.current.div(now).toDecimalPlaces(2) }),
    reference: whole.reference.div(then).toDecimalPlaces(2),
  };
  const counts = `(${plain(now)}${now.eq(then) ? '' : ` for ${plain(then)}`})`;
  const more = `${['fewer', 'as many', 'more'][now.cmp(then) + 1]} orders ${counts}`;
  const higher = `${['lower', 'the same', 'higher'][byValue.cmp(zero) + 1]} value per order`;
  const isShared = !byOrders.isZero() && !byValue.isZero() && byOrders.s === byValue.s;
  const sentence = isShared
    ? `${sayAmount(byOrders.abs())} of it ${more}, ${sayAmount(byValue.abs())} ${higher}`
    : `${more} ${signed(byOrders)}, ${higher} ${signed(byValue)}`;
  const view = 'orders_and_value';
  const rows = [rowOf(view, count, byOrders), rowOf(view, average, byValue)];
  return { rows, sentence: [sentence], missing: [] };
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
      if (Number.isNaN(id)) return [];
      const [current, reference] = [now, then].map((it) => facts.find((fact) => it.includes(fact)));
      const part = names.get(id) ?? facts[0].name ?? key;
      const sides = { current: current?.value ?? zero, reference: reference?.value ?? zero };
      return [{ part, id, ...sides, ...(facts.length < 2 && { mark: current ? 'new' : 'gone' }) }];
    },
  );
  return parts.toSorted((a, b) => changeOf(b).abs().cmp(changeOf(a).abs()));
}

/** The largest parts, one for the others, and one for what the report gives to none. */
function shownParts(noun: string, whole: Pair, parts: readonly Part[]): Part[] {
  const isThere = ({ current, reference }: Pair) => !current.isZero() || !reference.isZero();
  const total = (of: readonly Pair[], side: keyof Pair) =>
    of.reduce((sum, part) => sum.plus(part[side]), zero);
  const less = (side: keyof Pair) => whole[side].minus(total(parts, side));
  const shown = parts.filter(isThere);
  const small = shown.slice(maxParts);
  const rest = [
    { part: 'others', current: total(small, 'current'), reference: total(small, 'reference') },
    { part: `no ${noun}`, current: less('current'), reference: less('reference') },
  ];
  return parts.length === 0 ? [] : [...shown.slice(0, maxParts), ...rest.filter(isThere)];
}

function rowOf(
  view: string,
  { current, reference, mark, ...about }: Omit<Part, 'current'> & Partial<Pair>,
  difference: Decimal,
): Row {
  return {
    ...{ view, ...about, ...(current && { current: plain(current) }) },
    ...{ reference: plain(reference), difference: plain(difference), ...(mark && { mark }) },
  };
}

function changeOf({ current, reference }: Pair): Decimal {
  return current.minus(reference);
}

/** An amount with its sign; a zero has none. */
function signed(value: Decimal): string {
  return `${value.gt(0) ? '+' : ''}${sayAmount(value)}`;
}
