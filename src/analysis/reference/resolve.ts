import { CommerceError, InputError } from '../../core/errors.ts';
import { numberIn } from '../../core/json.ts';
import type { ResolvedName } from '../answer.ts';
import type { Row } from '../rows/rows.ts';
import { foldName, nameWithId, resolveName } from './names.ts';
import {
  type Reference,
  type ReferenceEntry,
  type ReferenceKind,
  type ReferenceSpace,
  spaceOfKind,
} from './reference.ts';

/**
 * The id that an argument means: an id is taken as it is and costs no request, a name is looked up
 * in the cached list.
 *
 * @throws {InputError} with the candidates when no entry or several are meant.
 * @throws {CommerceError} when the list cannot be read.
 */
export async function resolveReference(
  reference: Reference,
  tool: string,
  space: ReferenceSpace,
  given: string,
  signal: AbortSignal | undefined,
): Promise<{ id: number; resolved?: ResolvedName }> {
  const { idField } = space;
  if (/^\s*\d+\s*$/.test(given)) {
    const id = Number(given);
    if (id >= 1 && Number.isSafeInteger(id)) return { id };
    throw new InputError(`${tool}: ${idField} must be an id of 1 or more, or a name.`, idField);
  }
  const listed = entriesFor(reference, tool, space, signal);
  // What else is called so is read beside the list that counts, and looked at when that is there.
  const other = otherPlace(space);
  if (other) reference.prefetch([other.idField], signal);
  const entries = await listed;
  const entry =
    shownEntry(given, entries) ?? (await named(reference, tool, space, given, entries, signal));
  const others = other ? await entriesInTime(reference, other.kind, signal) : [];
  const note = sayNamesake(space, entry, others);
  return {
    id: entry.id,
    resolved: { given, id: entry.id, name: entry.name, ...(note !== undefined && { note }) },
  };
}

/** Longest that a name waits for those of the other id space, which only say what else is called so. */
const maxWaitMs = 2000;

/** A list that is not there in time, or fails, is not missed. */
async function entriesInTime(
  reference: Reference,
  kind: ReferenceKind,
  signal: AbortSignal | undefined,
): Promise<readonly ReferenceEntry[]> {
  const bounded = AbortSignal.any([AbortSignal.timeout(maxWaitMs), ...(signal ? [signal] : [])]);
  return reference.entries(kind, bounded).catch(() => []);
}

/** Shops and locations are often called the same: whoever gave the name may mean the other. */
function sayNamesake(
  { kind }: ReferenceSpace,
  { id, name, row }: ReferenceEntry,
  others: readonly ReferenceEntry[],
): string | undefined {
  const same = others.find((entry) => foldName(entry.name) === foldName(name));
  if (same === undefined) return undefined;
  const placeOf = (shop: Row) => numberIn(shop.location_id);
  const isThere = kind === 'shop' ? placeOf(row) === same.id : placeOf(same.row) === id;
  if (!isThere) return `${same.kind} ${same.id} has the same name`;
  return `${kind === 'shop' ? 'at' : 'with'} ${same.kind} ${same.id}`;
}

/** Names are mixed up between shops and locations. */
function otherPlace({ kind }: ReferenceSpace): ReferenceSpace | undefined {
  if (kind === 'shop') return spaceOfKind('location');
  return kind === 'location' ? spaceOfKind('shop') : undefined;
}

/** An entry as answers show it: `8 Groothandel`, `Utrecht Oost (7)`. */
function shownEntry(given: string, entries: readonly ReferenceEntry[]): ReferenceEntry | undefined {
  const [, before, after] =
    /^\s*(\d+)\s+\S.*$/.exec(given) ?? /^()(?:.*\S)\s*\((\d+)\)\s*$/.exec(given) ?? [];
  const id = Number(before || after || Number.NaN);
  const entry = entries.find((candidate) => candidate.id === id);
  return entry && foldName(given).includes(foldName(entry.name)) ? entry : undefined;
}

/** The entry that a name means; one that means a shop for a location, or the reverse, is told. */
async function named(
  reference: Reference,
  tool: string,
  space: ReferenceSpace,
  given: string,
  entries: readonly ReferenceEntry[],
  signal: AbortSignal | undefined,
): Promise<ReferenceEntry> {
  try {
    // Candidates are named to whoever may have the list.
    const isListed = await reference.list(space.kind, signal).then(
      () => true,
      () => false,
    );
    return resolveName(tool, space, given, entries, isListed);
  } catch (error) {
    const other = otherPlace(space);
    if (!(error instanceof InputError) || other === undefined) throw error;
    const others = await reference.list(other.kind, signal).catch(() => []);
    const meant = others.find(({ name }) => foldName(name) === foldName(given));
    if (meant === undefined) throw error;
    const hint = `${nameWithId(meant)} is a ${other.kind}: give it as ${other.idField} where the tool takes one.`;
    throw new InputError(`${error.message} ${hint}`, space.idField);
  }
}

async function entriesFor(
  reference: Reference,
  tool: string,
  { kind, noun, idField }: ReferenceSpace,
  signal: AbortSignal | undefined,
): Promise<readonly ReferenceEntry[]> {
  try {
    return await reference.entries(kind, signal);
  } catch (cause) {
    if (!(cause instanceof CommerceError) || cause.code === 'cancelled') throw cause;
    throw new CommerceError(
      cause.code,
      `${tool}: the name of the ${noun} could not be looked up (${cause.message}) Give its id as ${idField} instead.`,
      { cause },
    );
  }
}
