/**
 * Which day has how much business: weekdays, seasons, holidays, the closed day and the unbalanced
 * day.
 */
import { type DayNumber, dayOf, formatDay, month, monthsBefore, weekday } from './calendar.ts';
import type { Shop } from './places.ts';

/** The days that stand out, fixed when the sandbox starts. */
export interface Span {
  /** The first day with data: the first of a month, 25 months back. */
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

/** The span of the data as seen from `now` (epoch ms). */
export function spanFrom(now: number): Span {
  const today = dayOf(now);
  const tuesdayOffset = (weekday(today - 12) - 2 + 7) % 7;
  let unbalancedDay = today - 9;
  while (isHoliday(unbalancedDay)) unbalancedDay -= 1;
  return {
    first: monthsBefore(today, 25),
    closedDay: today - 12 - tuesdayOffset,
    unbalancedDay,
  };
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
  const season = MONTHS[month(day) - 1] ?? 1;
  return ordersPerDay * shop.share * weekFactor * season;
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
