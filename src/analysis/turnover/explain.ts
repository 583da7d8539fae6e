/** Where a difference of turnover comes from: parts that add up to it to the cent (docs/answers.md#explain). */
import { type Decimal, plain, sayAmount, zero } from '../../core/money.ts';
import { listFirst } from '../../core/text.ts';
import type { Fact } from './facts.ts';
import { turnoverWithVat } from './measures.ts';

/** One of the two periods: its report, and how many orders it has where that may be known. */
export interface ExplainedSide {
  facts: readonly Fact[];
  orders?: Decimal | undefined;
}

/** Names by id, for each split. */
export type PartNames = Readonly<Record<Split, ReadonlyMap<number, string>>>;

type Split = (typeof splits)[number];

const splits = ['shop', 'turnover_group'] as const;

/** Most parts of a split that have a row of their own. */
const maxParts = 8;

/** A part of the difference, as an answer holds it. */
export interface ExplainedRow {
  view: 'orders_and_value' | Split;
  part: string;
  id?: number;
  /** The part in each period: turnover, or orders and turnover of one of them. */
  current?: number | string;
  reference?: number | string;
  /** Turnover incl. VAT that the part adds to the difference. */
  difference: number | string;
  /** In one of the two reports only. */
  mark?: 'new' | 'gone';
}

/** A part before it is written. */
interface Part {
  name: string;
  id?: number;
  current: Decimal;
  reference: Decimal;
  mark?: 'new' | 'gone';
}

/** The parts of a difference, what they are in one sentence, and which views there are not and why. */
export interface Explained {
  difference: Decimal;
  rows: readonly ExplainedRow[];
  /** Without the period that it is against. */
  sentence: string;
  missing: readonly string[];
}

/** The difference of turnover incl. VAT between two reports in parts; undefined where a report has no such turnover. */
export function explainDifference(
  now: ExplainedSide,
  then: ExplainedSide,
  names: PartNames,
): Explained | undefined {
  const [current, reference] = [now, then].map(({ facts }) => totalOf(facts));
  if (!current || !reference) return undefined;
  const whole = { name: '', current, reference };
  const difference = differenceOf(whole);
  const orders = ordersAndValue(whole, now.orders, then.orders);
  const views = splits.map((split) => {
    const parts = partsOf(split, now.facts, then.facts, names[split]);
    return { split, parts, rows: parts ? splitRows(split, whole, parts) : [] };
  });
  const largest = views.flatMap(({ parts = [] }) => {
    const same = parts.filter((it) => differenceOf(it).s === difference.s);
    const [first] = parts.length > 1 ? bySize(same) : [];
    return first ? [`${first.name} alone ${signed(differenceOf(first))}`] : [];
  });
  const said = [orders.sentence, ...(difference.isZero() ? [] : largest.slice(0, 1))];
  const parts = said.filter((it) => it !== '').join('; ');
  return {
    difference,
    rows: [...orders.rows, ...views.flatMap(({ rows }) => rows)],
    sentence: parts === '' ? '' : `: ${parts}`,
    missing: [
      ...orders.missing,
      ...views.flatMap(({ split, parts }) => {
        const noun = split.replace('_', ' ');
        return parts ? [] : [`No view by ${noun}: the report has no turnover of a ${noun}.`];
      }),
    ],
  };
}

/** The turnover incl. VAT of the report as a whole. */
export function totalOf(facts: readonly Fact[]): Decimal | undefined {
  const own = facts.filter(({ split }) => split === 'total');
  const measure = turnoverWithVat(own.map((fact) => fact.measure));
  return own.find((fact) => fact.measure === measure)?.value;
}

