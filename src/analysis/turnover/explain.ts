/**
 * Explains turnover incl. VAT by its parts. Against one period the parts add up to the difference to the cent; against
 * `usual` each part is compared with its own usual (docs/answers.md#explain).
 */
import type { Days } from '../../core/calendar.ts';
import { type Decimal, plain, sayAmount, zero } from '../../core/money.ts';
import { sayDays } from '../../core/periods.ts';
import { listFirst } from '../../core/text.ts';
import { spaceByKind } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import { type Comparison, comparedColumns, type FilledSpan, writeValue } from './compare.ts';
import {
  type ComparedValues,
  compareValues,
  fewestEarlier,
  referenceOf,
  unusualOn,
} from './earlier-periods.ts';
import { addUp, orderCount } from './measures.ts';
import type { Question } from './question.ts';
import { namesFor } from './readings.ts';
import {
  dayParts,
  splitKinds,
  splitTurnover,
  type TurnoverPart,
  wholeTurnover,
} from './split-turnover.ts';

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
  { readings, singles }: Comparison,
  span: FilledSpan,
): Promise<Explanation> {
  const periods = [span.period, ...span.others];
  const facts = periods.map(readings.factsOn);
  const { shops: named } = question.places;
  const shops = named && new Set(named.map(({ id }) => id));
  const whole = wholeTurnover(facts, shops);
  if (!whole || periods.length === 1) return unexplained;
  const splits = splitKinds.map(async (kind): Promise<View> => {
    const names = await namesFor(question, kind);
    return { view: kind, parts: splitTurnover(facts, kind, names, shops) };
  });
  const days = dayParts(periods, singles, shops);
  const dayView: View = { view: 'day', parts: days.length > 1 ? days : [] };
  const orders = periods.map((days) => readings.on(days).orders);
  return explainParts({ whole, orders, views: [...(await Promise.all(splits)), dayView] }, span);
}

const unexplained: Explanation = {
  rows: [],
  summary: ['Not explained: no earlier period has turnover incl. VAT as a whole.'],
};

/** A part compared with the same part of the other periods. */
type ComparedPart = Omit<TurnoverPart, 'values'> & ComparedValues;

type Compare = (part: TurnoverPart) => ComparedPart;

interface ComparedView {
  view: string;
  parts: readonly ComparedPart[];
}

/**
 * Compares the parts of each view, of which the largest are rows. Medians of parts do not add up to that of the whole,
 * so the remainder has a row.
 */
export function explainParts(
  { whole, orders, views }: ExplainedTurnover,
  span: Pick<FilledSpan, 'others' | 'like' | 'unusual'>,
): Explanation {
  const { others, unusual } = span;
  const comparerOf =
    (view: string): Compare =>
    ({ values: [current = null, ...values], ...part }) => {
      const shop = view === 'shop' ? part.id : undefined;
      const counted = others.flatMap((days, at) =>
        unusualOn(days, unusual, shop) ? [] : (values[at] ?? []),
      );
      return { ...part, ...compareValues(current, counted) };
    };
  const total = comparerOf('total')({ part: 'total', values: whole });
  const reference = referenceOf(span);
  const compared = views.map((split) => ({
    view: split.view,
    parts: chooseParts(split, whole, comparerOf(split.view)),
  }));
  const comparedOrders = compareOrders(whole, orders, comparerOf('total'));
  const orderParts = reference ? splitDifference(comparedOrders, total) : comparedOrders;
  const columns = comparedColumns(span).filter((name) => name !== 'of' && name !== 'percent');
  const rows = [
    { view: 'orders_and_value', parts: orderParts },
    ...compared.map(({ view, parts }) => ({ view, parts: addRemainder(parts, total) })),
  ].flatMap(({ view, parts }) =>
    parts.map(({ part, id, ...values }) => {
      const written = (['current', ...columns] as const).map(
        (name) => [name, writeValue(values[name])] as const,
      );
      const known = Object.fromEntries(written.filter(([, value]) => value !== null));
      return { view, part, ...(id !== undefined && { id }), ...known };
    }),
  );
  const named = compared.flatMap(({ parts }) => parts.filter(isNamed));
  const summary = reference
    ? [sayDifference(total, reference, orderParts, compared)]
    : sayOutside([...orderParts, ...named]);
  return { rows, summary };
}

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
  const isThere = ({ current, reference }: ComparedPart) =>
    [current, reference].some((value) => value?.isZero() === false);
  const sizeOf = ({ difference }: ComparedPart) => difference?.abs() ?? zero;
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

