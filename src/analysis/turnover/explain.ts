/** Where a difference of turnover comes from: parts that add up to it to the cent (docs/answers.md#explain). */
import { type Decimal, plain, sayAmount, zero } from '../../core/money.ts';
import type { Row } from '../rows/rows.ts';
import type { Fact } from './facts.ts';
import { orderCount, turnoverWithVat } from './measures.ts';

/** One of the two periods: its report, and how many orders it has where the caller may know. */
export interface ExplainedSide {
  facts: readonly Fact[];
  orders?: Decimal | undefined;
}

/** The splits of a report that are views of a difference. */
export const explainedSplits = ['shop', 'turnover_group'] as const;

type Split = (typeof explainedSplits)[number];

/** Most parts of a split that have a row of their own. */
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
  const views = explainedSplits.map((split) => {
    const parts = partsOf(split, now.facts, then.facts, names[split]);
    const noun = split.replace('_', ' ');
    const missing = `No view by ${noun}: the report has no turnover of a ${noun}.`;
    return { parts, rows: parts ? viewSplit(split, noun, whole, parts) : [], missing };
  });
  // One part alone is the whole.
  const sided = views.flatMap(({ parts = [] }) => {
    const alike = bySize(parts).find((part) => changeOf(part).s === difference.s);
    return alike && parts.length > 1 && !difference.isZero() ? [alike] : [];
  });
  const alone = sided.slice(0, 1).map((it) => `${it.part} alone ${signed(changeOf(it))}`);
  return {
    difference,
    rows: [...orders.rows, ...views.flatMap(({ rows }) => rows)],
    sentences: [
      [orders.sentence, ...alone].filter((it) => it !== '').join('; '),
      ...orders.missing,
      ...views.flatMap(({ parts, missing }) => (parts ? [] : [missing])),
    ],
  };
}

/** The turnover incl. VAT of a report as a whole. */
export function totalOf(facts: readonly Fact[]): Decimal | undefined {
  const own = facts.filter(({ split }) => split === 'total');
  const measure = turnoverWithVat(own.map((fact) => fact.measure));
  return own.find((fact) => fact.measure === measure)?.value;
}

/** What the change in number is worth at the old value of an order, and what the change in value is: the rest. */
function viewOrders(
  whole: Pair,
  now: Decimal | undefined,
  then: Decimal | undefined,
): { rows: Row[]; sentence: string; missing: string[] } {
  const why = !now || !then ? 'counting orders needs the toolset orders' : 'the reference has none';
  if (!now || !then || then.isZero())
    return { rows: [], sentence: '', missing: [`No view of orders and value per order: ${why}.`] };
  const byOrders = now.minus(then).times(whole.reference).div(then).toDecimalPlaces(2);
  const byValue = changeOf(whole).minus(byOrders);
  const value = now.isZero() ? undefined : plain(whole.current.div(now).toDecimalPlaces(2));
  const counts = `(${plain(now)}${now.eq(then) ? '' : ` for ${plain(then)}`})`;
  const more = `${['fewer', 'as many', 'more'][now.cmp(then) + 1]} orders ${counts}`;
  const higher = `${['lower', 'the same', 'higher'][byValue.cmp(zero) + 1]} value per order`;
  const isShared = !byOrders.isZero() && !byValue.isZero() && byOrders.s === byValue.s;
  const view = 'orders_and_value';
  return {
    rows: [
      {
        ...{ view, part: orderCount, current: plain(now), reference: plain(then) },
        difference: plain(byOrders),
      },
      {
        ...{ view, part: 'average_order_value_wt', ...(value !== undefined && { current: value }) },
        reference: plain(whole.reference.div(then).toDecimalPlaces(2)),
        difference: plain(byValue),
      },
    ],
    sentence: isShared
      ? `${sayAmount(byOrders.abs())} of it ${more}, ${sayAmount(byValue.abs())} ${higher}`
      : `${more} ${signed(byOrders)}, ${higher} ${signed(byValue)}`,
    missing: [],
  };
}

/** The turnover of each id in either report; undefined where none means turnover, or more than one. */
function partsOf(
  split: Split,
  now: readonly Fact[],
  then: readonly Fact[],
  names: ReadonlyMap<number, string>,
): Part[] | undefined {
  const own = [...now, ...then].filter((fact) => fact.split === split);
  const measure = turnoverWithVat(own.map((fact) => fact.measure));
  if (measure === undefined) return undefined;
  const found = own.filter((fact) => fact.measure === measure);
  const idOf = ({ ids }: Fact) => Object.values(ids)[0];
  const ids = new Set(found.map(idOf).filter((id) => typeof id === 'number'));
  return [...ids].map((id) => {
    const both = found.filter((fact) => idOf(fact) === id);
    const [current, reference] = [now, then].map((it) => both.find((fact) => it.includes(fact)));
    const part = names.get(id) ?? both[0]?.name ?? String(id);
    const sides = { current: current?.value ?? zero, reference: reference?.value ?? zero };
    const isBoth = current !== undefined && reference !== undefined;
    return { part, id, ...sides, ...(!isBoth && { mark: current ? 'new' : 'gone' }) };
  });
}

/** The largest parts, one row for the others, and one for what the report gives to none. */
function viewSplit(view: Split, noun: string, whole: Pair, parts: readonly Part[]): Row[] {
  const isThere = ({ current, reference }: Pair) => !current.isZero() || !reference.isZero();
  const sorted = bySize(parts.filter(isThere));
  const all = addUp(parts);
  const none = {
    current: whole.current.minus(all.current),
    reference: whole.reference.minus(all.reference),
  };
  const ofAll = [
    { part: 'others', ...addUp(sorted.slice(maxParts)) },
    { part: `no ${noun}`, ...none },
  ];
  const rows: Part[] = [...sorted.slice(0, maxParts), ...ofAll.filter(isThere)];
  return rows.map(({ current, reference, mark, ...about }) => ({
    ...{ view, ...about, current: plain(current), reference: plain(reference) },
    ...{ difference: plain(changeOf({ current, reference })), ...(mark && { mark }) },
  }));
}

function addUp(parts: readonly Pair[]): Pair {
  return parts.reduce(
    (sum, { current, reference }) => ({
      current: sum.current.plus(current),
      reference: sum.reference.plus(reference),
    }),
    { current: zero, reference: zero },
  );
}

function bySize<P extends Pair>(parts: readonly P[]): P[] {
  return parts.toSorted((a, b) => changeOf(b).abs().cmp(changeOf(a).abs()));
}

function changeOf({ current, reference }: Pair): Decimal {
  return current.minus(reference);
}

/** An amount with its sign; a zero has none. */
export function signed(value: Decimal): string {
  return `${value.gt(0) ? '+' : ''}${sayAmount(value)}`;
}
