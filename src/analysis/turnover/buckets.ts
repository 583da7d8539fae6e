import { addDays, type Day, daysBetween, endOf, isoWeekOf, monthOf } from '../../core/calendar.ts';
import type { Period } from '../../core/periods.ts';

/** The sizes into which a period can be cut; weeks are ISO weeks, Monday first. */
export const bucketSizes = ['day', 'week', 'month'] as const;

export type BucketSize = (typeof bucketSizes)[number];

/** One piece of a period, both days included; the first and last may be cut short by the period. */
export interface Bucket {
  /** `2026-11-19`, `2026-W47` or `2026-11`. */
  bucket: string;
  from: Day;
  to: Day;
}

/** The period cut into days, ISO weeks or months, in order, without gap or overlap. */
export function buckets({ from, to }: Pick<Period, 'from' | 'to'>, size: BucketSize): Bucket[] {
  const pieces: Bucket[] = [];
  for (let first = from; first <= to; ) {
    const end = size === 'day' ? first : endOf(size, first);
    const last = end < to ? end : to;
    pieces.push({ bucket: labelOf(first, size), from: first, to: last });
    first = addDays(last, 1);
  }
  return pieces;
}

/** How many days a period has, both ends included; a daylight-saving day is one day. */
export function daysIn({ from, to }: Pick<Period, 'from' | 'to'>): number {
  return daysBetween(from, to) + 1;
}

function labelOf(day: Day, size: BucketSize): string {
  if (size === 'day') return day;
  return size === 'week' ? isoWeekOf(day) : monthOf(day);
}
