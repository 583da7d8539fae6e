import {
  addDays,
  type BucketSize,
  bucketOf,
  type Days,
  endOf,
  lengthOf,
  startOf,
} from './calendar.ts';

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

/** A bucket that a period cuts: it has fewer days than its week or month. */
interface CutBucket {
  bucket: string;
  days: number;
  of: number;
}

/** Those of the buckets of a period, the first and the last at most, that it cuts. */
export function cutBuckets(period: Days, size: BucketSize): CutBucket[] {
  if (size === 'day') return [];
  return buckets(period, size).flatMap(({ bucket, from, to }) => {
    const days = lengthOf({ from, to });
    const of = lengthOf({ from: startOf(size, from), to: endOf(size, to) });
    return days < of ? [{ bucket, days, of }] : [];
  });
}

/** A warning that names cut buckets; none without one. */
export function sayCut(cut: readonly CutBucket[]): string[] {
  const each = cut.map(({ bucket, days, of }) => `${bucket} is ${days} of ${of} days`).join(', ');
  return each === '' ? [] : [`Cut by the period, so not to be compared with whole ones: ${each}.`];
}
