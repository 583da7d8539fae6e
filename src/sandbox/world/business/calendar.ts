/** Amsterdam days and times; luxon knows when the clocks change. */
import { IANAZone } from 'luxon';

/** A calendar day: days since 1 January 1970. */
export type DayNumber = number;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const amsterdam = IANAZone.create('Europe/Amsterdam');

/** The day that `YYYY-MM-DD` names; NaN when there is no such day. */
export function dayNumber(date: string): DayNumber {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
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

/** The Amsterdam day of a moment (epoch milliseconds). */
export function dayOf(ms: number): DayNumber {
  return Math.floor((ms + offsetMs(ms)) / DAY_MS);
}

/** Epoch milliseconds of Amsterdam midnight at the start of `day`. */
export function dayStart(day: DayNumber): number {
  // The clocks never change between 22:00 and 24:00 UTC: the offset of 23:00 is that of midnight.
  return day * DAY_MS - offsetMs(day * DAY_MS - HOUR_MS);
}

/**
 * Reads wall-clock times of `day`, in seconds since midnight, as epoch milliseconds. The hour that
 * spring skips becomes the next one; of the hour that autumn repeats, `repeated` asks for the second.
 */
export function wallClock(day: DayNumber): (seconds: number, repeated?: boolean) => number {
  const start = dayStart(day);
  const changeMs = dayStart(day + 1) - start - DAY_MS;
  return (seconds, repeated = false) => {
    const isAfterChange = seconds >= 3 * 3600 || (repeated && changeMs > 0 && seconds >= 2 * 3600);
    return start + seconds * 1000 + (isAfterChange ? changeMs : 0);
  };
}

/** `2026-03-29T14:05:00+02:00`: a moment as the platform writes it, in whole seconds. */
export function formatMoment(ms: number): string {
  const offset = offsetMs(ms);
  return `${new Date(ms + offset).toISOString().slice(0, 19)}+0${offset / HOUR_MS}:00`;
}

/** Offsets by the hour, the step at which they change: a page of orders asks for a thousand. */
const offsets = new Map<number, number>();

function offsetMs(ms: number): number {
  const hour = Math.floor(ms / HOUR_MS);
  const offset = offsets.get(hour) ?? amsterdam.offset(ms) * 60_000;
  offsets.set(hour, offset);
  return offset;
}
