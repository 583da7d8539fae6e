import {
  addDays,
  type BucketSize,
  bucketOf,
  type Days,
  endOf,
  lengthOf,
  startOf,
} from './calendar.ts';
import type { Warning } from './warning.ts';

/**
 * The period cut into days, ISO weeks or months, in order, without gap or overlap; it may cut the first
 * and the last short. Where there are more than `most`, the first of them, one more than that.
 */
export function buckets(
  { from, to }: Days,
  size: BucketSize,
  most = Infinity,
): ({ bucket: string } & Days)[] {
  const pieces: ({ bucket: string } & Days)[] = [];
  for (let first = from; first <= to && pieces.length <= most; ) {
    const end = size === 'day' ? first : endOf(size, first);
    // String comparison fails for five-digit years.
    const isLast = end >= to || end.length > to.length;
    pieces.push({ bucket: bucketOf(first, size), from: first, to: isLast ? to : end });
    if (isLast) break;
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
export function cutBuckets({ from, to }: Days, size: BucketSize): CutBucket[] {
  if (size === 'day') return [];
  const end = endOf(size, from);
  const first = { from, to: to < end ? to : end };
  const pieces = to <= end ? [first] : [first, { from: startOf(size, to), to }];
  return pieces.flatMap((piece) => {
    const days = lengthOf(piece);
    const of = lengthOf({ from: startOf(size, piece.from), to: endOf(size, piece.to) });
    return days < of ? [{ bucket: bucketOf(piece.from, size), days, of }] : [];
  });
}

/** A warning that names cut buckets; none without one. */
export function sayCut(cut: readonly CutBucket[]): Warning[] {
  const each = cut.map(({ bucket, days, of }) => `${bucket} is ${days} of ${of} days`).join(', ');
  const text = `Cut by the period, so not to be compared with whole ones: ${each}.`;
  return each === '' ? [] : [{ code: 'cut_by_period', text }];
}
