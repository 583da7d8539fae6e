/** The earlier periods like one: what they are is decided here, which of them count is not. */
import {
  addDays,
  addTo,
  type CalendarUnit,
  type Day,
  type Days,
  endOf,
  lengthOf,
  startOf,
  weekdayOf,
} from './calendar.ts';
import type { Period } from './periods.ts';

/** Periods like another, the latest first. */
export interface EarlierPeriods {
  /** What they are called together: `Thursdays`, `weeks`, `months up to day 23`. */
  like: string;
  periods: readonly Days[];
}

/** Most days of what is no calendar month or quarter. */
export const maxUsualDays = 31;

/** How many months or quarters, and how many of anything else. */
const [monthsBack, timesBack] = [6, 8];

/**
 * The periods that tell what is usual for one.
 *
 * - A calendar month or quarter, whole or from its first day on: the same stretch of the six before. A whole
 *   one stays whole; a day that a shorter month lacks is left off.
 * - Anything else of at most {@link maxUsualDays} days: moved back by the least number of whole weeks that is
 *   not shorter than it, eight times. So are one day and whole weeks from a Monday, and what is `given` in days
 *   or weeks, where they begin a month by chance.
 *
 * Undefined for what is longer.
 */
export function earlierPeriods(period: Period): EarlierPeriods | undefined {
  const days = lengthOf(period);
  const unit = calendarUnit(period);
  if (unit) {
    const step = unit === 'month' ? 1 : 3;
    const periods = Array.from({ length: monthsBack }, (_, nth) =>
      monthsEarlier(period, (nth + 1) * step, unit),
    );
    return { like: isWhole(unit, period) ? `${unit}s` : `${unit}s up to day ${days}`, periods };
  }
  if (days > maxUsualDays) return undefined;
  return { like: sayStretches(period), periods: timesEarlier(period, 7 * Math.ceil(days / 7), 1) };
}

/** The days of the same weekday in the eight weeks before the day `first`. */
export function earlierWeekdays(day: Day, first: Day): EarlierPeriods {
  const days = { from: day, to: day };
  const weeks = Math.ceil(lengthOf({ from: first, to: day }) / 7);
  return { like: sayStretches(days), periods: timesEarlier(days, 7, weeks) };
}

function timesEarlier(period: Days, days: number, first: number): Days[] {
  return Array.from({ length: timesBack }, (_, nth) => daysEarlier(period, days * (first + nth)));
}

/** A period moved back by days. */
export function daysEarlier({ from, to }: Days, days: number): Days {
  return { from: addDays(from, -days), to: addDays(to, -days) };
}

/** A period moved back by months, a day that a month lacks being its last one; a whole unit stays whole. */
export function monthsEarlier(period: Days, months: number, unit: CalendarUnit): Days {
  const to = addTo(period.to, { months: -months });
  return {
    from: addTo(period.from, { months: -months }),
    to: isWhole(unit, period) ? endOf(unit, to) : to,
  };
}

/** Whether a period is a calendar unit, or several. */
export function isWhole(unit: CalendarUnit, { from, to }: Days): boolean {
  return from === startOf(unit, from) && to === endOf(unit, to);
}

/** The calendar month or quarter that a period is, or begins. */
function calendarUnit({ from, to, given }: Period): 'month' | 'quarter' | undefined {
  const begins = (unit: CalendarUnit) => from === startOf(unit, from) && to <= endOf(unit, from);
  const found = (['month', 'quarter'] as const).filter(begins);
  const named = found.find((unit) => given === `this_${unit}`);
  const days = lengthOf({ from, to });
  const isWeeks = days % 7 === 0 && weekdayOf(from) === 'Monday';
  const isOfDays =
    days === 1 || isWeeks || /^today$|^yesterday$|_(week|weeks|days)$|-W/.test(given);
  const whole = found.find((unit) => to === endOf(unit, from));
  return named ?? whole ?? (isOfDays ? undefined : found[0]);
}

function sayStretches({ from, to }: Days): string {
  const [days, first] = [lengthOf({ from, to }), weekdayOf(from)];
  if (days === 1) return `${first}s`;
  const noun = days === 7 ? 'weeks' : days === 14 ? 'fortnights' : `stretches of ${days} days`;
  return first === 'Monday' && days % 7 === 0 ? noun : `${noun} from ${first}`;
}
