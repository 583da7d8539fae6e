/**
 * Turnover incl. VAT in parts. Against one period they add up to the difference to the cent; against `usual` each part
 * stands beside its own usual (docs/answers.md#explain).
 */
import type { Days } from '../../core/calendar.ts';
import { type Decimal, plain, sayAmount, zero } from '../../core/money.ts';
import { sayDays } from '../../core/periods.ts';
import { listFirst } from '../../core/text.ts';
import type { DayNote } from '../answer.ts';
import { spaceByKind } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Comparison, FilledSpan } from './compare.ts';
import { fewestEarlier, standingOf, unusualOn } from './earlier-periods.ts';
import { orderCount } from './measures.ts';
import type { Question } from './question.ts';
import { namesFor } from './readings.ts';
import {
  addValues,
  type Part,
  type SplitTurnover,
  splitTurnover,
  type View,
} from './split-turnover.ts';
import { dayParts } from './telling-days.ts';

/** The parts as rows, and what is said about them. */
export interface Explanation {
  rows: Row[];
  summary: string[];
}

/** Explains a span against its reference, or against the earlier periods that count. */
export async function explainTurnover(
  question: Question,
  { readings, singles, notes }: Comparison,
  { period, reference, counted }: FilledSpan,
): Promise<Explanation> {
  const earlier = reference ? [reference] : counted;
  if (earlier.length === 0)
    return unexplained('there is no earlier period with trade to hold it against');
  const sides = [period, ...earlier].map((days) => {
    const { reports, orders } = readings.on(days);
    return { orders, facts: reports.flatMap(({ facts }) => facts) };
  });
  const [shop, turnover_group] = await Promise.all([
    namesFor(question, 'shop'),
    namesFor(question, 'turnover_group'),
  ]);
  const shops = readings.shops && new Set(readings.shops.map(({ id }) => id));
  const split = splitTurnover(sides, { shop, turnover_group }, shops);
  if (!split) return unexplained('the report has no turnover incl. VAT as a whole');
  const days = dayParts([period, ...earlier], singles, shops);
  if (days.length > 1) split.views.push({ view: 'day', parts: days });
  return reference ? explainDifference(split, reference) : explainUsual(split, counted, notes);
}

function unexplained(why: string): Explanation {
  return { rows: [], summary: [`Not explained: ${why}.`] };
}

/** A part held against its reference or its usual. */
interface ComparedPart extends Part {
  current?: Decimal | undefined;
  reference?: Decimal | undefined;
  difference?: Decimal | undefined;
  standing?: ReturnType<typeof standingOf>;
  /** Only one of the two reports has it. */
  mark?: 'new' | 'gone';
}

type Compare = (part: Part) => ComparedPart;

function withDifference<Compared extends ComparedPart>(part: Compared): Compared {
  const { current, reference } = part;
  return { ...part, difference: current && reference && current.minus(reference) };
}

/** Whether a part is one shop, group or day, unlike those that are added up. */
function isNamed({ id, day }: Part): boolean {
  return (id ?? day) !== undefined;
}

function nounOf(view: View): string {
  return view === 'day' ? view : spaceByKind[view].noun;
}

const maxParts = 8;

/** The parts of a view, the largest difference first: those beyond eight added up, and the remainder of the whole. */
function shownParts(
  view: View,
  whole: Part,
  parts: readonly Part[],
  compare: Compare,
): ComparedPart[] {
  if (parts.length === 0) return [];
  const isThere = ({ current = zero, reference = zero }: ComparedPart) =>
    !current.isZero() || !reference.isZero();
  const sizeOf = ({ difference = zero }: ComparedPart) => difference.abs();
  const compared = parts.map(compare).filter(isThere);
  const sorted = compared.toSorted((a, b) => sizeOf(b).cmp(sizeOf(a)));
  const totalsOf = (some: readonly Part[]) =>
    whole.values.map((_, at) => addValues(some.map(({ values }) => values[at])) ?? zero);
  const totals = totalsOf(parts);
  const rest = [
    { part: 'others', values: totalsOf(sorted.slice(maxParts)) },
    {
      part: `no ${nounOf(view)}`,
      values: whole.values.map((value = zero, at) => value.minus(totals[at] ?? zero)),
    },
  ];
  return [...sorted.slice(0, maxParts), ...rest.map(compare).filter(isThere)];
}

