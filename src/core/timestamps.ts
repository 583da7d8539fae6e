/**
 * Timestamps as the platform writes them, read in Amsterdam time: with an offset or `Z`, without one
 * (then it is Amsterdam's clock), or as a plain day.
 */
import {
  amsterdamOffsetMinutes,
  type Day,
  isoWeekOf,
  isRealDay,
  monthOf,
  weekdayOf,
} from './calendar.ts';

/** A point in Amsterdam time. `hasTime` is false for a plain day, which stands for its midnight. */
export interface Moment {
  /** Epoch milliseconds. */
  ms: number;
  hasTime: boolean;
}

/** The parts of a timestamp by which rows are grouped, in Amsterdam time. */
export const timeParts = ['hour', 'weekday', 'day', 'week', 'month'] as const;

export type TimePart = (typeof timeParts)[number];

/** Reads many timestamps quickly: it remembers offsets and weeks, so keep one per pass over rows. */
export interface TimestampReader {
  /** What `value` stands for, or undefined when it is no timestamp and no day. */
  read(value: unknown): Moment | undefined;
  /**
   * One part of a timestamp: hour `00` to `23`, weekday `Monday` to `Sunday`, day `2026-11-19`,
   * ISO week `2026-W47`, month `2026-11`. Undefined for the hour of a plain day.
   */
  part(moment: Moment, part: TimePart): string | undefined;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

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

/** A reader with an empty memory. See {@link TimestampReader}. */
export function createTimestampReader(): TimestampReader {
  const offsets = new Map<number, number>();
  const weeks = new Map<Day, string>();
  const days = new Map<Day, string>();

  // Zones change their offset on the hour, so one look-up serves every instant within an hour.
  function offsetMsAt(ms: number): number {
    return (
      remembered(offsets, Math.floor(ms / hourMs), () => amsterdamOffsetMinutes(ms)) * minuteMs
    );
  }

  /**
   * Twice a year a clock reading is not one instant. What occurs twice (02:30 in October) is read as
   * the earlier; what does not occur (02:30 in March) as if the clock had not been put forward.
   */
  function instantOf(clockMs: number): number {
    const before = clockMs - offsetMsAt(clockMs - dayMs);
    const after = clockMs - offsetMsAt(clockMs + dayMs);
    if (before === after || before + offsetMsAt(before) === clockMs) return before;
    return after + offsetMsAt(after) === clockMs ? after : before;
  }

  return {
    read(value) {
      const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
      if (!parsed) return undefined;
      const { day, time, offset } = parsed;
      const ms = offset
        ? Date.parse(`${day}T${time}${offset}`)
        : instantOf(Date.parse(`${day}T${time ?? '00:00:00'}Z`));
      return { ms, hasTime: time !== undefined };
    },
    part({ ms, hasTime }, part) {
      const clock = new Date(ms + offsetMsAt(ms)).toISOString();
      const day = clock.slice(0, 10);
      if (part === 'day') return day;
      if (part === 'hour') return hasTime ? clock.slice(11, 13) : undefined;
      if (part === 'week') return remembered(weeks, day, () => isoWeekOf(day));
      return part === 'month' ? monthOf(day) : remembered(days, day, () => weekdayOf(day));
    },
  };
}

function normalOffset(offset: string): string {
  const digits = offset.replace(':', '').toUpperCase();
  return digits === 'Z' ? digits : `${digits.slice(0, 3)}:${digits.slice(3) || '00'}`;
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return found;
}
