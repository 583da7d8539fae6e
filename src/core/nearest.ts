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

/** Comparing longer names would hold up the event loop. */
const maxLength = 200;

/**
 * The candidate that a mistyped name was probably meant for: one that differs by a few letters, shares its longest
 * word, or contains it.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  const typed = asWord(name);
  const ranked = [...candidates]
    .map((candidate) => ({ candidate, slips: countSlips(typed, asWord(candidate)) }))
    .sort((a, b) => a.slips - b.slips);
  const maxSlips = Math.max(maxSureSlips, Math.floor(typed.length / 3));
  const [longest = ''] = typed.split('_').sort((a, b) => b.length - a.length);
  const hasLongest = (candidate: string) =>
    longest !== typed && asWord(candidate).split('_').includes(longest);
  const containsTyped = (candidate: string) =>
    typed.length >= 3 && asWord(candidate).includes(typed);
  // `paid` means `is_paid`, not `id`: a name of which half is changed is another name.
  const best = ranked.find(({ slips }) => slips <= maxSlips && slips < typed.length / 2);
  if (best && best.slips <= maxSureSlips) return best.candidate;
  // `get_turnover` means `compare_turnover`, though by letters `get_customer` is nearer.
  const sameSubject =
    longest.length > 4 ? ranked.find(({ candidate }) => hasLongest(candidate)) : undefined;
  const chosen = sameSubject ?? best ?? ranked.find(({ candidate }) => containsTyped(candidate));
  return chosen?.candidate;
}

/** A candidate with so few slips wins over one that shares the longest word. */
const maxSureSlips = 2;

/** Says that no tool, prompt or brief has this name, and suggests the nearest. */
export function unknownName(
  kind: UnknownName['kind'],
  name: string,
  known: readonly string[],
): MessageOfRoom<typeof nameMessages> {
  return nameMessages.no_such_name({ kind, name, nearest: nearest(name, known), known });
}

/** The end of a sentence about an unknown name: `; did you mean shop_id?`, or `.` where no name is near. */
export function suggestion(nearest: string | undefined): string {
  return nearest === undefined ? '.' : `; did you mean ${nearest}?`;
}

/** Edit distance, but the right letters in another order (`form` for `from`) are one slip. */
function countSlips(typed: string, meant: string): number {
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