/** Parts of the difference against one period, which add up to it in each view, and those that hold most of it. */
export function explainDifference(
  { whole, orders, views: all }: SplitTurnover,
  against: Days,
): Explanation {
  const compare: Compare = (part) => {
    const [current, reference] = part.values;
    const isOne = (current === undefined) !== (reference === undefined);
    return withDifference({
      ...part,
      current: current ?? zero,
      reference: reference ?? zero,
      ...(isOne && { mark: current ? 'new' : 'gone' }),
    });
  };
  const { difference = zero } = compare(whole);
  const ofOrders = splitByOrders(whole, orders);
  const compared = all.map(({ view, parts }) => ({
    view,
    parts: shownParts(view, whole, parts, compare),
  }));
  // One part alone is the whole.
  const largestOf = (some: readonly { parts: readonly ComparedPart[] }[]) =>
    some
      .map(({ parts }) => parts.filter(isNamed))
      .filter((parts) => parts.length > 1 && !difference.isZero())
      .flatMap((parts) => parts.find((it) => it.difference?.s === difference.s) ?? [])
      .slice(0, 1);
  const isDay = ({ view }: { view: View }) => view === 'day';
  const largest = [
    ...largestOf(compared.filter((it) => !isDay(it))),
    ...largestOf(compared.filter(isDay)),
  ];
  const said = [
    ofOrders && sayOrders(ofOrders.counts),
    ...largest.map((it) => it.difference && `${it.part} alone ${signed(it.difference)}`),
  ].filter(Boolean);
  const listed = said.length > 0 ? `: ${said.join('; ')}` : '';
  return {
    rows: [...(ofOrders?.rows ?? []), ...compared.flatMap(rowsOf)],
    summary: [
      `${signed(difference)} against ${sayDays(against)}${listed}.`,
      ...(ofOrders ? [] : [noOrders(orders)]),
      ...missingViews(all),
    ],
  };
}

/**
 * Parts beside their own usual. Medians of parts do not add up to that of the whole: what is left is a row of its own.
 * Only parts below their lowest or above their highest earlier value are named.
 * @param counted the earlier periods, in the order of the values
 */
export function explainUsual(
  { whole, orders, views: all }: SplitTurnover,
  counted: readonly Days[],
  notes: readonly DayNote[],
): Explanation {
  const compareWith =
    (isCounted: (days: Days, part: Part) => boolean): Compare =>
    (part) => {
      const [current, ...earlier] = part.values;
      const usual = counted.flatMap((days, at) => (isCounted(days, part) && earlier[at]) || []);
      const standing = standingOf(current ?? null, usual);
      return withDifference({ ...part, current, reference: standing?.median, standing });
    };
  const compare = compareWith(() => true);
  const compareShop = compareWith((days, { id }) => !id || !unusualOn(days, notes, id));
  const ofOrders = [orders, averageValue(whole, orders)].map(compare);
  const hasOrders = orders.values[0] !== undefined;
  const { reference: usual = zero } = compare(whole);
  const compared = all.map(({ view, parts }) => {
    const filled = parts.map((part) => {
      return { ...part, values: part.values.map((value) => value ?? zero) };
    });
    const shown = shownParts(view, whole, filled, view === 'shop' ? compareShop : compare);
    return { view, parts: shown };
  });
  const rows = compared.flatMap(({ view, parts }) => {
    const medians = addValues(parts.map(({ reference }) => reference)) ?? zero;
    const reference = usual.minus(medians);
    const difference = zero.minus(reference);
    const remainder = { part: 'medians do not add up', values: [], reference, difference };
    const isWhole = parts.length === 0 || reference.isZero();
    return rowsOf({ view, parts: isWhole ? parts : [...parts, remainder] });
  });
  return {
    rows: [...(hasOrders ? rowsOf({ view: ordersView, parts: ofOrders }) : []), ...rows],
    summary: [
      ...sayOutside([...ofOrders, ...compared.flatMap(({ parts }) => parts.filter(isNamed))]),
      ...(hasOrders ? [] : [noOrders(orders)]),
      ...missingViews(all),
    ],
  };
}

