import {
  addDays,
  type Day,
  daysBetween,
  endOf,
  isoWeekOf,
  monthOf,
  startOf,
  weekdayOf,
} from './calendar.ts';

/** The sizes into which a period can be cut; weeks are ISO weeks, Monday first. */
export const bucketSizes = ['day', 'week', 'month'] as const;

export type BucketSize = (typeof bucketSizes)[number];

/** Days from the first up to and including the last. */
export interface Days {
  from: Day;
  to: Day;
}

/**
 * The period cut into days, ISO weeks or months, in order, without gap or overlap; it may cut the first
 * and the last short.
 */
export function buckets({ from, to }: Days, size: BucketSize): ({ bucket: string } & Days)[] {
  const pieces: ({ bucket: string } & Days)[] = [];
  for (let first = from; first <= to; ) {
    const end = size === 'day' ? first : endOf(size, first);
    pieces.push({ bucket: bucketOf(first, size), from: first, to: end < to ? end : to });
    first = addDays(end, 1);
  }
  return pieces;
}

/** The label of the bucket that holds a day: `2026-11-19`, `2026-W47` or `2026-11`. */
export function bucketOf(day: Day, size: BucketSize): string {
  if (size === 'day') return day;
  return size === 'week' ? isoWeekOf(day) : monthOf(day);
}

/** How many days a period has, both ends included; a daylight-saving day is one day. */
export function daysIn({ from, to }: Days): number {
  return daysBetween(from, to) + 1;
}

/** A bucket that a period cuts: it has fewer days than its week or month. */
export interface CutBucket {
  bucket: string;
  days: number;
  of: number;
}

/** Those of the buckets of a period, the first and the last at most, that it cuts. */
export function cutBuckets(period: Days, size: BucketSize): CutBucket[] {
  if (size === 'day') return [];
  const sized = buckets(period, size).map(({ bucket, from, to }) => {
    const whole = { from: startOf(size, from), to: endOf(size, from) };
    return { bucket, days: daysIn({ from, to }), of: daysIn(whole) };
  });
  return sized.filter(({ days, of }) => days < of);
}

/** A warning that names cut buckets; none without one. */
export function sayCut(cut: readonly CutBucket[]): string[] {
  const each = cut.map(({ bucket, days, of }) => `${bucket} is ${days} of ${of} days`).join(', ');
  return each === '' ? [] : [`Cut by the period, so not to be compared with whole ones: ${each}.`];
}

/** What keeps two spans of days from being compared one to one: their lengths, or their weekdays. */
export function sayUnlike(days: Days, others: Days): string | undefined {
  const [count, other] = [daysIn(days), daysIn(others)];
  if (count !== other) return `${count} against ${other} days`;
  const [first, last] = [sayWeekdays(days), sayWeekdays(others)];
  return count % 7 === 0 || first === last ? undefined : `${first} against ${last}`;
}

function sayWeekdays(days: Days): string {
  const [first, last] = [weekdayOf(days.from), weekdayOf(days.to)];
  if (daysIn(days) > 7) return `${daysIn(days)} days from ${first}`;
  return days.from === days.to ? first : `${first} to ${last}`;
}
