/**
 * Timestamps as the platform writes them, read in Amsterdam time: with an offset or `Z`, without one
 * (then it is Amsterdam's clock), or as a plain day.
 */
import { amsterdamOffsetMinutes, type Day, isRealDay } from './calendar.ts';

/** A point in Amsterdam time. `hasTime` is false for a plain day, which means its midnight. */
export interface Moment {
  /** Epoch milliseconds. */
  ms: number;
  hasTime: boolean;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const form =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?(?: ?(Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?))?)?$/i;

/** A timestamp taken apart as text; `time` and `offset` are undefined where it names none. */
export interface TimestampText {
  day: Day;
  /** `HH:mm:ss`, with the fraction as given. */
  time: string | undefined;
  /** `Z` or `+01:00`. */
  offset: string | undefined;
}

/**
 * The pieces of an ISO 8601 timestamp or a plain day, in one notation (`T`, seconds, `+01:00`), or
 * undefined when it is neither or names a day that does not exist.
 */
export function parseTimestamp(text: string): TimestampText | undefined {
  const [, day, minutes, seconds = '00', fraction = '', offset] = form.exec(text) ?? [];
  if (day === undefined || !isRealDay(day)) return undefined;
  return {
    day,
    time: minutes && `${minutes}:${seconds}${fraction}`,
    offset: offset && normalOffset(offset),
  };
}

/** What a value says, or undefined when it is no timestamp and no day. */
export function readTimestamp(value: unknown): Moment | undefined {
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (!parsed) return undefined;
  const { day, time, offset } = parsed;
  const ms = offset
    ? Date.parse(`${day}T${time}${offset}`)
    : instantOf(Date.parse(`${day}T${time ?? '00:00:00'}Z`));
  return { ms, hasTime: time !== undefined };
}

/**
 * Twice a year a clock reading is not one instant. What occurs twice (02:30 in October) is read as
 * the earlier; what does not occur (02:30 in March) as if the clock had not been put forward.
 */
function instantOf(clockMs: number): number {
  const offsetMs = (ms: number) => amsterdamOffsetMinutes(ms) * minuteMs;
  const before = clockMs - offsetMs(clockMs - dayMs);
  const after = clockMs - offsetMs(clockMs + dayMs);
  if (before === after || before + offsetMs(before) === clockMs) return before;
  return after + offsetMs(after) === clockMs ? after : before;
}

function normalOffset(offset: string): string {
  const digits = offset.replace(':', '').toUpperCase();
  return digits === 'Z' ? digits : `${digits.slice(0, 3)}:${digits.slice(3) || '00'}`;
}