const ordersView = 'orders_and_value';
const averageName = 'average_order_value_wt';

function averageValue(whole: Part, orders: Part): Part {
  const values = whole.values.map((value, at) => {
    const count = orders.values[at];
    return count && !count.isZero() ? value?.div(count).toDecimalPlaces(2) : undefined;
  });
  return { part: averageName, values };
}

type OrderCounts = Record<'count' | 'before' | 'byNumber' | 'byValue', Decimal>;

/** What the change in number is worth at the old value of an order, and what the change in value is: the rest. */
function splitByOrders(whole: Part, orders: Part) {
  const [current = zero, reference = zero] = whole.values;
  const [count, before] = orders.values;
  if (!count || !before || before.isZero()) return undefined;
  const byNumber = count.minus(before).times(reference).div(before).toDecimalPlaces(2);
  const byValue = current.minus(reference).minus(byNumber);
  const [average, averageBefore] = averageValue(whole, orders).values;
  const parts = [
    { ...orders, current: count, reference: before, difference: byNumber },
    {
      part: averageName,
      values: [],
      current: average,
      reference: averageBefore,
      difference: byValue,
    },
  ];
  return {
    rows: rowsOf({ view: ordersView, parts }),
    counts: { count, before, byNumber, byValue },
  };
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

const maxNamed = 6;

/** The parts outside their own usual, and how many chance alone puts there: of eight like periods and one more, two. */
function sayOutside(parts: readonly ComparedPart[]): string[] {
  const judged = parts.flatMap(({ part, current, standing }) =>
    current && standing && standing.count >= fewestEarlier ? [{ part, current, standing }] : [],
  );
  if (judged.length === 0) return [];
  const outside = judged.flatMap(({ part, current, standing: { low, high, count } }) => {
    if (!current.lt(low) && !current.gt(high)) return [];
    const value = part === orderCount ? plain(current) : sayAmount(current);
    return `${part} ${value} (${current.lt(low) ? 'lowest' : 'highest'} of ${count + 1})`;
  });
  const chance = judged.reduce((total, { standing }) => total + 2 / (standing.count + 1), 0);
  const counted = `${outside.length} of ${judged.length} parts outside their own usual (by chance about ${Math.round(chance)})`;
  return [
    `${[counted, ...(outside.length > 0 ? [listFirst(outside, maxNamed)] : [])].join(': ')}.`,
  ];
}

function noOrders({ values }: Part): string {
  const why = values.every(Boolean)
    ? 'the reference has none'
    : 'counting orders needs the toolset orders';
  return `No view of orders and value per order: ${why}.`;
}

function missingViews(all: SplitTurnover['views']): string[] {
  return all
    .filter(({ parts }) => parts.length === 0)
    .map(({ view }) => {
      const noun = nounOf(view);
      return `No view by ${noun}: the report has no turnover of a ${noun}.`;
    });
}

function rowsOf({ view, parts }: { view: string; parts: readonly ComparedPart[] }): Row[] {
  return parts.map(({ part, id, current, reference, standing, difference, mark }) => {
    const figures = {
      current,
      reference,
      ...(standing && { low: standing.low, high: standing.high }),
    };
    const written = Object.entries(figures).flatMap(([name, value]) =>
      value ? [[name, plain(value)]] : [],
    );
    return {
      view,
      part,
      ...(id !== undefined && { id }),
      ...Object.fromEntries(written),
      ...(standing?.rank && { rank: standing.rank }),
      ...(difference && { difference: plain(difference) }),
      ...(mark && { mark }),
    };
  });
}
