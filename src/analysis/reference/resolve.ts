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
  reference: ReferenceLists,
  tool: string,
  space: ReferenceSpace,
  given: string,
  signal: AbortSignal | undefined,
): Promise<{ id: number; resolved?: ResolvedName }> {
  const { kind, noun, idField } = space;
  if (/^\s*\d+\s*$/.test(given)) {
    const id = Number(given);
    if (id >= 1 && Number.isSafeInteger(id)) return { id };
    throw new InputError(`${tool}: ${idField} must be an id of 1 or more, or a name.`, idField);
  }
  const entries = await reference.entries(kind, signal).catch((cause) => {
    if (!(cause instanceof CommerceError) || cause.code === 'cancelled') throw cause;
    throw new CommerceError(
      cause.code,
      `${tool}: the name of the ${noun} could not be looked up (${cause.message}) Give its id as ${idField} instead.`,
      { cause },
    );
  });
  const found = shownEntry(given, entries);
  const { id, name } = found ?? (await namedEntry(reference, tool, space, given, entries, signal));
  return { id, resolved: { given, id, name } };
}

/** An entry as answers show it: `8 Groothandel`, `Utrecht Oost (7)`. */
function shownEntry(given: string, entries: readonly ReferenceEntry[]): ReferenceEntry | undefined {
  const [, before, after] =
    /^\s*(\d+)\s+\S.*$/.exec(given) ?? /^()(?:.*\S)\s*\((\d+)\)\s*$/.exec(given) ?? [];
  const id = Number(before || after || Number.NaN);
  const entry = entries.find((candidate) => candidate.id === id);
  return entry && foldName(given).includes(foldName(entry.name)) ? entry : undefined;
}

/** The entry that a name means; a refusal lists candidates only to callers who may have the list. */
async function namedEntry(
  reference: ReferenceLists,
  tool: string,
  space: ReferenceSpace,
  given: string,
  entries: readonly ReferenceEntry[],
  signal: AbortSignal | undefined,
): Promise<ReferenceEntry> {
  const isListed = await reference.list(space.kind, signal).then(
    () => true,
    () => false,
  );
  try {
    return resolveName(tool, space, given, entries, isListed);
  } catch (error) {
    // Shops and locations are often called alike.
    const mixedUp = space.kind === 'shop' || space.kind === 'location';
    if (!(error instanceof InputError) || !mixedUp) throw error;
    const other = spaceOfKind(space.kind === 'shop' ? 'location' : 'shop');
    const others = await reference.list(other.kind, signal).catch(() => []);
    const meant = others.find(({ name }) => foldName(name) === foldName(given));
    if (meant === undefined) throw error;
    const advice =
      other.kind === 'shop'
        ? 'turnover of a shop is compare_turnover by: "shop"; lists take it as shop_id.'
        : 'give it as location_id where the tool takes one.';
    throw new InputError(
      `${error.message} ${nameWithId(meant)} is a ${other.kind}: ${advice}`,
      space.idField,
    );
  }
}

/**
 * The entry that a name means: the exact name or alias (case, accents and surrounding space
 * ignored), else the only one that begins with it, else the only one with a word that begins with it.
 *
 * @param isListed whether a refusal may name the candidates
 * @throws {InputError} with the candidates when none or several are meant; it never guesses.
 */
export function resolveName(
  tool: string,
  { idField, noun }: ReferenceSpace,
  given: string,
  entries: readonly ReferenceEntry[],
  isListed = true,
): ReferenceEntry {
  const wanted = foldName(given);
  const called = entries.map((entry) => ({
    entry,
    names: [entry.name, ...entry.aliases].map(foldName),
  }));
  for (const matches of [
    (name: string) => name === wanted,
    (name: string) => name.startsWith(wanted),
    (name: string) => name.includes(` ${wanted}`),
  ]) {
    const found = called.filter(({ names }) => names.some(matches)).map(({ entry }) => entry);
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return only;
    if (only === undefined) continue;
    const which = isListed ? `: ${listNames(found)}. Give one of these ids` : '. Give the id';
    throw new InputError(
      `${tool}: ${quoted(given)} names ${found.length} ${noun}s${which} as ${idField}.`,
      idField,
    );
  }
  const list = entries.length > 0 ? sayAll(noun, entries) : `There are no ${noun}s.`;
  throw new InputError(
    `${tool}: no ${noun} that this key may see is called ${quoted(given)}. ${isListed ? list : `Give the id as ${idField}.`}`,
    idField,
  );
}

/** What there is to choose from; a key that is bound to locations has the list of its own ones. */
function sayAll(noun: string, entries: readonly ReferenceEntry[]): string {
  const isAlone = noun === 'location' && entries.length === 1;
  return isAlone
    ? `This key covers ${listNames(entries)} only.`
    : `The ${noun}s are: ${listNames(entries)}.`;
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
  /** None where the list cannot be read. */
  const entriesOf = async (kind: ReferenceKind) => {
    try {
      return await reference.list(kind, signal);
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  };
  const entryOf = async (kind: ReferenceKind, id: number) =>
    (await entriesOf(kind))?.find((entry) => entry.id === id);

  /** The shop that a number given as `location_id` is; a webshop may belong to no location. */
  const asShop = async (id: number): Promise<string[]> => {
    const shop = await entryOf('shop', id);
    if (shop === undefined) return [];
    const named = `${id} is the shop ${quote(shop.name)}`;
    const placeId = numberIn(shop.row.location_id ?? 0);
    if (!(placeId >= 1)) return [`${named}, not a location.`];
    const place = await entryOf('location', placeId);
    if (place === undefined) return [`${named}, at a location that this key does not see.`];
    return [`${named}, at location ${nameWithId(place)}: for it, give location_id ${placeId}.`];
  };

  /** The location that a number given as `shop_id` is. */
  const asLocation = async (id: number): Promise<string[]> => {
    const location = await entryOf('location', id);
    if (location === undefined) return [];
    const named = `${id} is the location ${quote(location.name)}`;
    const all = (await entriesOf('shop')) ?? [];
    const shops = all.filter(({ row }) => numberIn(row.location_id) === id);
    if (shops.length === 0) return [`${named}.`];
    return [`${named}, whose shops are ${listNames(shops)}: give one of these as shop_id.`];
  };

  const notes: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    const id = Number(value);
    if (space === undefined || !Number.isSafeInteger(id)) continue;
    const own = await entriesOf(space.kind);
    if (own === undefined || own.some((entry) => entry.id === id)) continue;
    const { kind, noun } = space;
    const list = own.length > 0 ? sayAll(noun, own) : `It may see no ${noun}.`;
    notes.push(`No ${noun} that this key may see has id ${id}.`);
    if (kind === 'shop') notes.push(...(await asLocation(id)));
    if (kind === 'location') notes.push(...(await asShop(id)));
    notes.push(list);
  }
  return notes;
}