/** What more or fewer orders are worth at the old value of one, and what a higher or lower value is: the rest. */
function ordersAndValue(
  whole: Part,
  now: Decimal | undefined,
  then: Decimal | undefined,
): Pick<Explained, 'rows' | 'missing' | 'sentence'> {
  const none = (reason: string) => {
    return { rows: [], sentence: '', missing: [`No view of orders and value: ${reason}.`] };
  };
  if (!now || !then) return none('counting orders needs the toolset orders');
  if (then.isZero()) return none('the reference has no orders, so no value per order');
  const { current, reference } = whole;
  const difference = differenceOf(whole);
  const byOrders = now.minus(then).times(reference).div(then).toDecimalPlaces(2);
  const byValue = difference.minus(byOrders);
  const value = (turnover: Decimal, orders: Decimal) =>
    orders.isZero() ? {} : { value: plain(turnover.div(orders).toDecimalPlaces(2)) };
  const [valueNow, valueThen] = [value(current, now).value, value(reference, then).value];
  const isShared = !byOrders.isZero() && !byValue.isZero() && byOrders.s === byValue.s;
  const count = `(${plain(now)}${now.eq(then) ? '' : ` for ${plain(then)}`})`;
  const more = `${compared(now.cmp(then), ['fewer', 'as many', 'more'])} orders ${count}`;
  const higher = `${compared(byValue.cmp(zero), ['lower', 'same', 'higher'])} value per order`;
  return {
    rows: [
      {
        ...{ view: 'orders_and_value', part: 'orders' },
        ...{ current: plain(now), reference: plain(then), difference: plain(byOrders) },
      },
      {
        ...{ view: 'orders_and_value', part: 'value per order' },
        ...(valueNow !== undefined && { current: valueNow }),
        ...(valueThen !== undefined && { reference: valueThen }),
        difference: plain(byValue),
      },
    ],
    sentence: isShared
      ? `${sayAmount(byOrders.abs())} of it ${more}, ${sayAmount(byValue.abs())} ${higher}`
      : `${more} ${signed(byOrders)}, ${higher} ${signed(byValue)}`,
    missing: [],
  };
}

function compared(sign: number, [less, same, more]: readonly [string, string, string]): string {
  return sign < 0 ? less : sign > 0 ? more : same;
}

/** The turnover of each id in either report; undefined where neither has any, or it is not clear which it is. */
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
  const of = (facts: readonly Fact[], id: number) =>
    facts.find((fact) => found.includes(fact) && idOf(fact) === id)?.value;
  const ids = [...new Set(found.map(idOf))].filter((id) => typeof id === 'number');
  return ids.map((id) => {
    const name = names.get(id) ?? found.find((fact) => idOf(fact) === id)?.name ?? String(id);
    const [current, reference] = [of(now, id), of(then, id)];
    const mark = current && reference ? undefined : current ? ('new' as const) : ('gone' as const);
    const sides = { current: current ?? zero, reference: reference ?? zero };
    return { name, id, ...sides, ...(mark && { mark }) };
  });
}

/** The largest parts, one row for the others, and one for what the report gives to none. */
function splitRows(split: Split, whole: Part, all: readonly Part[]): ExplainedRow[] {
  const isThere = (it: Part) => !it.current.isZero() || !it.reference.isZero();
  const parts = bySize(all.filter(isThere));
  const [shown, others] = [parts.slice(0, maxParts), parts.slice(maxParts)];
  const none = { name: `no ${split.replace('_', ' ')}`, ...addUp([whole], parts) };
  const rest = { name: 'others', ...addUp(others, []) };
  const rows = [...shown, ...[rest, none].filter(isThere)];
  return rows.map((row) => {
    const { name: part, current, reference, ...about } = row;
    const sides = { current: plain(current), reference: plain(reference) };
    return { view: split, part, ...about, ...sides, difference: plain(differenceOf(row)) };
  });
}

/** Some parts together, without others. */
function addUp(added: readonly Part[], taken: readonly Part[]) {
  const sumOf = (side: 'current' | 'reference') =>
    taken.reduce(
      (sum, part) => sum.minus(part[side]),
      added.reduce((sum, part) => sum.plus(part[side]), zero),
    );
  return { current: sumOf('current'), reference: sumOf('reference') };
}

function bySize(parts: readonly Part[]): Part[] {
  return parts.toSorted((a, b) => differenceOf(b).abs().cmp(differenceOf(a).abs()));
}

function differenceOf({ current, reference }: Pick<Part, 'current' | 'reference'>): Decimal {
  return current.minus(reference);
}

/** An amount with its sign, which a zero has not. */
export function signed(value: Decimal): string {
  return `${value.gt(0) ? '+' : ''}${sayAmount(value)}`;
}
