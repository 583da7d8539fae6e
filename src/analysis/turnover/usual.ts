/** A figure among those of earlier periods like its own, and which of these count (docs/answers.md#what-is-usual). */
import type { Day, Days } from '../../core/calendar.ts';
import type { MessageOf } from '../../core/message.ts';
import type { Decimal } from '../../core/money.ts';
import type { DayNote } from '../answer.ts';

/** Fewer earlier periods than this are too few to call usual. */
export const fewestEarlier = 4;

interface Standing {
  median: Decimal;
  low: Decimal;
  high: Decimal;
  /** How many earlier figures there are. */
  count: number;
  /** 1 and one more for each earlier figure that is lower; null without a current one. */
  rank: number | null;
}

/** The standing of a figure among earlier ones; undefined without any. */
export function standingOf(
  current: Decimal | null,
  earlier: readonly Decimal[],
): Standing | undefined {
  const sorted = earlier.toSorted((a, b) => a.cmp(b));
  const [low, high] = [sorted.at(0), sorted.at(-1)];
  const [lower, upper] = middleOf(sorted);
  if (!low || !high || !lower || !upper) return undefined;
  const rank = current && 1 + earlier.filter((it) => it.lt(current)).length;
  const median = lower.plus(upper).div(2).toDecimalPlaces(2);
  return { median, low, high, count: sorted.length, rank };
}

function middleOf<T>(sorted: readonly T[]): readonly [T | undefined, T | undefined] {
  const { length } = sorted;
  return [sorted[Math.ceil(length / 2) - 1], sorted[Math.floor(length / 2)]];
}

/** Of periods with a figure each, the latest of those that have one in the middle. */
export function middlePeriod<T extends { days: Days; value: Decimal }>(
  all: readonly T[],
): T | undefined {
  const middle = middleOf(all.toSorted((a, b) => a.value.cmp(b.value)));
  const isMiddle = ({ value }: T) => middle.some((it) => it?.value.eq(value));
  return all.filter(isMiddle).toSorted((a, b) => (a.days.from < b.days.from ? 1 : -1))[0];
}

/** What decides which earlier periods count. */
export interface Trade {
  hasTrade(days: Days): boolean;
  /** The first day with orders of the account, where that is known. */
  firstDay?: Day | undefined;
  notes: readonly DayNote[];
}

/** Days that do not count, and why. */
export interface Excluded extends Days {
  reason: MessageOf<'before_first_day' | 'before_first_trade' | 'no_trade' | 'unusual_day'>;
}

/** The earlier periods that count, and those that do not: before the first day, without trade, unusual days. */
export function chooseEarlier(
  periods: readonly Days[],
  { hasTrade, firstDay, notes }: Trade,
): { counted: readonly Days[]; excluded: readonly Excluded[] } {
  const first = periods.findLast(hasTrade);
  const reasonOf = (days: Days): Excluded['reason'] | undefined => {
    if (firstDay !== undefined && days.from < firstDay)
      return { code: 'before_first_day', firstDay };
    if (first && days.to < first.from) return { code: 'before_first_trade' };
    if (!hasTrade(days)) return { code: 'no_trade' };
    const unusual = unusualOn(days, notes, undefined);
    return unusual && { code: 'unusual_day', note: unusual.note };
  };
  const judged = periods.map((days) => ({ ...days, reason: reasonOf(days) }));
  return {
    counted: judged.flatMap(({ reason, ...days }) => (reason ? [] : [days])),
    excluded: judged.flatMap(({ reason, ...days }) => (reason ? [{ ...days, reason }] : [])),
  };
}

/** The note that makes a single day unusual, for a shop or, without one, for all. */
export function unusualOn(
  { from, to }: Days,
  notes: readonly DayNote[],
  shop: number | undefined,
): DayNote | undefined {
  if (from !== to) return undefined;
  return notes.find((it) => it.unusual && it.day === from && it.shop_id === shop);
}
