/** At what time of an Amsterdam day a shop gets its orders. */
import { atWallClock, type DayNumber } from './calendar.ts';
import type { Chance } from './chance.ts';
import type { Shop } from './places.ts';

const HOUR = 3600;
/** How busy the webshop is from midnight on, hour by hour. */
const WEB_HOURS = [4, 2, 1, 1, 1, 1, 2, 4, 6, 8, 9, 9, 10, 9, 8, 8, 8, 8, 10, 14, 17, 16, 11, 7];
const WEB_WHEEL = WEB_HOURS.flatMap((weight, hour) => Array<number>(weight).fill(hour));

/** The moments (epoch ms, whole seconds, unsorted) of `count` orders of one shop on one day. */
export function drawMoments(chance: Chance, shop: Shop, day: DayNumber, count: number): number[] {
  const moments = Array.from({ length: count }, () => drawMoment(chance, shop, day));
  // On most days somebody orders within a minute of midnight, on either side of it.
  if (shop.trade === 'web' && count >= 4 && chance.happens(0.85)) {
    moments[0] = atWallClock(day, chance.between(1, 59));
    moments[1] = atWallClock(day, 24 * HOUR - chance.between(1, 59));
  }
  return moments;
}

function drawMoment(chance: Chance, shop: Shop, day: DayNumber): number {
  const [open, close] = shop.hours;
  if (shop.trade === 'web') {
    const hour = WEB_WHEEL[Math.floor(chance.next() * WEB_WHEEL.length)] ?? 0;
    return atWallClock(day, hour * HOUR + chance.between(0, HOUR - 1), chance.happens(0.5));
  }
  if (shop.trade === 'restaurant') {
    const [from, to] = chance.happens(0.3) ? [open, open + 3] : [close - 5, close - 1];
    return atWallClock(day, chance.between(from * HOUR, to * HOUR - 1));
  }
  // The mean of two draws: quiet at opening and closing time, busy in between.
  const middle = (chance.next() + chance.next()) / 2;
  return atWallClock(day, Math.floor((open + (close - open) * middle) * HOUR));
}
