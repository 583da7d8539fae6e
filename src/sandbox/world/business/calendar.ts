/** Amsterdam days and times, and the business of a day and its hours. */
import { offsetMinutes } from '../../../core/calendar.ts';
import type { Shop } from './account.ts';
import type { Chance } from './chance.ts';

/** Days since 1 January 1970. */
export type DayNumber = number;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Reads `YYYY-MM-DD`; NaN for an unknown day. */
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

/** Epoch milliseconds of Amsterdam midnight. */
export function dayStart(day: DayNumber): number {
  // Clocks never change between 22:00 and 24:00 UTC, so the offset of 23:00 is that of midnight.
  return day * DAY_MS - offsetMs(day * DAY_MS - HOUR_MS);
}

/**
 * Reads wall-clock times of a day, in seconds since midnight, as epoch milliseconds. The skipped hour of spring
 * becomes the next; `repeated` asks for the second one of the doubled hour of autumn.
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

/** Unusual days, fixed when the sandbox starts. */
export interface Span {
  first: DayNumber;
  /** A Tuesday, 12 to 18 days back, without sales (stocktaking). */
  closedDay: DayNumber;
  /** A day about 9 days back on which the till of `UNBALANCED_SHOP_ID` was short. */
  unbalancedDay: DayNumber;
}

/** The shop and amount of the shortage on the unbalanced day. */
export const UNBALANCED_SHOP_ID = 3;
export const SHORTAGE_CENTS = 1250;

const MONTHS = [0.87, 0.87, 0.93, 0.99, 1.04, 1.02, 0.95, 0.94, 1, 1.03, 1.11, 1.25] as const;
const HOUR_SECONDS = 3600;
/** Weights of the hours of the webshop from midnight on. */
const WEB_HOURS = [4, 2, 1, 1, 1, 1, 2, 4, 6, 8, 9, 9, 10, 9, 8, 8, 8, 8, 10, 14, 17, 16, 11, 7];
const WEB_WHEEL = WEB_HOURS.flatMap((weight, hour) => Array<number>(weight).fill(hour));

export function spanFrom(today: DayNumber, days: number): Span {
  const tuesdayOffset = (weekday(today - 12) - 2 + 7) % 7;
  let unbalancedDay = today - 9;
  while (isHoliday(unbalancedDay)) unbalancedDay -= 1;
  return { first: today - days + 1, closedDay: today - 12 - tuesdayOffset, unbalancedDay };
}

/** Expected orders before chance; 0 when the shop is closed. */
export function expectedOrders(
  shop: Shop,
  day: DayNumber,
  ordersPerDay: number,
  span: Span,
): number {
  if (day < span.first || day === span.closedDay) return 0;
  if (isHoliday(day) && shop.trade !== 'web') return 0;
  const weekTotal = shop.week.reduce((sum, factor) => sum + factor, 0);
  const weekFactor = ((shop.week[weekday(day) - 1] ?? 0) * 7) / weekTotal;
  const season = MONTHS[new Date(day * DAY_MS).getUTCMonth()] ?? 1;
  return ordersPerDay * shop.share * weekFactor * season;
}

/** Moments of `count` orders in epoch ms, whole seconds, unsorted. */
export function drawMoments(chance: Chance, shop: Shop, day: DayNumber, count: number): number[] {
  const momentAt = wallClock(day);
  const moments = Array.from({ length: count }, () => drawMoment(chance, shop, momentAt));
  // On most days customers order within a minute of midnight, on either side.
  if (shop.trade === 'web' && count >= 4 && chance.happens(0.85)) {
    moments[0] = momentAt(chance.between(1, 59));
    moments[1] = momentAt(24 * HOUR_SECONDS - chance.between(1, 59));
  }
  return moments;
}

function drawMoment(chance: Chance, shop: Shop, momentAt: ReturnType<typeof wallClock>): number {
  const [open, close] = shop.hours;
  if (shop.trade === 'web') {
    const hour = WEB_WHEEL[Math.floor(chance.next() * WEB_WHEEL.length)] ?? 0;
    return momentAt(hour * HOUR_SECONDS + chance.between(0, HOUR_SECONDS - 1), chance.happens(0.5));
  }
  if (shop.trade === 'restaurant') {
    const [from, to] = chance.happens(0.3) ? [open, open + 3] : [close - 5, close - 1];
    return momentAt(chance.between(from * HOUR_SECONDS, to * HOUR_SECONDS - 1));
  }
  // The mean of two draws is rarely near opening or closing time.
  const middle = (chance.next() + chance.next()) / 2;
  return momentAt(Math.floor((open + (close - open) * middle) * HOUR_SECONDS));
}

/** On Christmas Day and King's Day only the webshop is open. */
function isHoliday(day: DayNumber): boolean {
  const date = formatDay(day).slice(5);
  // King's Day moves from a Sunday to the Saturday before it.
  return (
    date === '12-25' ||
    (date === '04-27' && weekday(day) !== 7) ||
    (date === '04-26' && weekday(day) === 6)
  );
}
