/** Turnover incl. VAT of several periods, split into the same parts in each. */

import { buckets, type Day, type Days, lengthOf, weekdayOf } from '../../core/calendar.ts';
import { groupBy } from '../../core/json.ts';
import { type Decimal, zero } from '../../core/money.ts';
import type { Fact } from '../answer.ts';
import type { DayReport } from '../endpoint/day-reports.ts';
import { readFacts } from '../reference/facts.ts';
import { spaceByKind } from '../reference/reference.ts';
import { addUp, turnoverOn } from './measures.ts';

/** The facts of each period, the current one first. */
type FactsByPeriod = readonly (readonly Fact[])[];

/** Reference lists whose ids split turnover. */
export const splitKinds = ['shop', 'turnover_group'] as const;

type SplitKind = (typeof splitKinds)[number];

/**
 * A part of turnover with its value in each period, the current one first: zero where the report does not name it.
 * Orders and their value are undefined where they are not known.
 */
export interface TurnoverPart {
  part: string;
  id?: number;
  day?: Day;
  values: readonly (Decimal | undefined)[];
}

/** Turnover as a whole, or of some shops, in each period. Undefined unless exactly one measure means it. */
export function wholeTurnover(
  periods: FactsByPeriod,
  shops?: ReadonlySet<number>,
): readonly Decimal[] | undefined {
  const [whole] = sumsOf(periods, shops ? 'shop' : 'total', () => undefined, shops);
  return whole?.values;
}

/** Turnover by the ids of a list, of all or of some shops. Empty unless exactly one measure means it. */
export function splitTurnover(
  periods: FactsByPeriod,
  kind: SplitKind,
  names: ReadonlyMap<number, string>,
  shops?: ReadonlySet<number>,
): TurnoverPart[] {
  const split = shops && kind !== 'shop' ? `shop, ${kind}` : kind;
  const { idField } = spaceByKind[kind];
  // Amounts of no shop or group are in the remainder.
  return sumsOf(periods, split, ({ ids }) => ids[idField] ?? undefined, shops).flatMap((sums) => {
    const { id, name = String(id), values } = sums;
    return id === undefined ? [] : [{ part: names.get(id) ?? name, id, values }];
  });
}

/**
 * The days of a period, each with its turnover and that of the same day of every other period. Empty if weekdays differ
 * or a day was not read.
 */
export function dayParts(
  periods: readonly Days[],
  reports: readonly Pick<DayReport, 'day' | 'payload'>[],
  shops: ReadonlySet<number> | undefined,
): TurnoverPart[] {
  const payloadByDay = new Map(reports.map(({ day, payload }) => [day, payload]));
  const kindOf = (days: Days) => `${lengthOf(days)} ${weekdayOf(days.from)}`;
  const isAlike = new Set(periods.map(kindOf)).size === 1;
  const days = isAlike ? periods.map((period) => buckets(period, 'day')) : [];
  const payloads = days.flat().map(({ bucket }) => payloadByDay.get(bucket));
  if (payloads.includes(undefined)) return [];
  const values = wholeTurnover(payloads.map(readFacts), shops);
  if (!values) return [];
  const [own = []] = days;
  return own.map(({ bucket: day }, at) => ({
    part: `${weekdayOf(day).slice(0, 3)} ${day}`,
    day,
    values: days.map((_, nth) => values[nth * own.length + at] ?? zero),
  }));
}

function sumsOf(
  periods: FactsByPeriod,
  split: string,
  idOf: (fact: Fact) => number | undefined,
  shops: ReadonlySet<number> | undefined,
) {
  const isCounted = (fact: Fact) =>
    fact.split === split && (!shops || shops.has(fact.ids.shop_id ?? 0));
  const facts = periods.flatMap((all, at) =>
    all.filter(isCounted).map((fact) => ({ ...fact, at })),
  );
  const measure = turnoverOn(
    '_wt',
    facts.map((fact) => fact.measure),
  );
  const turnover = facts.filter((fact) => fact.measure === measure);
  return [...groupBy(turnover, (fact) => String(idOf(fact))).values()].map((ofId) => ({
    id: idOf(ofId[0]),
    name: ofId[0].name,
    values: periods.map((_, period) => {
      return addUp(ofId.flatMap(({ at, value }) => (at === period ? [value] : [])));
    }),
  }));
}