/** Adds a remainder if the references of the parts do not add up to the reference of the whole. */
function addRemainder(parts: readonly ComparedPart[], total: ComparedPart) {
  const references = parts.flatMap((part) => part.reference ?? []);
  const missing = (total.reference ?? zero).minus(addUp(references));
  if (parts.length === 0 || missing.isZero()) return parts;
  const values = { reference: missing, difference: missing.negated() };
  return [...parts, { part: 'medians do not add up', ...compareValues(null, []), ...values }];
}

/** The number of orders, and turnover by order; empty where orders are not counted. */
function compareOrders(
  whole: readonly Decimal[],
  orders: TurnoverPart['values'],
  compare: Compare,
): ComparedPart[] {
  if (!orders[0]) return [];
  const averages = orders.map((count, at) =>
    count?.isZero() ? undefined : count && whole[at]?.div(count).toDecimalPlaces(2),
  );
  return [
    compare({ part: orderCount, values: orders }),
    compare({ part: 'average_order_value_wt', values: averages }),
  ];
}

/** Splits a difference in two: the change in the number of orders at their old value, and the change in value. */
function splitDifference(parts: readonly ComparedPart[], total: ComparedPart): ComparedPart[] {
  const [orders, value] = parts;
  const { difference, reference: count } = orders ?? {};
  if (!orders || !value || !difference || !count || count.isZero()) return [];
  const byNumber = difference
    .times(total.reference ?? zero)
    .div(count)
    .toDecimalPlaces(2);
  const byValue = (total.difference ?? zero).minus(byNumber);
  return [
    { ...orders, difference: byNumber },
    { ...value, difference: byValue },
  ];
}

/** The whole difference, with the two parts of orders and the largest of the other parts in the same direction. */
function sayDifference(
  { difference }: ComparedPart,
  reference: Days,
  orderParts: readonly ComparedPart[],
  views: readonly ComparedView[],
): string {
  const whole = difference ?? zero;
  const largest = views.flatMap(({ view, parts }) => {
    const named = parts.filter(isNamed);
    // A single part would repeat the whole.
    if (named.length < 2 || whole.isZero()) return [];
    const part = named.find((candidate) => candidate.difference?.s === whole.s);
    return part?.difference
      ? [{ view, text: `${part.part} alone ${signed(part.difference)}` }]
      : [];
  });
  // The summary names one shop, or a group without shops, and one day.
  const named = largest.filter(({ view }, at) => at === 0 || view === 'day');
  const texts = [...sayOrders(orderParts), ...named.map(({ text }) => text)];
  const listed = texts.length > 0 ? `: ${texts.join('; ')}` : '';
  return `${signed(whole)} against ${sayDays(reference)}${listed}.`;
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
  const judged = parts.filter(({ current, of }) => current && of >= fewestEarlier);
  if (judged.length === 0) return [];
  const outside = judged.flatMap(({ part, current, low, high, of }) => {
    const end = low && current?.lt(low) ? 'lowest' : high && current?.gt(high) ? 'highest' : '';
    if (!current || end === '') return [];
    const value = part === orderCount ? plain(current) : sayAmount(current);
    return [`${part} ${value} (${end} of ${of + 1})`];
  });
  const chance = judged.reduce((total, { of }) => total + 2 / (of + 1), 0);
  const counted = `${outside.length} of ${judged.length} parts outside their own usual (by chance about ${Math.round(chance)})`;
  return [
    `${[counted, ...(outside.length > 0 ? [listFirst(outside, maxNamed)] : [])].join(': ')}.`,
  ];
}
