/**
 * Explains turnover incl. VAT by its parts. Against one period the parts add up to the difference to the cent; against
 * `usual` each part is compared with its own usual (docs/answers.md#explain).
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
import { addUp, orderCount } from './measures.ts';
import type { Question } from './question.ts';
import { namesFor } from './readings.ts';
import { splitKinds, splitTurnover, type TurnoverPart, wholeTurnover } from './split-turnover.ts';
import { dayParts } from './telling-days.ts';

/** The parts as rows, and sentences about them. */
export interface Explanation {
  rows: Row[];
  summary: string[];
}

/** Turnover incl. VAT, orders and parts of turnover over the same periods, the current one first. */
export interface ExplainedTurnover {
  whole: readonly Decimal[];
  /** Undefined where orders are not counted. */
  orders: TurnoverPart['values'];
  views: readonly View[];
}

/** A way to split turnover; it is shown where it has parts. */
interface View {
  view: (typeof splitKinds)[number] | 'day';
  parts: readonly TurnoverPart[];
}

/** Explains a span against its reference, or against the earlier periods that count. */
export async function explainTurnover(
  question: Question,
  { readings, singles, notes }: Comparison,
  { period, reference, counted }: FilledSpan,
): Promise<Explanation> {
  const periods = [period, ...(reference ? [reference] : counted)];
  const facts = periods.map((days) => readings.on(days).reports.flatMap((report) => report.facts));
  const shops = readings.shops && new Set(readings.shops.map(({ id }) => id));
  const whole = wholeTurnover(facts, shops);
  if (!whole || periods.length === 1) return unexplained;
  const splits = splitKinds.map(async (kind): Promise<View> => {
    const names = await namesFor(question, kind);
    return { view: kind, parts: splitTurnover(facts, kind, names, shops) };
  });
  const days = dayParts(periods, singles, shops);
  const explained = {
    whole,
    orders: periods.map((days) => readings.on(days).orders),
    views: [
      ...(await Promise.all(splits)),
      { view: 'day' as const, parts: days.length > 1 ? days : [] },
    ],
  };
  return reference
    ? explainDifference(explained, reference)
    : explainUsual(explained, counted, notes);
}

const unexplained: Explanation = {
  rows: [],
  summary: ['Not explained: no earlier period has turnover incl. VAT as a whole.'],
};

/** A part compared with its reference or its usual. */
interface ComparedPart extends Omit<TurnoverPart, 'values'> {
  current?: Decimal | undefined;
  reference?: Decimal | undefined;
  difference?: Decimal | undefined;
  standing?: ReturnType<typeof standingOf>;
}

type Compare = (part: TurnoverPart) => ComparedPart;

/** Whether a part is a single shop, group or day, not the sum of several. */
function isNamed({ id, day }: ComparedPart): boolean {
  return (id ?? day) !== undefined;
}

const maxParts = 8;

/** The eight parts of a view with the largest differences, then the sum of all others and the remainder of the whole. */
function chooseParts(
  { view, parts }: View,
  whole: readonly Decimal[],
  compare: Compare,
): ComparedPart[] {
  if (parts.length === 0) return [];
  const isThere = ({ current = zero, reference = zero }: ComparedPart) =>
    !current.isZero() || !reference.isZero();
  const sizeOf = ({ difference = zero }: ComparedPart) => difference.abs();
  const sorted = parts
    .map((part) => ({ ...compare(part), values: part.values }))
    .filter(isThere)
    .toSorted((a, b) => sizeOf(b).cmp(sizeOf(a)));
  const totalsOf = (some: readonly TurnoverPart[]) =>
    whole.map((_, at) => addUp(some.flatMap(({ values }) => values[at] ?? [])));
  const totals = totalsOf(parts);
  const noun = view === 'day' ? view : spaceByKind[view].noun;
  const rest = [
    { part: 'others', values: totalsOf(sorted.slice(maxParts)) },
    { part: `no ${noun}`, values: whole.map((value, at) => value.minus(totals[at] ?? zero)) },
  ];
  return [...sorted.slice(0, maxParts), ...rest.map(compare).filter(isThere)];
}

/** Splits the difference against one period: the parts of each view add up to it. The largest ones are named. */
export function explainDifference(
  { whole, orders, views }: ExplainedTurnover,
  against: Days,
): Explanation {
  const compare: Compare = ({ values, ...part }) => {
    const [current = zero, reference = zero] = values;
    return { ...part, current, reference, difference: current.minus(reference) };
  };
  const { difference = zero } = compare({ part: 'total', values: whole });
  const orderParts = compareOrders(whole, orders);
  const compared = views.map((split) => ({ ...split, parts: chooseParts(split, whole, compare) }));
  const largest = compared.flatMap(({ view, parts }) => {
    const named = parts.filter(isNamed);
    // A single part would repeat the whole.
    if (named.length < 2 || difference.isZero()) return [];
    const part = named.find((candidate) => candidate.difference?.s === difference.s);
    return part?.difference
      ? [{ view, text: `${part.part} alone ${signed(part.difference)}` }]
      : [];
  });
  // The summary names one shop, or a group without shops, and one day.
  const named = largest.filter(({ view }, at) => at === 0 || view === 'day');
  const texts = [...sayOrders(orderParts), ...named.map(({ text }) => text)];
  const listed = texts.length > 0 ? `: ${texts.join('; ')}` : '';
  return {
    rows: [
      ...rowsOf(ordersView, orderParts),
      ...compared.flatMap(({ view, parts }) => rowsOf(view, parts)),
    ],
    summary: [`${signed(difference)} against ${sayDays(against)}${listed}.`],
  };
}

