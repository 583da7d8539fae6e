/** Turnover incl. VAT of several periods, split into the same parts in each. */
import type { Day } from '../../core/calendar.ts';
import { groupBy } from '../../core/json.ts';
import { type Decimal, zero } from '../../core/money.ts';
import type { Fact } from '../reference/facts.ts';
import { spaceByKind } from '../reference/reference.ts';
import { orderCount, turnoverWithVat } from './measures.ts';

/** What was read of a period. */
interface ExplainedSide {
  facts: readonly Fact[];
  orders?: Decimal | undefined;
}

const views = ['shop', 'turnover_group'] as const;

/** Reference lists whose ids split turnover, and its days. */
export type View = (typeof views)[number] | 'day';

/** A part of turnover with a value for each period, the current one first; undefined where it has none. */
export interface Part {
  part: string;
  id?: number;
  day?: Day;
  values: readonly (Decimal | undefined)[];
}

/** Turnover incl. VAT as a whole, orders and parts of each view, over the same periods. */
export type SplitTurnover = NonNullable<ReturnType<typeof splitTurnover>>;

/**
 * Splits the turnover of periods. Undefined without such turnover.
 * @param names by id, for each view
 * @param shops those alone, where some were named
 */
export function splitTurnover(
  sides: readonly ExplainedSide[],
  names: Readonly<Record<(typeof views)[number], ReadonlyMap<number, string>>>,
  shops?: ReadonlySet<number>,
) {
  const isOfShops = ({ ids }: Fact) => shops?.has(ids.shop_id ?? 0) ?? true;
  const facts = sides.map((side) => side.facts.filter(isOfShops));
  const [whole] = partsOf(facts, shops ? 'shop' : 'total', () => undefined);
  if (!whole) return undefined;
  const splits = {
    shop: 'shop',
    turnover_group: shops ? 'shop, turnover_group' : 'turnover_group',
  };
  return {
    whole: { part: 'total', values: whole.values.map((value) => value ?? zero) },
    orders: { part: orderCount, values: sides.map(({ orders }) => orders) },
    views: views.map((view): { view: View; parts: Part[] } => {
      const idOf = ({ ids }: Fact) => ids[spaceByKind[view].idField];
      return { view, parts: partsOf(facts, splits[view], idOf, names[view]) };
    }),
  };
}

/** The facts of each period that mean turnover incl. VAT, added up by id; none where no measure means it, or several. */
function partsOf(
  all: readonly (readonly Fact[])[],
  split: string,
  idOf: (fact: Fact) => number | null | undefined,
  names?: ReadonlyMap<number, string>,
): Part[] {
  // Amounts of no shop or group are in the remainder.
  const isPart = (fact: Fact) => fact.split === split && idOf(fact) !== null;
  const facts = all.flatMap((side, at) => side.filter(isPart).map((fact) => ({ ...fact, at })));
  const measure = turnoverWithVat(facts.map((fact) => fact.measure));
  const turnover = facts.filter((fact) => fact.measure === measure);
  return [...groupBy(turnover, (fact) => String(idOf(fact)))].map(([key, ofId]) => {
    const id = idOf(ofId[0]) ?? undefined;
    const valuesAt = (period: number) => ofId.filter(({ at }) => at === period);
    return {
      part: (id !== undefined && names?.get(id)) || (ofId[0].name ?? key),
      ...(id !== undefined && { id }),
      values: all.map((_, at) => addValues(valuesAt(at).map(({ value }) => value))),
    };
  });
}

/** The sum of those that are there; undefined where none is. */
export function addValues(values: readonly (Decimal | undefined)[]): Decimal | undefined {
  return values.reduce((total, value) => (value ? value.plus(total ?? 0) : total), undefined);
}
