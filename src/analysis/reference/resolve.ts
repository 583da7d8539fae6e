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

type ReferenceNouns = Pick<ReferenceSpace, 'kind' | 'noun' | 'idField'>;

/** Alternatives to an entry that no list has. */
export interface Alternatives extends ReferenceNouns {
  /** The first entries of the list. */
  entries: readonly NamedId[];
  count: number;
  /** The key sees a single location. */
  isBound: boolean;
  /** The shop or location of this name or id, and the entries of the wanted kind that belong to it. */
  twin?: NamedId & { kind: ReferenceKind; related: readonly NamedId[] };
  /** Arguments of `compare_turnover` that answer for a shop, if it can be called. */
  comparison?: JsonObject | undefined;
}

interface AmbiguousName extends Omit<ReferenceNouns, 'kind'> {
  given: string;
  count: number;
  /** The first candidates, for callers who may have the list. */
  entries?: readonly NamedId[];
}

interface UnknownName extends Omit<ReferenceNouns, 'kind'> {
  given: string;
  /** Undefined where the caller may not have the list. */
  instead?: Alternatives;
}

interface SeveralShops {
  given: string;
  /** The first ones of `count`. */
  shops: readonly NamedId[];
  count: number;
  /** The shop with the location's name. */
  namesake?: NamedId | undefined;
  /** The call for the namesake or the first shop, if it can be made. */
  call?: ToolCall | undefined;
}

/** The name of a location or another list's entry, and the shops that it was taken for. */
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
      instead ? sayAlternatives(instead) : `Give the id as ${idField}.`,
    ),
  name_not_looked_up: ({ idField, noun, why }: { idField: string; noun: string; why: string }) =>
    `the name of the ${noun} could not be looked up (${why}) Give its id as ${idField} instead.`,
  unknown_id: ({ noun, id, instead }: { noun: string; id: number; instead: Alternatives }) =>
    sentences(`No ${noun} that this key may see has id ${id}.`, sayAlternatives(instead)),

  // A location where a shop may be meant, and the other way round
  shop_or_location: (meaning: SeveralShops | TakenName) => {
    const { given, shops } = meaning;
    if ('kind' in meaning)
      return `${meaning.idField} ${quoted(given)} is a ${meaning.kind}: taken as shop_id ${listNames(shops)}.`;
    const { namesake, call } = meaning;
    const alone = namesake ? `The shop ${quote(namesake.name)} alone` : 'One shop alone';
    return sentences(
      `location_id ${quoted(given)} holds ${meaning.count} shops: ${listNames(shops, meaning.count)}.`,
      call && `${alone}: ${sayCall(call.tool, call.arguments)}.`,
    );
  },
});

function sayAlternatives(instead: Alternatives): string {
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
 * The id that an argument means. An id costs no request; a name is looked up in the cached list.
 * @param args of the whole call, for the call that a refusal may suggest
 * @throws {CommerceError} naming the candidates unless exactly one entry is meant, or the failure of reading the list
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
  const hasName = ({ name }: ReferenceEntry) => foldName(name) === wanted;
  const candidates = entriesNamed(text, entries);
  const [first] = candidates;
  if (first && candidates.length === 1) {
    const { id, name } = first;
    // A part of a shop's name may be the whole name of a location.
    const twin = hasName(first) ? undefined : await findTwin(reference, kind, hasName, signal);
    const note = twin && `while the ${twin.kind} ${twin.name} is ${twin.id}`;
    return { id, resolved: { given: text, id, name, note } };
  }
  const list = await reference.listIfOpen(kind, signal);
  const about = { idField, noun, given: text };
  if (first) {
    const count = candidates.length;
    const entries = list && { entries: firstNamed(candidates) };
    throw new InputError(resolveMessages.ambiguous_name({ ...about, count, ...entries }), idField);
  }
  const instead = list && {
    instead: await findAlternatives(reference, space, list, { isWanted: hasName, args }, signal),
  };
  throw new InputError(resolveMessages.unknown_name({ ...about, ...instead }), idField);
}

