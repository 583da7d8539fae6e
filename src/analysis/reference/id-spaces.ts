import { numberIn } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { ReferenceLists } from './lists.ts';
import { listNames, nameWithId } from './names.ts';
import { type ReferenceKind, spaceOf } from './reference.ts';

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
    const list = own.length > 0 ? `The ${noun}s are: ${listNames(own)}.` : `It may see no ${noun}.`;
    notes.push(`No ${noun} that this key may see has id ${id}.`);
    if (kind === 'shop') notes.push(...(await asLocation(id)));
    if (kind === 'location') notes.push(...(await asShop(id)));
    notes.push(list);
  }
  return notes;
}
