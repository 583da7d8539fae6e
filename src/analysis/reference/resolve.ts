import { CommerceError, InputError } from '../../core/errors.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { messagesOf, type Warning } from '../../core/message.ts';
import { quote, quoted, sayCall, sentences } from '../../core/text.ts';
import type { ResolvedName, ToolCall } from '../answer.ts';
import {
  firstNamed,
  foldName,
  listNames,
  type NamedId,
  type ReferenceEntry,
  type ReferenceKind,
  type ReferenceLists,
  type ReferenceSpace,
  spaceOf,
} from './reference.ts';

type Wanted = Pick<ReferenceSpace, 'kind' | 'noun' | 'idField'>;

/** What there is instead of an entry that no list has. */
export interface Instead extends Wanted {
  /** The first of what there is, and how many there are. */
  entries: readonly NamedId[];
  count: number;
  /** The key sees a single location. */
  isBound: boolean;
  /** The shop or location that is called so, and the entries of the wanted kind that belong to it. */
  twin?: NamedId & { kind: ReferenceKind; related: readonly NamedId[] };
  /** The arguments of `compare_turnover` that answer for a shop, where that can be called. */
  comparison?: JsonObject | undefined;
}

interface AmbiguousName extends Omit<Wanted, 'kind'> {
  given: string;
  count: number;
  /** The first that have the name, for callers who may have the list. */
  entries?: readonly NamedId[];
}

interface UnknownName extends Omit<Wanted, 'kind'> {
  given: string;
  /** The candidates; undefined where the caller may not have the list. */
  instead?: Instead;
}

interface SeveralShops {
  given: string;
  /** The first of them, and how many there are. */
  shops: readonly NamedId[];
  count: number;
  /** The shop that is called as the location is. */
  namesake?: NamedId | undefined;
  /** The call for that shop, else for the first, where it can be made. */
  call?: ToolCall | undefined;
}

/** A name of the other kind, and the shops that it was taken for. */
interface TakenName {
  idField: string;
  given: string;
  kind: ReferenceKind;
  shops: readonly NamedId[];
}

export const resolveMessages = messagesOf({
  id_too_small: ({ idField, given }: { idField: string; given: string }) =>
    `${idField} is an id of 1 or more, or a name, not ${quoted(given)}.`,
  ambiguous_name: ({ idField, noun, given, count, entries }: AmbiguousName) =>
    entries
      ? `${quoted(given)} names ${count} ${noun}s: ${listNames(entries, count)}. Give one of these ids as ${idField}.`
      : `${quoted(given)} names ${count} ${noun}s. Give the id as ${idField}.`,
  unknown_name: ({ idField, noun, given, instead }: UnknownName) =>
    sentences(
      `no ${noun} that this key may see is called ${quoted(given)}.`,
      instead ? sayInstead(instead) : `Give the id as ${idField}.`,
    ),
  name_not_looked_up: ({ idField, noun, why }: { idField: string; noun: string; why: string }) =>
    `the name of the ${noun} could not be looked up (${why}) Give its id as ${idField} instead.`,
  /** An id that no list has. */
  unknown_id: ({ noun, id, instead }: { noun: string; id: number; instead: Instead }) =>
    sentences(`No ${noun} that this key may see has id ${id}.`, sayInstead(instead)),

  // A location where a shop may be meant, and the other way round
  shop_or_location: (it: SeveralShops | TakenName) => {
    const { given, shops } = it;
    if ('kind' in it)
      return `${it.idField} ${quoted(given)} is a ${it.kind}: taken as shop_id ${listNames(shops)}.`;
    const { namesake, call } = it;
    const alone = namesake ? `The shop ${quote(namesake.name)} alone` : 'One shop alone';
    return sentences(
      `location_id ${quoted(given)} holds ${it.count} shops: ${listNames(shops, it.count)}.`,
      call && `${alone}: ${sayCall(call.tool, call.arguments)}.`,
    );
  },
});

function sayInstead(instead: Instead): string {
  const { noun, idField, entries, count, isBound, twin, comparison } = instead;
  const all = isBound
    ? `This key covers ${listNames(entries)} only.`
    : `The ${noun}s are: ${listNames(entries, count) || 'none'}.`;
  if (twin === undefined) return all;
  const related = twin.related.length > 0 ? `: its ${idField} is ${listNames(twin.related)}` : '';
  return sentences(
    `${twin.id} is the ${twin.kind} ${quote(twin.name)}, not a ${noun}${related}.`,
    comparison && `Turnover of a shop: ${sayCall('compare_turnover', comparison)}.`,
    all,
  );
}

/**
 * The id that an argument means: an id as it is, without a request, a name by the cached list.
 * @param args of the whole call, which a refusal may name another call for
 * @throws {CommerceError} with the candidates when no entry or several are meant, or what kept the list from being read
 */
