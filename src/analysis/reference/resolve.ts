import { CommerceError, InputError } from '../../core/errors.ts';
import { numberIn } from '../../core/json.ts';
import { quote, quoted } from '../../core/text.ts';
import type { ResolvedName } from '../answer.ts';
import {
  foldName,
  listNames,
  type ReferenceEntry,
  type ReferenceKind,
  type ReferenceLists,
  type ReferenceSpace,
  spaceOf,
} from './reference.ts';

/**
 * The id that an argument means: an id as it is, without a request, a name by the cached list.
 * @throws {CommerceError} with the candidates when no entry or several are meant, or what kept the list from being read
 */
export async function resolveReference(
  reference: ReferenceLists,
  space: ReferenceSpace,
  text: string,
  signal: AbortSignal | undefined,
): Promise<{ id: number; resolved?: ResolvedName }> {
  const { kind, noun, idField } = space;
  if (/^\s*0+\s*$/.test(text))
    throw new InputError(`${idField} is an id of 1 or more, or a name, not ${quoted(text)}.`);
  if (/^\s*\d+\s*$/.test(text)) return { id: Number(text) };
  const entries = await reference.entriesForTranslation(kind, signal).catch((cause: unknown) => {
    if (!(cause instanceof CommerceError) || cause.code === 'cancelled') throw cause;
    const text = `the name of the ${noun} could not be looked up (${cause.message}) Give its id as ${idField} instead.`;
    throw new CommerceError(cause.code, text, { cause });
  });
  const wanted = foldName(text);
  const isMeant = ({ name }: ReferenceEntry) => foldName(name) === wanted;
  const found = entriesNamed(text, entries);
  const [only, ...others] = found;
  if (only && others.length === 0) {
    // Found by a part of its name, while one of the other kind is called just so.
    const twin = isMeant(only) ? undefined : await findTwin(reference, kind, isMeant, signal);
    const note = twin && { note: `while the ${twin.kind} ${twin.name} is ${twin.id}` };
    return { id: only.id, resolved: { given: text, id: only.id, name: only.name, ...note } };
  }
  // Candidates are listed only to callers who may have the list.
  const listed = await listIfOpen(reference, kind, signal);
  const refusal = only
    ? `${quoted(text)} names ${found.length} ${noun}s`
    : `no ${noun} that this key may see is called ${quoted(text)}`;
  if (!listed) throw new InputError(`${refusal}. Give the id as ${idField}.`, idField);
  const choice = `${refusal}: ${listNames(found)}. Give one of these ids as ${idField}.`;
  if (only) throw new InputError(choice, idField);
  const instead = await sayInstead(reference, space, listed, isMeant, signal);
  throw new InputError([`${refusal}.`, ...instead].join(' '), idField);
}

/**
 * How well an entry answers to a folded text: 0 by its id, its whole name or as answers show it
 * (`8 Groothandel`, `Utrecht Oost (7)`), 1 by how one begins, 2 by a word's, 3 by any part of a name; -1 not at all.
 */
export function rankOf({ id, name, aliases }: ReferenceEntry, wanted: string): number {
  const names = [name, ...aliases].map(foldName);
  const shown = [`${id} ${name}`, `${name} (${id})`].map(foldName);
  // A number alone is the beginning of no other id, nor a bracket that of a name.
  const texts = /^(\d+|[^\p{L}\p{N}]*)$/u.test(wanted) ? names : [...names, ...shown];
  return [
    [String(id), ...texts].includes(wanted),
    texts.some((text) => text.startsWith(wanted)),
    texts.some((text) => text.includes(` ${wanted}`)),
    names.some((text) => text.includes(wanted)),
  ].indexOf(true);
}

/** The entries that a name may mean: those of exactly that name, else those with a word that begins with it. */
export function entriesNamed(text: string, entries: readonly ReferenceEntry[]): ReferenceEntry[] {
  const wanted = foldName(text);
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(entry, wanted) }));
  const least = ranked.some(({ rank }) => rank === 0) ? [0] : [1, 2];
  return ranked.filter(({ rank }) => least.includes(rank)).map(({ entry }) => entry);
}

/** What is wrong with ids that cached lists do not hold, shop and location ids mixed up included. */
export async function misplacedIds(
  reference: ReferenceLists,
  args: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<string[]> {
  const notes: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    const space = spaceOf(name);
    const wanted = numberIn(value);
    if (space === undefined || !Number.isSafeInteger(wanted)) continue;
    const listed = await listIfOpen(reference, space.kind, signal);
    const isMeant = ({ id }: ReferenceEntry) => id === wanted;
    if (listed === undefined || listed.some(isMeant)) continue;
    notes.push(`No ${space.noun} that this key may see has id ${wanted}.`);
    notes.push(...(await sayInstead(reference, space, listed, isMeant, signal)));
  }
  return notes;
}

/** A list as far as it helps to explain: undefined where a caller may not have it, or it cannot be read. */
async function listIfOpen(reference: ReferenceLists, kind: ReferenceKind, signal?: AbortSignal) {
  return reference.listForDisplay(kind, signal).catch(() => {
    signal?.throwIfAborted();
    return undefined;
  });
}

/**
 * The shop where a location is meant, or the other way round: they are often called alike, and neither takes the
 * ids of the other (docs/platform.md#ids).
 */
async function findTwin(
  reference: ReferenceLists,
  kind: ReferenceKind,
  isMeant: (entry: ReferenceEntry) => boolean,
  signal: AbortSignal | undefined,
): Promise<ReferenceEntry | undefined> {
  if (kind !== 'shop' && kind !== 'location') return undefined;
  const others = await listIfOpen(reference, kind === 'shop' ? 'location' : 'shop', signal);
  return others?.find(isMeant);
}

async function sayInstead(
  reference: ReferenceLists,
  { kind, noun, idField }: ReferenceSpace,
  listed: readonly ReferenceEntry[],
  isMeant: (entry: ReferenceEntry) => boolean,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  // A key that is bound to locations has the list of its own ones.
  const covers = kind === 'location' && listed.length === 1;
  const all = covers
    ? `This key covers ${listNames(listed)} only.`
    : `The ${noun}s are: ${listNames(listed) || 'none'}.`;
  const meant = await findTwin(reference, kind, isMeant, signal);
  if (meant === undefined) return [all];
  const locationOf = ({ row }: ReferenceEntry) => numberIn(row.location_id);
  const related = listed.filter((it) =>
    kind === 'shop' ? locationOf(it) === meant.id : locationOf(meant) === it.id,
  );
  const advice = related.length > 0 ? `: its ${idField} is ${listNames(related)}` : '';
  const isComparable = meant.kind === 'shop' && reference.hasToolset('analysis');
  const turnover = isComparable ? ' Turnover of a shop is compare_turnover by: "shop".' : '';
  const instead = `${meant.id} is the ${meant.kind} ${quote(meant.name)}, not a ${noun}`;
  return [`${instead}${advice}.${turnover}`, all];
}
