/**
 * Days as the platform counts them (docs/platform.md#days): `YYYY-MM-DD` in Europe/Amsterdam, and a day
 * begins at Amsterdam midnight, whatever the machine's own zone.
 */
import { DateTime, type DurationLikeObject } from 'luxon';

/** The zone in which the platform interprets every date. */
export const timezone = 'Europe/Amsterdam';

/** A calendar day, `YYYY-MM-DD`. Days in this form sort as text. */
export type Day = string;

/** A stretch of the calendar; weeks are ISO weeks, Monday first. */
export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** The Amsterdam day on which the instant `ms` (epoch milliseconds) falls. */
export function amsterdamDay(ms: number): Day {
  return amsterdamClock(ms).slice(0, '2026-11-19'.length);
}

/** The instant as ISO 8601 with Amsterdam's offset, to the second: `2026-11-19T14:02:11+01:00`. */
export function amsterdamIso(ms: number): string {
  const hours = amsterdamOffsetMinutes(ms) / 60;
  return `${amsterdamClock(ms).slice(0, '2026-11-19T14:02:11'.length)}+0${hours}:00`;
}

/** What Amsterdam's clocks show at the instant, written as ISO 8601 in UTC. */
function amsterdamClock(ms: number): string {
  return new Date(ms + amsterdamOffsetMinutes(ms) * 60_000).toISOString();
}

/** Minutes that Amsterdam's clock is ahead of UTC at the instant `ms`: 60 in winter, 120 in summer. */
export function amsterdamOffsetMinutes(ms: number): number {
  // Offsets change on whole hours, and every row of a list asks for one.
  const hour = Math.floor(ms / 3_600_000);
  const offset = offsets.get(hour) ?? DateTime.fromMillis(ms, { zone: timezone }).offset;
  if (offsets.size >= maxOffsets) offsets.clear();
  offsets.set(hour, offset);
  return offset;
}

const offsets = new Map<number, number>();
/** Two years of hours. */
const maxOffsets = 17_544;

/** Whether `text` is a day that exists, written `YYYY-MM-DD`: not `2026-02-30`, not `2026-2-3`. */
export function isDay(text: string): text is Day {
  // A date that the month lacks reads as none, or as one of the next month.
  const date = new Date(`${text}T00:00:00Z`).getUTCDate();
  return /^\d{4}-\d\d-\d\d$/.test(text) && date === Number(text.slice(-2));
}

/** The day `days` later, or earlier when negative. */
export function addDays(day: Day, days: number): Day {
  return addTo(day, { days });
}

/** The day `months` later, or earlier when negative; a day the month lacks becomes its last one. */
export function addMonths(day: Day, months: number): Day {
  return addTo(day, { months });
}

/** The day so many days, weeks, months, quarters and years later; see {@link addMonths}. */
export function addTo(day: Day, duration: DurationLikeObject): Day {
  return dayOf(dateOf(day).plus(duration));
}

/** The first day of the unit that holds `day`. */
export function startOf(unit: CalendarUnit, day: Day): Day {
  return dayOf(dateOf(day).startOf(unit));
}

/** The last day of the unit that holds `day`. */
export function endOf(unit: CalendarUnit, day: Day): Day {
  return dayOf(dateOf(day).endOf(unit));
}

/** How many days lie between two days: 0 for the same day, negative when `to` comes first. */
export function daysBetween(from: Day, to: Day): number {
  return dateOf(to).diff(dateOf(from), 'days').days;
}

/** How many calendar months lie between the months of two days, whatever the day of the month. */
export function monthsBetween(from: Day, to: Day): number {
  return dateOf(to).startOf('month').diff(dateOf(from).startOf('month'), 'months').months;
}

/** The weekday of `day`, in English. */
export function weekdayOf(day: Day): string {
  return dateOf(day).setLocale('en-US').toFormat('cccc');
}

/** The ISO week of `day`: `2026-W47`. Around New Year the year is the week's, not the day's. */
export function isoWeekOf(day: Day): string {
  return dateOf(day).toFormat("kkkk-'W'WW");
}

/** The month of `day`: `2026-11`. */
export function monthOf(day: Day): string {
  return day.slice(0, '2026-11'.length);
}

// Arithmetic on whole days happens in UTC, where every day has 24 hours.
function dateOf(day: Day): DateTime {
  return DateTime.fromISO(day, { zone: 'utc' });
}

function dayOf(date: DateTime): Day {
  return date.toFormat('yyyy-MM-dd');
}
