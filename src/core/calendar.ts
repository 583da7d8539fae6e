/** Days and moments as the platform counts them (docs/platform.md#days), whatever the machine's own zone. */
import { DateTime, type DurationLikeObject } from 'luxon';
import { messagesOf, type Warning } from './message.ts';

export const timezone = 'Europe/Amsterdam';

/**
 * A calendar day, `YYYY-MM-DD`; days sort as text. Functions that count days read the label of a week
 * (`2026-W47`) or a month (`2026-11`) as its first day.
 */
export type Day = string;

/** Both days included. */
export interface Days {
  from: Day;
  to: Day;
}

/** Weeks are ISO weeks, Monday first. */
export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** The Amsterdam day on which the instant `ms` (epoch milliseconds) falls. */
export function amsterdamDay(ms: number): Day {
  return amsterdamIso(ms).slice(0, '2026-11-19'.length);
}

/** The instant as ISO 8601 with Amsterdam's offset, to the second: `2026-11-19T14:02:11+01:00`. */
export function amsterdamIso(ms: number): string {
  const offset = offsetMinutes(ms);
  return `${clockAt(ms, offset)}+0${offset / 60}:00`;
}

function clockAt(ms: number, offset: number): string {
  return new Date(ms + offset * 60_000).toISOString().slice(0, '2026-11-19T14:02:11'.length);
}

/** Amsterdam's clock at the instant, as spreadsheets read it: `2026-11-19 14:02:11`. */
export function spreadsheetClock(ms: number): string {
  return clockAt(ms, offsetMinutes(ms)).replace('T', ' ');
}

/**
 * Minutes that Amsterdam's clock is ahead of UTC, computed because Intl is slow and every row of a list asks. Since 1996
 * summer time lasts from the last Sunday of March to the last Sunday of October, 01:00 UTC.
 */
export function offsetMinutes(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  if (!(year >= 1996)) return DateTime.fromMillis(ms, { zone: timezone }).offset;
  return lastSundayOf(2, year) <= ms && ms < lastSundayOf(9, year) ? 120 : 60;
}

function lastSundayOf(month: number, year: number): number {
  const lastDayMs = Date.UTC(year, month, 31, 1);
  // The first day of 1970 was a Thursday.
  const weekday = (Math.floor(lastDayMs / 86_400_000) + 4) % 7;
  return lastDayMs - weekday * 86_400_000;
}

const timestampForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(?: ?(Z|([+-](?:0\d|1[0-4]))(?::?([0-5]\d))?))?)?$/i;

/**
 * The instant of a timestamp as the platform writes it: with an offset or `Z`, without one (then it is
 * Amsterdam's clock), or as a plain day, which has no time and means its midnight. Undefined for any other
 * value and for a day that does not exist.
 */
export function readTimestamp(value: unknown): { ms: number; hasTime: boolean } | undefined {
  const match = typeof value === 'string' ? timestampForm.exec(value) : undefined;
  const [, day = '', time, zone, hours, minutes = '00'] = match ?? [];
  if (!isDay(day)) return undefined;
  const offset = hours ? `${hours}:${minutes}` : 'Z';
  const ms = Date.parse(`${day}T${time ?? '00:00'}${offset}`);
  return { ms: zone ? ms : instantOf(ms), hasTime: time !== undefined };
}

/** Whether a timestamp has a time. Much cheaper than {@link readTimestamp}, which gives the instant. */
export function timestampKind(value: unknown): 'day' | 'moment' | undefined {
  const match = typeof value === 'string' ? timestampForm.exec(value) : undefined;
  if (!isDay(match?.[1] ?? '')) return undefined;
  return match?.[2] === undefined ? 'day' : 'moment';
}

/**
 * A moment with an offset or `Z` by Amsterdam's clock, to the second: `2026-11-19T14:02:11`. A time that the clock
 * shows twice (02:30 in October) keeps its offset. Undefined for any other text.
 */
export function amsterdamClock(text: string): string | undefined {
  if (!momentForm.test(text)) return undefined;
  const moment = readTimestamp(text);
  if (moment === undefined) return undefined;
  const { ms } = moment;
  const offset = offsetMinutes(ms);
  // Summer ends on a Sunday.
  const isRepeated =
    new Date(ms).getUTCDay() === 0 &&
    (offsetMinutes(ms - 3_600_000) === offset + 60 ||
      offsetMinutes(ms + 3_600_000) === offset - 60);
  return isRepeated ? amsterdamIso(ms) : clockAt(ms, offset);
}

const momentForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** An {@link amsterdamClock} for many moments: it converts each hour once and copies minutes and seconds. */
export function hourlyClock(): typeof amsterdamClock {
  const clocks = new Map<string, string | undefined>();
  return (text) => {
    const [, hour = '', minutes, zone] = wholeHourZone.exec(text) ?? [];
    if (minutes === undefined) return amsterdamClock(text);
    const key = `${hour}:00${zone}`;
    if (!clocks.has(key)) clocks.set(key, amsterdamClock(key));
    const clock = clocks.get(key);
    return (
      clock && clock.slice(0, hour.length) + minutes + clock.slice('2026-11-19T14:02:11'.length)
    );
  };
}

