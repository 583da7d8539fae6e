import { numberIn } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { ReferenceLists } from './lists.ts';
import { listNames, nameWithId } from './names.ts';
import { type ReferenceEntry, type ReferenceKind, spaceOf } from './reference.ts';

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
  const notes: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    const id = Number(value);
    if (space === undefined || !Number.isSafeInteger(id)) continue;
    const own = await entriesOf(space.kind);
    if (own === undefined || own.some((entry) => entry.id === id)) continue;
    notes.push(`No ${space.noun} that this key may see has id ${id}.`);
    if (name === 'shop_id' || name === 'location_id') {
      const [shops = [], locations = []] = [await entriesOf('shop'), await entriesOf('location')];
      notes.push(
        ...(name === 'shop_id' ? asLocation(id, shops, locations) : asShop(id, shops, locations)),
      );
    }
    notes.push(
      own.length > 0
        ? `The ${space.noun}s are: ${listNames(own)}.`
        : `It may see no ${space.noun}.`,
    );
  }
  return notes;
}

type Entries = readonly ReferenceEntry[];

/** The shop that a number given as `location_id` is. */
function asShop(id: number, shops: Entries, locations: Entries): string[] {
  const shop = shops.find((entry) => entry.id === id);
  if (shop === undefined) return [];
  const named = `${id} is the shop ${quote(shop.name)}`;
  const placeId = numberIn(shop.row.location_id);
  // A webshop may belong to no location.
  if (!Number.isSafeInteger(placeId) || placeId < 1) return [`${named}, not a location.`];
  const place = locations.find((entry) => entry.id === placeId);
  return [
    place === undefined
      ? `${named}, at a location that this key does not see.`
      : `${named}, at location ${nameWithId(place)}: for it, give location_id ${placeId}.`,
  ];
}

/** The location that a number given as `shop_id` is. */
function asLocation(id: number, shops: Entries, locations: Entries): string[] {
  const location = locations.find((entry) => entry.id === id);
  if (location === undefined) return [];
  const own = shops.filter(({ row }) => numberIn(row.location_id) === id);
  const named = `${id} is the location ${quote(location.name)}`;
  return [
    own.length === 0
      ? `${named}.`
      : `${named}, whose shops are ${listNames(own)}: give one of these as shop_id.`,
  ];
}
