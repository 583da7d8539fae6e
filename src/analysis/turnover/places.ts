/** The location and the shops that a question about turnover names. */
import { InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isMessageOf, type Warning } from '../../core/message.ts';
import { spaceByKind } from '../reference/reference.ts';
import { resolveMessages, resolveReference, severalShops } from '../reference/resolve.ts';
import { type Places, type Question, splitOf } from './question.ts';

/** A question before its names are read. */
type Asked = Pick<Question, 'services' | 'tool' | 'args' | 'call'>;

/**
 * Reads the names of a question. In a question of shops a shop's name as location means that shop, and a location's
 * name as shop means its shops.
 * @throws {CommerceError} for a name that means nothing, or more than one
 */
export async function readPlaces(asked: Asked): Promise<Pick<Question, 'by' | 'places'>> {
  const { services, tool, args, call } = asked;
  const { location_id, shop_id } = args;
  const [location, ofShops] = await Promise.all([
    location_id === undefined ? undefined : findPlace(asked, 'location', location_id),
    shop_id && Promise.all(shop_id.map((name) => findPlace(asked, 'shop', name))),
  ]);
  const warnings = [location, ...(ofShops ?? [])].flatMap((found) => found?.warning ?? []);
  if (location?.warning) return { by: 'shop', places: { shops: location.places, warnings } };
  const by = splitOf(args);
  const [place] = location?.places ?? [];
  const several =
    place?.resolved && by !== 'shop'
      ? await severalShops(
          services.reference,
          place.resolved,
          { tool, arguments: daysIn(args) },
          call.signal,
        )
      : [];
  const shops = ofShops?.flatMap(({ places }) => places);
  return { by, places: { location: place, shops, warnings: [...warnings, ...several] } };
}

/** Finds the place of a name. A name of the other kind is taken for its shops, with a warning. */
async function findPlace(
  { services, args, call }: Asked,
  kind: 'shop' | 'location',
  given: string,
): Promise<{ places: NonNullable<Places['shops']>; warning?: Warning }> {
  const { idField } = spaceByKind[kind];
  const { reference } = services;
  const isOfShops = args.by === undefined || args.by === 'shop';
  try {
    return {
      places: [await resolveReference(reference, spaceByKind[kind], given, call.signal, args)],
    };
  } catch (error) {
    const reason = error instanceof InputError ? error.reason : undefined;
    const isUnknown = isMessageOf(resolveMessages, reason) && reason.code === 'unknown_name';
    const twin = isUnknown ? reason.instead?.twin : undefined;
    const shops = twin?.kind === 'shop' ? [twin] : (twin?.related ?? []);
    const isTaken = isOfShops && (kind === 'shop' || args.shop_id === undefined);
    if (twin === undefined || shops.length === 0 || !isTaken) throw error;
    const places = shops.map(({ id, name }) => ({ id, name }));
    const taken = { idField, given, kind: twin.kind, shops: places };
    return { places, warning: resolveMessages.shop_or_location(taken) };
  }
}

/** The arguments about days, which go with any split. */
function daysIn({ measures, location_id, shop_id, by, explain, ...days }: JsonObject): JsonObject {
  return days;
}
