import { amsterdamDay, amsterdamIso } from './calendar.ts';
import { InputError } from './errors.ts';
import { daysOfWord, periodWords } from './period-words.ts';
import { quoted } from './text.ts';
import { parseTimestamp, readTimestamp } from './timestamps.ts';

/**
 * What to send as `since` to a change feed (docs/platform.md#change-feeds). A period word becomes its
 * first day, a day stays a day (the platform reads it as Amsterdam midnight), a timestamp keeps its offset,
 * and one without an offset is Amsterdam time. A clock reading that occurs twice in October is the
 * earlier of the two, so that no change is missed; one that March skips is an hour later by the clock.
 * @throws InputError when it is none of these, or lies in the future.
 */
export function resolveSince(text: string, nowMs: number, parameter = 'since'): string {
  const said = text.trim();
  const word = said.toLowerCase();
  const days = daysOfWord(word, nowMs);
  if (days) return days.from;
  const parsed = parseTimestamp(said);
  const moment = readTimestamp(said);
  if (!parsed || !moment) {
    const example = amsterdamIso(nowMs);
    throw new InputError(
      `${parameter}: ${quoted(text)} is not a moment. Give YYYY-MM-DD, an ISO 8601 time such as "${example}" (without an offset it is Amsterdam time), or one of ${periodWords.join(', ')}.`,
      parameter,
    );
  }
  const { day, time, offset } = parsed;
  if (moment.ms > nowMs) {
    throw new InputError(
      `${parameter}: "${said}" lies in the future; it is now ${amsterdamIso(nowMs)} in Amsterdam. Give a moment in the past, for example ${parameter}: "${amsterdamDay(nowMs)}".`,
      parameter,
    );
  }
  if (!time) return day;
  return offset ? `${day}T${time}${offset}` : amsterdamIso(moment.ms);
}
