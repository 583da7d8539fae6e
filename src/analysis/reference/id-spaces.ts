import { numberIn } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { listNames, nameWithId } from './names.ts';
import { type Reference, type ReferenceEntry, type ReferenceKind, spaceOf } from './reference.ts';

/**
 * What a shop or location id that was given really is. Shops and locations are different id spaces
 * and neither accepts the other (section 1): a number of one space given for the other finds nothing,
 * or the wrong thing. Reads only the cached reference lists; says nothing where all is well.
 */
export async function misplacedIds(
  reference: Reference,
  given: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<string[]> {
  const notes: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    const id = Number(value);
    if (space === undefined || !Number.isSafeInteger(id)) continue;
    const own = await entriesOrNone(reference, space.kind, signal);
    if (own === undefined || own.some((entry) => entry.id === id)) continue;
    notes.push(
      `No ${space.noun} that this key may see has id ${id}.`,
      ...(await elsewhere(reference, name, id, signal)),
      own.length > 0
        ? `The ${space.noun}s are: ${listNames(own)}.`
        : `It may see no ${space.noun}.`,
    );
  }
  return notes;
}

/** The same number in the other one of the two id spaces that get mixed up. */
async function elsewhere(
  reference: Reference,
  idField: string,
  id: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (idField === 'location_id') {
    const shop = (await entriesOrNone(reference, 'shop', signal))?.find((it) => it.id === id);
    if (shop === undefined) return [];
    const named = `${id} is the shop ${quote(shop.name)}`;
    const locationId = numberIn(shop.row.location_id);
    // A webshop may belong to no location.
    if (!Number.isSafeInteger(locationId) || locationId < 1) return [`${named}, not a location.`];
    const locations = await entriesOrNone(reference, 'location', signal);
    const location = locations?.find((it) => it.id === locationId);
    if (location === undefined) return [`${named}, at a location that this key does not see.`];
    return [
      `${named}, at location ${nameWithId(location)}: for it, give location_id ${locationId}.`,
    ];
  }
  if (idField !== 'shop_id') return [];
  const locations = await entriesOrNone(reference, 'location', signal);
  const location = locations?.find((it) => it.id === id);
  if (location === undefined) return [];
  const shops = (await entriesOrNone(reference, 'shop', signal))?.filter(
    (it) => numberIn(it.row.location_id) === id,
  );
  return [
    shops === undefined || shops.length === 0
      ? `${id} is the location ${quote(location.name)}.`
      : `${id} is the location ${quote(location.name)}, whose shops are ${listNames(shops)}: give one of these as shop_id.`,
  ];
}

async function entriesOrNone(
  reference: Reference,
  kind: ReferenceKind,
  signal: AbortSignal | undefined,
): Promise<readonly ReferenceEntry[] | undefined> {
  try {
    return await reference.list(kind, signal);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
