/**
 * Timestamps as the platform writes them, read in Amsterdam time: with an offset or `Z`, without one
 * (then it is Amsterdam's clock), or as a plain day.
 */
import { amsterdamOffsetMinutes, isDay } from './calendar.ts';

/** A point in Amsterdam time. `hasTime` is false for a plain day, which means its midnight. */
export interface Moment {
  /** Epoch milliseconds. */
  ms: number;
  hasTime: boolean;
}

const form =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(?: ?(Z|([+-](?:0\d|1[0-4]))(?::?([0-5]\d))?))?)?$/i;

/** What a value says, or undefined when it is no timestamp and no day that exists. */
export function readTimestamp(value: unknown): Moment | undefined {
  const found = typeof value === 'string' ? form.exec(value) : undefined;
  const [, day = '', time, zone, hours, minutes = '00'] = found ?? [];
  if (!isDay(day)) return undefined;
  const clockMs = Date.parse(`${day}T${time ?? '00:00'}Z`);
  const offset = hours ? `${hours}:${minutes}` : 'Z';
  const ms = zone ? Date.parse(`${day}T${time}${offset}`) : instantOf(clockMs);
  return { ms, hasTime: time !== undefined };
}

/**
 * Twice a year a reading of Amsterdam's clock is not one instant. What occurs twice (02:30 in October) is
 * read as the earlier; what does not occur (02:30 in March) as if the clock had not been put forward.
 */
function instantOf(clockMs: number): number {
  const dayMs = 86_400_000;
  const offsetMs = (ms: number) => amsterdamOffsetMinutes(ms) * 60_000;
  const before = clockMs - offsetMs(clockMs - dayMs);
  const after = clockMs - offsetMs(clockMs + dayMs);
  const shows = (ms: number) => ms + offsetMs(ms) === clockMs;
  return shows(before) || !shows(after) ? before : after;
}
