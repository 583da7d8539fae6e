import { amsterdamDay, amsterdamIso, readTimestamp } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { daysOfWord, periodWords } from '../../core/periods.ts';
import { quoted } from '../../core/text.ts';

/**
 * What to send as `since` to a change feed (docs/platform.md#change-feeds). A period word becomes its
 * first day, a day stays a day (the platform reads it as Amsterdam midnight), and a time is written with
 * Amsterdam's offset, to the second: without an offset it was Amsterdam's clock.
 * @throws InputError when it is none of these, or lies in the future.
 */
export function resolveSince(given: string, nowMs: number): string {
  const text = given.trim().toLowerCase();
  const days = daysOfWord(text, amsterdamDay(nowMs));
  if (days) return days.from;
  const now = amsterdamIso(nowMs);
  const moment = readTimestamp(text);
  if (moment === undefined)
    throw new InputError(
      `since: ${quoted(given)} is not a moment. Give YYYY-MM-DD, an ISO 8601 time such as "${now}" (without an offset it is Amsterdam time), or one of ${periodWords.join(', ')}.`,
    );
  if (moment.ms > nowMs)
    throw new InputError(
      `since: ${quoted(given)} lies in the future; it is now ${now} in Amsterdam.`,
    );
  return moment.hasTime ? amsterdamIso(moment.ms) : text;
}
