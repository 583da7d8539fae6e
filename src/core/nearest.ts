import { distance } from 'fastest-levenshtein';
import { type MessageOfRoom, messagesOf } from './message.ts';
import { quote } from './text.ts';

interface UnknownName {
  kind: 'tool' | 'prompt' | 'brief';
  name: string;
  nearest?: string | undefined;
  known: readonly string[];
}

export const nameMessages = messagesOf({
  no_such_name: ({ kind, name, nearest, known }: UnknownName) =>
    `There is no ${kind} "${quote(name, 60)}".${nearest ? ` Did you mean ${nearest}?` : ` The ${kind}s are: ${known.join(', ')}.`}`,
});

/** A longer name is no slip of the pen, and comparing it would hold up everybody else. */
const maxTyped = 200;

/**
 * The known name nearest to a mistaken one, where one is near enough to be meant: a few letters off, of several
 * words one that has the longest of them too, or the only sensible continuation of what was typed.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxTyped) return undefined;
  const typed = asWord(name);
  const ranked = [...known]
    .map((candidate) => ({ candidate, off: slips(typed, asWord(candidate)) }))
    .sort((a, b) => a.off - b.off);
  const most = Math.max(surelyMistyped, Math.floor(typed.length / 3));
  const [longest = ''] = typed.split('_').sort((a, b) => b.length - a.length);
  const hasLongest = (candidate: string) =>
    longest !== typed && asWord(candidate).split('_').includes(longest);
  const continues = (candidate: string) => typed.length >= 3 && asWord(candidate).includes(typed);
  // Half of a short name changed is another name: `paid` is nearer to `is_paid` than to `id`.
  const [best] = ranked.filter(({ off }) => off <= most && off < typed.length / 2);
  if (best && best.off <= surelyMistyped) return best.candidate;
  // `get_turnover` is nearer to `get_customer` by letters, and means `compare_turnover`.
  const ofSubject = longest.length > 4 ? ranked.find((it) => hasLongest(it.candidate)) : undefined;
  return (ofSubject ?? best ?? ranked.find((it) => continues(it.candidate)))?.candidate;
}

/** As many letters are a slip of the pen, whatever other names have in common. */
const surelyMistyped = 2;

/** That nothing of a kind has this name, and the nearest name of those that there are. */
export function unknownName(
  kind: UnknownName['kind'],
  name: string,
  known: readonly string[],
): MessageOfRoom<typeof nameMessages> {
  return nameMessages.no_such_name({ kind, name, nearest: nearest(name, known), known });
}

/** The end of a sentence about an unknown name: `; did you mean shop_id?`, or `.` where no name is near. */
export function orMeant(nearest: string | undefined): string {
  return nearest === undefined ? '.' : `; did you mean ${nearest}?`;
}

/** How many letters were mistyped; the right letters in another order are one slip: `form` for `from`. */
function slips(typed: string, meant: string): number {
  const letters = (word: string) => [...word].sort().join('');
  const isSwapped = typed !== meant && letters(typed) === letters(meant);
  return isSwapped ? 1 : distance(typed, meant);
}

/** A name without case, with spaces and hyphens as underscores: `Last week` -> `last_week`. */
export function asWord(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}
