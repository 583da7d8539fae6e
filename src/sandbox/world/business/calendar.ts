/** Amsterdam days and times; and how much business a day has, and at which times. */
import { offsetMinutes } from '../../../core/calendar.ts';
import type { Shop } from './account.ts';
import type { Chance } from './chance.ts';

/** A calendar day: days since 1 January 1970. */
export type DayNumber = number;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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

function offsetMs(ms: number): number {
  return offsetMinutes(ms) * 60_000;
}

/** The unusual days, fixed when the sandbox starts. */
export interface Span {
  /** The first day with data. */
  first: DayNumber;
  /** A recent Tuesday, 12 to 18 days back, on which no shop sold anything (stocktaking). */
  closedDay: DayNumber;
  /** A day about 9 days back on which the till of `UNBALANCED_SHOP_ID` came up short. */
  unbalancedDay: DayNumber;
}

/** The shop whose payments fall short on the unbalanced day, and by how much. */
export const UNBALANCED_SHOP_ID = 3;
export const SHORTAGE_CENTS = 1250;

const MONTHS = [0.87, 0.87, 0.93, 0.99, 1.04, 1.02, 0.95, 0.94, 1, 1.03, 1.11, 1.25] as const;
const HOUR = 3600;
/** The weight of each hour of the webshop, from midnight on. */
const WEB_HOURS = [4, 2, 1, 1, 1, 1, 2, 4, 6, 8, 9, 9, 10, 9, 8, 8, 8, 8, 10, 14, 17, 16, 11, 7];
const WEB_WHEEL = WEB_HOURS.flatMap((weight, hour) => Array<number>(weight).fill(hour));

/** The span of a business of so many `days`, today included. */
export function spanFrom(today: DayNumber, days: number): Span {
  const tuesdayOffset = (weekday(today - 12) - 2 + 7) % 7;
  let unbalancedDay = today - 9;
  while (isHoliday(unbalancedDay)) unbalancedDay -= 1;
  return { first: today - days + 1, closedDay: today - 12 - tuesdayOffset, unbalancedDay };
}

/** Expected orders of a shop on a day, before chance; 0 when it is closed. */
export function expectedOrders(
  shop: Shop,
  day: DayNumber,
  ordersPerDay: number,
  span: Span,
): number {
  if (day < span.first || day === span.closedDay) return 0;
  if (isHoliday(day) && shop.trade !== 'web') return 0;
  const weekTotal = shop.week.reduce((sum, each) => sum + each, 0);
  const weekFactor = ((shop.week[weekday(day) - 1] ?? 0) * 7) / weekTotal;
  const season = MONTHS[new Date(day * DAY_MS).getUTCMonth()] ?? 1;
  return ordersPerDay * shop.share * weekFactor * season;
}

/** The moments (epoch ms, whole seconds, unsorted) of `count` orders of one shop on one day. */
export function drawMoments(chance: Chance, shop: Shop, day: DayNumber, count: number): number[] {
  const at = wallClock(day);
  const moments = Array.from({ length: count }, () => drawMoment(chance, shop, at));
  // On most days a customer orders within a minute of midnight, on either side of it.
  if (shop.trade === 'web' && count >= 4 && chance.happens(0.85)) {
    moments[0] = at(chance.between(1, 59));
    moments[1] = at(24 * HOUR - chance.between(1, 59));
  }
  return moments;
}

function drawMoment(chance: Chance, shop: Shop, at: ReturnType<typeof wallClock>): number {
  const [open, close] = shop.hours;
  if (shop.trade === 'web') {
    const hour = WEB_WHEEL[Math.floor(chance.next() * WEB_WHEEL.length)] ?? 0;
    return at(hour * HOUR + chance.between(0, HOUR - 1), chance.happens(0.5));
  }
  if (shop.trade === 'restaurant') {
    const [from, to] = chance.happens(0.3) ? [open, open + 3] : [close - 5, close - 1];
    return at(chance.between(from * HOUR, to * HOUR - 1));
  }
  // The mean of two draws: quiet at opening and closing time, busy in between.
  const middle = (chance.next() + chance.next()) / 2;
  return at(Math.floor((open + (close - open) * middle) * HOUR));
}

/** Christmas Day and King's Day: the points of sale are closed, the webshop is not. */
function isHoliday(day: DayNumber): boolean {
  const date = formatDay(day).slice(5);
  const isSunday = weekday(day) === 7;
  return (
    date === '12-25' ||
    (date === '04-27' && !isSunday) ||
    (date === '04-26' && weekday(day) === 6 && weekday(day + 1) === 7)
  );
}
