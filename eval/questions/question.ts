/** What the questions are made of; questions.ts lists them. */
import { DateTime } from 'luxon';
import type { World } from '../../src/sandbox/world/world.ts';
import type { Row } from '../judge/judge.ts';

/** One question, its true answer, and a proof that the two fit. */
export interface Question {
  /** Short, for the table, and to run it alone. */
  id: string;
  /** As a person asks it; days that stand out in the sandbox are those of the world. */
  ask: string | ((world: World) => string);
  /** What an answer has to tell, worked out from bare orders. */
  truth(world: World): readonly Row[];
  /** A statement that finds it: the tests hold question, truth and judge against it. */
  sql: string | ((world: World) => string);
}

/** First and last day, both included. */
type Days = readonly [from: string, to: string];

/** Whole weeks (from Monday), months and quarters before today, as the sandbox has them. */
export function daysOf(world: World) {
  const today = DateTime.fromISO(world.today(), { zone: 'utc' });
  const before = (unit: 'week' | 'month' | 'quarter', n: number): Days => {
    const start = today.startOf(unit).minus({ [`${unit}s`]: n });
    return [iso(start), iso(start.endOf(unit))];
  };
  // Saturdays are full of business, and no holiday is one for long.
  const saturday = today.minus({ days: today.weekday === 7 ? 1 : today.weekday + 1 });
  return {
    yesterday: iso(today.minus({ days: 1 })),
    saturday: iso(saturday),
    saturdayLastYear: iso(saturday.minus({ weeks: 52 })),
    lastWeek: before('week', 1),
    weekBefore: before('week', 2),
    lastFourWeeks: [before('week', 4)[0], before('week', 1)[1]] as const,
    lastMonth: before('month', 1),
    monthBefore: before('month', 2),
    lastThreeMonths: [before('month', 3)[0], before('month', 1)[1]] as const,
    lastQuarter: before('quarter', 1),
  };
}

/** Every day of a range. */
export function eachDay([from, to]: Days): string[] {
  const days: string[] = [];
  const last = DateTime.fromISO(to, { zone: 'utc' });
  for (let it = DateTime.fromISO(from, { zone: 'utc' }); it <= last; it = it.plus({ days: 1 }))
    days.push(iso(it));
  return days;
}

/** The same weekday in so many weeks before a day. */
export function sameWeekdays(date: string, weeks: number): string[] {
  const start = DateTime.fromISO(date, { zone: 'utc' });
  return Array.from({ length: weeks }, (_, nth) => iso(start.minus({ weeks: nth + 1 })));
}

/** The Monday-first week of a day. */
export function weekOf(date: string): Days {
  const start = DateTime.fromISO(date, { zone: 'utc' }).startOf('week');
  return [iso(start), iso(start.endOf('week'))];
}

/** The Amsterdam day of a moment. */
export function dayOf(ms: number): string {
  return iso(DateTime.fromMillis(ms, { zone: 'Europe/Amsterdam' }));
}

/** Items by a key, in the order in which the keys come first. */
export function grouped<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

/** Euros of whole cents. */
export function euros(cents: number): number {
  return cents / 100;
}

/** The largest, without those that tie with the first one left out: any order of these would be right. */
export function largest<T>(items: readonly T[], count: number, size: (item: T) => number): T[] {
  const sorted = items.toSorted((a, b) => size(b) - size(a));
  const next = sorted[count];
  const top = sorted.slice(0, count);
  return next === undefined ? top : top.filter((item) => size(item) > size(next));
}

function iso(moment: DateTime): string {
  return moment.toISODate() ?? '';
}