/**
 * Compares parts with their own usual. Medians of parts do not add up to that of the whole, so the remainder has a row.
 * Only parts below their lowest or above their highest earlier value are named.
 * @param counted the earlier periods, in the order of the values
 */
export function explainUsual(
  { whole, orders, views }: ExplainedTurnover,
  counted: readonly Days[],
  notes: readonly DayNote[],
): Explanation {
  const compareIn =
    (view: string): Compare =>
    ({ values: [current, ...earlier], ...part }) => {
      const shop = view === 'shop' ? part.id : undefined;
      const usual = counted.flatMap((days, at) =>
        unusualOn(days, notes, shop) ? [] : (earlier[at] ?? []),
      );
      const standing = standingOf(current ?? null, usual);
      const reference = standing?.median;
      const difference = current && reference && current.minus(reference);
      return { ...part, current, reference, difference, standing };
    };
  const compare = compareIn('total');
  const usual = compare({ part: 'total', values: whole }).reference ?? zero;
  const compared = views.map((split) => ({
    ...split,
    parts: chooseParts(split, whole, compareIn(split.view)),
  }));
  const orderParts = orders[0] ? ordersAndValue(whole, orders).map(compare) : [];
  const rows = compared.flatMap(({ view, parts }) => {
    const reference = usual.minus(addUp(parts.flatMap((part) => part.reference ?? [])));
    const difference = zero.minus(reference);
    const remainder = { part: 'medians do not add up', reference, difference };
    const isWhole = parts.length === 0 || reference.isZero();
    return rowsOf(view, isWhole ? parts : [...parts, remainder]);
  });
  const named = compared.flatMap(({ parts }) => parts.filter(isNamed));
  return {
    rows: [...rowsOf(ordersView, orderParts), ...rows],
    summary: sayOutside([...orderParts, ...named]),
  };
}

const ordersView = 'orders_and_value';

/** The number of orders, and turnover by order; undefined where there are none. */
function ordersAndValue(whole: readonly Decimal[], orders: TurnoverPart['values']): TurnoverPart[] {
  const values = orders.map((count, at) =>
    count?.isZero() ? undefined : count && whole[at]?.div(count).toDecimalPlaces(2),
  );
  return [
    { part: orderCount, values: orders },
    { part: 'average_order_value_wt', values },
  ];
}

/** Splits the difference: the change in the number of orders at their old value, and the rest, their change in value. */
function compareOrders(whole: readonly Decimal[], orders: TurnoverPart['values']): ComparedPart[] {
  const [current = zero, reference = zero] = whole;
  const [count, before] = orders;
  if (!count || !before || before.isZero()) return [];
  const byNumber = count.minus(before).times(reference).div(before).toDecimalPlaces(2);
  const differences = [byNumber, current.minus(reference).minus(byNumber)];
  return ordersAndValue(whole, orders).map(({ part, values }, nth) => {
    return { part, current: values[0], reference: values[1], difference: differences[nth] };
  });
}

function sayOrders([orders, value]: readonly ComparedPart[]): string[] {
  const { current: count, reference: before, difference: byNumber } = orders ?? {};
  const byValue = value?.difference;
  if (!count || !before || !byNumber || !byValue) return [];
  const compared = count.cmp(before);
  const counts = `(${plain(count)}${compared === 0 ? '' : ` for ${plain(before)}`})`;
  const more = ['fewer', 'as many', 'more'][compared + 1];
  const higher = ['lower', 'the same', 'higher'][byValue.cmp(zero) + 1];
  return [
    `${more} orders ${counts} ${signed(byNumber)}, ${higher} value per order ${signed(byValue)}`,
  ];
}

/** `+12.50`, `-3.00`, `0.00`. */
function signed(value: Decimal): string {
  return `${value.gt(0) ? '+' : ''}${sayAmount(value)}`;
}

const maxNamed = 6;

/** Names the parts outside their own usual, and how many chance alone puts there: for eight earlier periods 2 in 9. */
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

function rowsOf(view: string, parts: readonly ComparedPart[]): Row[] {
  const write = (values: Readonly<Record<string, Decimal | undefined>>) =>
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, plain(value)]] : []));
  return parts.map(({ part, id, current, reference, standing, difference }) => ({
    view,
    part,
    ...(id !== undefined && { id }),
    ...Object.fromEntries(write({ current, reference, low: standing?.low, high: standing?.high })),
    ...(standing?.rank && { rank: standing.rank }),
    ...(difference && { difference: plain(difference) }),
  }));
}
