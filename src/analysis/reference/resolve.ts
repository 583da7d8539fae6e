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
    throw new CommerceError(
      cause.code,
      `${tool}: the name of the ${noun} could not be looked up (${cause.message}) Give its id as ${idField} instead.`,
      { cause },
    );
  });
  const found = entriesNamed(given, entries);
  const [only, ...others] = found;
  if (only && others.length === 0)
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
  for (const matches of [
    (name: string) => name === wanted,
    (name: string) => name.startsWith(wanted),
    (name: string) => name.includes(` ${wanted}`),
  ]) {
    const found = called.filter(({ names }) => names.some(matches));
    if (found.length > 0) return found.map(({ entry }) => entry);
  }
  return [];
}

/** Why a name is no single entry; candidates are listed only to callers who may have the list. */
async function sayUnresolved(
  reference: ReferenceLists,
  { kind, noun, idField }: ReferenceSpace,
  given: string,
  found: readonly ReferenceEntry[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const listed = await reference.list(kind, signal).catch(() => undefined);
  if (found.length > 0) {
    const which = listed ? `: ${listNames(found)}. Give one of these ids` : '. Give the id';
    return `${quoted(given)} names ${found.length} ${noun}s${which} as ${idField}.`;
  }
  const none = `no ${noun} that this key may see is called ${quoted(given)}.`;
  if (listed === undefined) return `${none} Give the id as ${idField}.`;
  const said = [none, sayAll(noun, listed)];
  // Shops and locations are often called alike.
  const other = kind === 'shop' ? 'location' : 'shop';
  const others =
    kind === 'shop' || kind === 'location'
      ? await reference.list(other, signal).catch(() => [])
      : [];
  const meant = others.find(({ name }) => foldName(name) === foldName(given));
  const advice =
    other === 'shop'
      ? 'turnover of a shop is compare_turnover by: "shop"; lists take it as shop_id.'
      : 'give it as location_id where the tool takes one.';
  if (meant) said.push(`${nameWithId(meant)} is a ${other}: ${advice}`);
  return said.join(' ');
}

/** What there is to choose from; a key that is bound to locations has the list of its own ones. */
function sayAll(noun: string, entries: readonly ReferenceEntry[]): string {
  if (entries.length === 0) return `There are no ${noun}s for this key.`;
  if (noun === 'location' && entries.length === 1)
    return `This key covers ${listNames(entries)} only.`;
  return `The ${noun}s are: ${listNames(entries)}.`;
}

/**
 * What is wrong with ids that no list holds, shop and location ids mixed up included: neither space
 * accepts the ids of the other (docs/platform.md#ids). From cached lists; nothing where all is well.
 */
export async function misplacedIds(
  reference: ReferenceLists,
  given: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<string[]> {
  const listOf = async (kind: ReferenceKind) => {
    try {
      return await reference.list(kind, signal);
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  };
  const notes: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    const id = numberIn(value);
    if (space === undefined || !Number.isSafeInteger(id)) continue;
    const { kind, noun } = space;
    const own = await listOf(kind);
    if (own === undefined || own.some((entry) => entry.id === id)) continue;
    notes.push(`No ${noun} that this key may see has id ${id}.`);
    if (kind === 'shop') notes.push(...elsewhere(space, id, await listOf('location'), own));
    if (kind === 'location') notes.push(...elsewhere(space, id, await listOf('shop'), own));
    notes.push(sayAll(noun, own));
  }
  return notes;
}

/** What a number is among shops where it was given for a location, or the other way round. */
function elsewhere(
  { kind, idField }: ReferenceSpace,
  id: number,
  others: readonly ReferenceEntry[] = [],
  own: readonly ReferenceEntry[],
): string[] {
  const meant = others.find((entry) => entry.id === id);
  if (meant === undefined) return [];
  const placeOf = ({ row }: ReferenceEntry) => numberIn(row.location_id);
  const related = own.filter((it) =>
    kind === 'shop' ? placeOf(it) === id : it.id === placeOf(meant),
  );
  const advice = related.length > 0 ? `: its ${idField} is ${listNames(related)}` : '';
  return [`${id} is the ${meant.kind} ${quote(meant.name)}, not a ${kind}${advice}.`];
}
