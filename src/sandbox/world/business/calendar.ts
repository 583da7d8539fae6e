/**
 * Amsterdam days and times, by the rule of the European directive instead of the zone database:
 * hundreds of thousands of orders are dated with it, and tests compare it with luxon.
 */

/** A calendar day: days since 1 January 1970. */
export type DayNumber = number;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Section 1.1: the day number of `YYYY-MM-DD`, or undefined when no such day exists. */
export function parseDay(text: string): DayNumber | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  // Date.parse reads 31 February as 3 March; a day that exists reads back as it was written.
  return formatDay(ms / DAY_MS) === text ? ms / DAY_MS : undefined;
}

/** `YYYY-MM-DD`. */
export function formatDay(day: DayNumber): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** 1 (Monday) to 7 (Sunday). */
export function weekday(day: DayNumber): number {
  return ((day + 3) % 7) + 1;
}

/** 1 to 12. */
export function month(day: DayNumber): number {
  return new Date(day * DAY_MS).getUTCMonth() + 1;
}

/** The first day of the month that lies `months` before the month of `day`. */
export function monthsBefore(day: DayNumber, months: number): DayNumber {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1) / DAY_MS;
}

/** The Amsterdam day of a moment (epoch milliseconds). */
export function dayOf(ms: number): DayNumber {
  return Math.floor((ms + offsetMs(ms)) / DAY_MS);
}

/** Epoch milliseconds of Amsterdam midnight at the start of `day`. */
export function dayStart(day: DayNumber): number {
  // The clock never changes between 22:00 and 24:00 UTC, so any moment near midnight tells the offset.
  return day * DAY_MS - offsetMs(day * DAY_MS - HOUR_MS);
}

/**
 * Epoch milliseconds of a wall-clock time on `day`. The hour that spring skips becomes the next
 * one; of the hour that autumn repeats, `repeated` asks for the second.
 */
export function atWallClock(day: DayNumber, seconds: number, repeated = false): number {
  const start = dayStart(day);
  const changeMs = dayStart(day + 1) - start - DAY_MS;
  const isAfterChange = seconds >= 3 * 3600 || (repeated && changeMs > 0 && seconds >= 2 * 3600);
  return start + seconds * 1000 + (isAfterChange ? changeMs : 0);
}

/** `2026-03-29T14:05:00+02:00`: a moment as the platform writes it, in whole seconds. */
export function formatMoment(ms: number): string {
  const offset = offsetMs(ms);
  return `${new Date(ms + offset).toISOString().slice(0, 19)}+0${offset / HOUR_MS}:00`;
}

/** Summer time runs from the last Sunday of March to the last Sunday of October, 01:00 UTC. */
function offsetMs(ms: number): number {
  const date = new Date(ms);
  const month = date.getUTCMonth();
  const isMarch = month === 2;
  // The other months have one time only.
  if (!isMarch && month !== 9) return month > 2 && month < 9 ? 2 * HOUR_MS : HOUR_MS;
  const hasChanged = ms >= lastSunday(date.getUTCFullYear(), month) + HOUR_MS;
  return hasChanged === isMarch ? 2 * HOUR_MS : HOUR_MS;
}

/** Midnight UTC of the last Sunday of March (2) or October (9), both of 31 days. */
function lastSunday(year: number, monthIndex: number): number {
  const last = Date.UTC(year, monthIndex, 31);
  return last - new Date(last).getUTCDay() * DAY_MS;
}