/** Amsterdam's clock, too, has differed from UTC by whole hours in this century. */
const wholeHourZone = /^(20\d\d-\d\d-\d\dT\d\d)(:[0-5]\d:[0-5]\d)(?:\.\d{1,9})?(Z|[+-]\d\d:00)$/;

/**
 * The instant at which Amsterdam's clock shows a time. A time that occurs twice (02:30 in October) means the earlier
 * instant; one that the clock skips (02:30 in March) is read in winter time.
 */
function instantOf(clockMs: number): number {
  // The earlier instant is the one in summer time.
  const earliestMs = clockMs - 120 * 60_000;
  return clockMs - offsetMinutes(earliestMs) * 60_000;
}

/** False for a day that does not exist (`2026-02-30`) and for other notations (`2026-2-3`). */
export function isDay(text: string): text is Day {
  if (!dayForm.test(text)) return false;
  const date = Number(text.slice(-2));
  // Date reads 30 February as invalid or as a day of March.
  return date <= 28 || new Date(`${text}T00:00:00Z`).getUTCDate() === date;
}

const dayForm = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

export function addDays(day: Day, days: number): Day {
  if (!isDay(day)) return addDuration(day, { days });
  // Luxon takes seven times as long.
  const moved = new Date(Date.parse(day) + days * 86_400_000);
  return moved.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

/** 31 January plus one month is the last day of February. */
export function addDuration(day: Day, duration: DurationLikeObject): Day {
  return dayOf(dateOf(day).plus(duration));
}

/** The days of the `count` whole units before the one that holds `day`. */
export function unitsBefore(day: Day, count: number, unit: CalendarUnit): Days {
  const next = startOf(unit, day);
  return { from: addDuration(next, { [unit]: -count }), to: addDays(next, -1) };
}

/** The first day of the unit that holds `day`. */
export function startOf(unit: CalendarUnit, day: Day): Day {
  return dayOf(dateOf(day).startOf(unit));
}

/** The last day of the unit that holds `day`. */
export function endOf(unit: CalendarUnit, day: Day): Day {
  return dayOf(dateOf(day).endOf(unit));
}

/** How many days, or whole months, a period has, both ends included; a daylight-saving day is one day. */
export function lengthOf({ from, to }: Days, unit: 'days' | 'months' = 'days'): number {
  return dateOf(to).plus({ days: 1 }).diff(dateOf(from), unit).as(unit);
}

/** In English. */
export function weekdayOf(day: Day): string {
  return dateOf(day).toFormat('cccc');
}

export const bucketSizes = ['day', 'week', 'month'] as const;

export type BucketSize = (typeof bucketSizes)[number];

/** The label of the bucket that holds a day: `2026-11-19`, `2026-W47` or `2026-11`. */
export function bucketOf(day: Day, size: BucketSize): string {
  // Around New Year the year is the week's, not the day's.
  if (size === 'week') return dateOf(day).toFormat("kkkk-'W'WW");
  return size === 'day' ? day : day.slice(0, '2026-11'.length);
}

/**
 * The period cut into days, ISO weeks or months, in order; the first and the last may be cut short.
 * @param max cutting stops at one bucket more, by which callers see that there are too many
 */
export function buckets(
  { from, to }: Days,
  size: BucketSize,
  max = Infinity,
): ({ bucket: string } & Days)[] {
  const pieces: ({ bucket: string } & Days)[] = [];
  for (let first = from; first <= to && pieces.length <= max; ) {
    const end = size === 'day' ? first : endOf(size, first);
    // String comparison fails for five-digit years.
    const isLast = end >= to || end.length > to.length;
    pieces.push({ bucket: bucketOf(first, size), from: first, to: isLast ? to : end });
    if (isLast) break;
    first = addDays(end, 1);
  }
  return pieces;
}

/** A bucket with fewer days than its week or month, because the period begins or ends within it. */
export interface CutBucket {
  bucket: string;
  days: number;
  of: number;
}

export const calendarMessages = messagesOf({
  cut_by_period: ({ buckets }: { buckets: readonly CutBucket[] }) => {
    const each = buckets.map(({ bucket, days, of }) => `${bucket} is ${days} of ${of} days`);
    return `The period cuts these short, so do not compare them with whole ones: ${each.join(', ')}.`;
  },
});

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

export function cutWarnings(buckets: readonly CutBucket[]): Warning[] {
  return buckets.length > 0 ? [calendarMessages.cut_by_period({ buckets })] : [];
}

// In UTC every day has 24 hours. The locale is given because luxon would load Intl to look for it.
function dateOf(day: Day): DateTime {
  const utc = { zone: 'utc', locale: 'en-US' };
  // Date reads a plain day in a fraction of luxon's time.
  const isDate = day.length === '2026-11-19'.length;
  return isDate ? DateTime.fromMillis(Date.parse(day), utc) : DateTime.fromISO(day, utc);
}

function dayOf(date: DateTime): Day {
  return date.toISODate() ?? '';
}