export async function resolveReference(
  reference: ReferenceLists,
  space: ReferenceSpace,
  text: string,
  signal: AbortSignal | undefined,
  args: JsonObject = {},
): Promise<{ id: number; resolved?: ResolvedName }> {
  const { kind, noun, idField } = space;
  if (/^\s*0+\s*$/.test(text))
    throw new InputError(resolveMessages.id_too_small({ idField, given: text }), idField);
  if (/^\s*\d+\s*$/.test(text)) return { id: Number(text) };
  const entries = await reference.entriesForTranslation(kind, signal).catch((cause: unknown) => {
    if (!(cause instanceof CommerceError) || cause.code === 'cancelled') throw cause;
    const why = cause.reason.text;
    const reason = resolveMessages.name_not_looked_up({ idField, noun, why });
    throw new CommerceError(cause.code, reason, { cause });
  });
  const wanted = foldName(text);
  const isMeant = ({ name }: ReferenceEntry) => foldName(name) === wanted;
  const found = entriesNamed(text, entries);
  const [only, ...others] = found;
  if (only && others.length === 0) {
    const { id, name } = only;
    // Found by a part of its name, while one of the other kind is called just so.
    const twin = isMeant(only) ? undefined : await findTwin(reference, kind, isMeant, signal);
    const note = twin && `while the ${twin.kind} ${twin.name} is ${twin.id}`;
    return { id, resolved: { given: text, id, name, note } };
  }
  const listed = await reference.listIfOpen(kind, signal);
  const about = { idField, noun, given: text };
  if (only) {
    const entries = listed && { entries: firstNamed(found) };
    const reason = resolveMessages.ambiguous_name({ ...about, count: found.length, ...entries });
    throw new InputError(reason, idField);
  }
  const instead = listed && {
    instead: await findInstead(reference, space, listed, { isMeant, args }, signal),
  };
  throw new InputError(resolveMessages.unknown_name({ ...about, ...instead }), idField);
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

/**
 * A warning where a location is named that holds several shops, of which one may be meant.
 * @param call the call for a shop without its id
 */
export async function severalShops(
  reference: ReferenceLists,
  location: ResolvedName,
  call: ToolCall,
  signal: AbortSignal | undefined,
): Promise<Warning[]> {
  const { id, given, name } = location;
  const all = (await reference.listIfOpen('shop', signal)) ?? [];
  const shops = all.filter((shop) => locationOf(shop) === id);
  const namesake = shops.find((shop) => foldName(shop.name) === foldName(name));
  const one = namesake ?? shops[0];
  if (one === undefined || shops.length === 1) return [];
  const { tool, arguments: args } = call;
  const isCallable = reference.hasToolset('analysis');
  const several = {
    given,
    shops: firstNamed(shops),
    count: shops.length,
    namesake: namesake && nameAndId(namesake),
    call: isCallable ? { tool, arguments: { ...args, shop_id: String(one.id) } } : undefined,
  };
  return [resolveMessages.shop_or_location(several)];
}

type UnknownId = ReturnType<typeof resolveMessages.unknown_id>;

/** What is wrong with ids that cached lists do not hold, shop and location ids mixed up included. */
export async function misplacedIds(
  reference: ReferenceLists,
  args: JsonObject,
  signal?: AbortSignal,
): Promise<UnknownId[]> {
  const notes: UnknownId[] = [];
  for (const [name, value] of Object.entries(args)) {
    const space = spaceOf(name);
    const wanted = toNumber(value);
    if (space === undefined || !Number.isSafeInteger(wanted)) continue;
    const listed = await reference.listIfOpen(space.kind, signal);
    const isMeant = ({ id }: ReferenceEntry) => id === wanted;
    if (listed === undefined || listed.some(isMeant)) continue;
    const instead = await findInstead(reference, space, listed, { isMeant, args }, signal);
    notes.push(resolveMessages.unknown_id({ noun: space.noun, id: wanted, instead }));
  }
  return notes;
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
  const others = await reference.listIfOpen(kind === 'shop' ? 'location' : 'shop', signal);
  return others?.find(isMeant);
}

async function findInstead(
  reference: ReferenceLists,
  { kind, noun, idField }: ReferenceSpace,
  listed: readonly ReferenceEntry[],
  { isMeant, args }: { isMeant(entry: ReferenceEntry): boolean; args: JsonObject },
  signal: AbortSignal | undefined,
): Promise<Instead> {
  const meant = await findTwin(reference, kind, isMeant, signal);
  const isRelated = (twin: ReferenceEntry) => (it: ReferenceEntry) =>
    kind === 'shop' ? locationOf(it) === twin.id : locationOf(twin) === it.id;
  return {
    kind,
    noun,
    idField,
    entries: firstNamed(listed),
    count: listed.length,
    // A key that is bound to locations has the list of its own ones.
    isBound: kind === 'location' && listed.length === 1,
    ...(meant && {
      twin: { ...named(meant), related: listed.filter(isRelated(meant)).map(nameAndId) },
    }),
    ...(meant?.kind === 'shop' &&
      reference.hasToolset('analysis') && { comparison: comparisonOf(args, meant.id) }),
  };
}

function named(entry: ReferenceEntry) {
  return { kind: entry.kind, ...nameAndId(entry) };
}

function nameAndId({ id, name }: NamedId): NamedId {
  return { id, name };
}

function locationOf({ row }: ReferenceEntry): number {
  return toNumber(row.location_id);
}

/** The arguments of `compare_turnover` for the days of another call, and for a shop where one is given. */
export function comparisonOf({ period, from, to, date }: JsonObject, shop?: unknown): JsonObject {
  const days = Object.entries({ period: period ?? date, from, to });
  const texts = Object.fromEntries(days.filter(([, day]) => typeof day === 'string'));
  const ofShop = shop === undefined ? {} : { shop_id: String(shop) };
  return { ...texts, against: 'none', ...ofShop };
}