/**
 * Ranks how well an entry matches a folded text: 0 for its id, its whole name or the form in answers (`8 Groothandel`,
 * `Utrecht Oost (7)`), 1 if one of these begins with it, 2 if a word does, 3 if it is elsewhere in a name, -1 for no match.
 */
export function rankOf({ id, name, aliases }: ReferenceEntry, wanted: string): number {
  const names = [name, ...aliases].map(foldName);
  const namesWithId = [`${id} ${name}`, `${name} (${id})`].map(foldName);
  // `1` must not match the beginning of `12 Webshop`.
  const texts = /^(\d+|[^\p{L}\p{N}]*)$/u.test(wanted) ? names : [...names, ...namesWithId];
  return [
    [String(id), ...texts].includes(wanted),
    texts.some((text) => text.startsWith(wanted)),
    texts.some((text) => text.includes(` ${wanted}`)),
    names.some((text) => text.includes(wanted)),
  ].indexOf(true);
}

/** The entries of exactly this name, else those with a word that begins with it. */
export function entriesNamed(text: string, entries: readonly ReferenceEntry[]): ReferenceEntry[] {
  const wanted = foldName(text);
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(entry, wanted) }));
  const ranks = ranked.some(({ rank }) => rank === 0) ? [0] : [1, 2];
  return ranked.filter(({ rank }) => ranks.includes(rank)).map(({ entry }) => entry);
}

/**
 * Warns of a location with several shops, of which one may be meant.
 * @param call for one shop, without its id
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

/** Explains ids that cached lists do not hold, such as a location's id in place of a shop's. */
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
    const list = await reference.listIfOpen(space.kind, signal);
    const isWanted = ({ id }: ReferenceEntry) => id === wanted;
    if (list === undefined || list.some(isWanted)) continue;
    const instead = await findAlternatives(reference, space, list, { isWanted, args }, signal);
    notes.push(resolveMessages.unknown_id({ noun: space.noun, id: wanted, instead }));
  }
  return notes;
}

/** The location with a shop's name or id, or the other way round: people take one for the other (docs/platform.md#ids). */
async function findTwin(
  reference: ReferenceLists,
  kind: ReferenceKind,
  isWanted: (entry: ReferenceEntry) => boolean,
  signal: AbortSignal | undefined,
): Promise<ReferenceEntry | undefined> {
  if (kind !== 'shop' && kind !== 'location') return undefined;
  const others = await reference.listIfOpen(kind === 'shop' ? 'location' : 'shop', signal);
  return others?.find(isWanted);
}

async function findAlternatives(
  reference: ReferenceLists,
  { kind, noun, idField }: ReferenceSpace,
  list: readonly ReferenceEntry[],
  { isWanted, args }: { isWanted(entry: ReferenceEntry): boolean; args: JsonObject },
  signal: AbortSignal | undefined,
): Promise<Alternatives> {
  const twin = await findTwin(reference, kind, isWanted, signal);
  const related = list.filter(
    (entry) =>
      twin && (kind === 'shop' ? locationOf(entry) === twin.id : locationOf(twin) === entry.id),
  );
  return {
    kind,
    noun,
    idField,
    entries: firstNamed(list),
    count: list.length,
    // The list holds only the locations of the key.
    isBound: kind === 'location' && list.length === 1,
    ...(twin && {
      twin: { kind: twin.kind, ...nameAndId(twin), related: related.map(nameAndId) },
    }),
    ...(twin?.kind === 'shop' &&
      reference.hasToolset('analysis') && { comparison: comparisonOf(args, twin.id) }),
  };
}

function nameAndId({ id, name }: NamedId): NamedId {
  return { id, name };
}

function locationOf({ row }: ReferenceEntry): number {
  return toNumber(row.location_id);
}

/** Arguments of `compare_turnover` for the days of another call and perhaps a shop. */
export function comparisonOf({ period, from, to, date }: JsonObject, shop?: unknown): JsonObject {
  const days = Object.entries({ period: period ?? date, from, to });
  const texts = Object.fromEntries(days.filter(([, day]) => typeof day === 'string'));
  return { ...texts, against: 'none', ...(shop !== undefined && { shop_id: String(shop) }) };
}
