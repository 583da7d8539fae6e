import { CommerceError, InputError } from '../../core/errors.ts';
import { numberIn } from '../../core/json.ts';
import { quote, quoted } from '../../core/text.ts';
import type { ResolvedName } from '../answer.ts';
import {
  foldName,
  listNames,
  nameWithId,
  type ReferenceEntry,
  type ReferenceKind,
  type ReferenceLists,
  type ReferenceSpace,
  spaceOf,
} from './reference.ts';

/**
 * The id that an argument means: an id is taken as it is and costs no request, a name is looked up
 * in the cached list.
 *
 * @throws {InputError} with the candidates when no entry or several are meant; it never guesses.
 * @throws {CommerceError} when the list cannot be read.
 */
export async function resolveReference(
  reference: ReferenceLists,
  tool: string,
  space: ReferenceSpace,
  given: string,
  signal: AbortSignal | undefined,
): Promise<{ id: number; resolved?: ResolvedName }> {
  const { kind, noun, idField } = space;
  if (/^\s*\d+\s*$/.test(given)) return { id: Number(given) };
  const entries = await reference.entries(kind, signal).catch((cause) => {
    if (!(cause instanceof CommerceError) || cause.code === 'cancelled') throw cause;
    const text = `${tool}: the name of the ${noun} could not be looked up (${cause.message}) Give its id as ${idField} instead.`;
    throw new CommerceError(cause.code, text, { cause });
  });
  const found = entriesNamed(given, entries);
  const [only] = found;
  if (only && found.length === 1)
    return { id: only.id, resolved: { given, id: only.id, name: only.name } };
  const problem = await sayUnresolved(reference, space, given, found, signal);
  throw new InputError(`${tool}: ${problem}`, idField);
}

/**
 * The entries that a name may mean: those of exactly that name or alias (case, accents and surrounding
 * space ignored) or as answers show them (`8 Groothandel`, `Utrecht Oost (7)`), else those that begin
 * with it, else those with a word that begins with it.
 */
export function entriesNamed(
  given: string,
  entries: readonly ReferenceEntry[],
): readonly ReferenceEntry[] {
  const wanted = foldName(given);
  const called = entries.map((entry) => {
    const { id, name, aliases } = entry;
    return { entry, names: [name, ...aliases, `${id} ${name}`, `${name} (${id})`].map(foldName) };
  });
  const matchings = [
    (name: string) => name === wanted,
    (name: string) => name.startsWith(wanted),
    (name: string) => name.includes(` ${wanted}`),
  ];
  const found = matchings.map((matches) => called.filter(({ names }) => names.some(matches)));
  return found.find(({ length }) => length > 0)?.map(({ entry }) => entry) ?? [];
}

/** Shops and locations are often called alike, and neither takes the ids of the other (docs/platform.md#ids). */
const confused: Partial<Record<ReferenceKind, { other: ReferenceKind; advice: string }>> = {
  shop: { other: 'location', advice: 'give it as location_id where the tool takes one.' },
  location: {
    other: 'shop',
    advice: 'turnover of a shop is compare_turnover by: "shop"; lists take it as shop_id.',
  },
};

/** Why a name is no single entry; candidates are listed only to callers who may have the list. */
async function sayUnresolved(
  reference: ReferenceLists,
  { kind, noun, idField }: ReferenceSpace,
  given: string,
  found: readonly ReferenceEntry[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const listed = await listIfOpen(reference, kind, signal);
  if (found.length > 0) {
    const which = listed ? `: ${listNames(found)}. Give one of these ids` : '. Give the id';
    return `${quoted(given)} names ${found.length} ${noun}s${which} as ${idField}.`;
  }
  const none = `no ${noun} that this key may see is called ${quoted(given)}.`;
  if (listed === undefined) return `${none} Give the id as ${idField}.`;
  const { other, advice } = confused[kind] ?? {};
  const others = await listIfOpen(reference, other, signal);
  const meant = others?.find(({ name }) => foldName(name) === foldName(given));
  const hint = meant ? ` ${nameWithId(meant)} is a ${other}: ${advice}` : '';
  return `${none} ${sayAll(noun, listed)}${hint}`;
}

/** A list as far as it can help to explain: undefined where a caller may not have it, or it cannot be read. */
async function listIfOpen(
  reference: ReferenceLists,
  kind: ReferenceKind | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly ReferenceEntry[] | undefined> {
  try {
    return kind && (await reference.list(kind, signal));
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** What there is to choose from; a key that is bound to locations has the list of its own ones. */
function sayAll(noun: string, entries: readonly ReferenceEntry[]): string {
  if (entries.length === 0) return `There are no ${noun}s for this key.`;
  if (noun === 'location' && entries.length === 1)
    return `This key covers ${listNames(entries)} only.`;
  return `The ${noun}s are: ${listNames(entries)}.`;
}

/**
 * What is wrong with ids that no list holds, shop and location ids mixed up included. From cached
 * lists; nothing where all is well.
 */
export async function misplacedIds(
  reference: ReferenceLists,
  given: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<string[]> {
  const notes: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    const id = numberIn(value);
    if (space === undefined || !Number.isSafeInteger(id)) continue;
    const { kind, noun, idField } = space;
    const own = await listIfOpen(reference, kind, signal);
    if (own === undefined || own.some((entry) => entry.id === id)) continue;
    notes.push(`No ${noun} that this key may see has id ${id}.`);
    const others = await listIfOpen(reference, confused[kind]?.other, signal);
    const meant = others?.find((entry) => entry.id === id);
    if (meant) {
      const placeOf = ({ row }: ReferenceEntry) => numberIn(row.location_id);
      const isRelated = (it: ReferenceEntry) =>
        kind === 'shop' ? placeOf(it) === id : it.id === placeOf(meant);
      const related = own.filter(isRelated);
      const advice = related.length > 0 ? `: its ${idField} is ${listNames(related)}` : '';
      notes.push(`${id} is the ${meant.kind} ${quote(meant.name)}, not a ${kind}${advice}.`);
    }
    notes.push(sayAll(noun, own));
  }
  return notes;
}
