/**
 * Reports are read as facts: the inner field names of reports are not documented, the ids in them are
 * (docs/platform.md#what-is-not-documented). So a number is known by its path and by the reference ids
 * above it.
 */
import { isRecord, type JsonObject, textIn } from '../../core/json.ts';
import { type Decimal, toDecimal } from '../../core/money.ts';
import { type ReferenceKind, referenceSpaces, spaceOfKind } from '../reference/reference.ts';
import { isIdentifier } from '../rows/column-type.ts';

/** The ways to split a report: as a whole, or by one kind of reference id. */
export const factSplits = [
  'total',
  'shop',
  'location',
  'turnover_group',
  'payment_method',
  'tax_rate',
] as const satisfies readonly ('total' | ReferenceKind)[];

export type FactSplit = (typeof factSplits)[number];

/** Ids by their field (`{shop_id: '3'}`), as texts; null for the row of what has no such id. */
type ReferenceIds = Readonly<Record<string, string | null>>;

/** One number of a report. Facts are passed on as given and never added up: rates are facts too. */
export interface Fact {
  /** The platform's own path, without list positions: `turnover_by_group.shop_totals.turnover_wt`. */
  measure: string;
  value: Decimal;
  /** What the number is of: the reference ids of its object and of those around it. */
  ids: ReferenceIds;
  /** The name of the innermost id, where the report gives one. */
  name?: string;
  /**
   * The position (`2`, `0.1`) of a number in rows that the ids do not distinguish, such as rates
   * without a `tax_rate_id`. It is part of an unnamed breakdown, which {@link factsBy} leaves out.
   */
  row?: string;
}

/**
 * The facts of one split: for `shop` those with a `shop_id` and no other reference id, for `total`
 * those with none. Within a split, measure and id together occur once.
 */
export function factsBy(facts: readonly Fact[], by: FactSplit): Fact[] {
  const wanted = by === 'total' ? '' : spaceOfKind(by).idField;
  return facts.filter(({ ids, row }) => row === undefined && Object.keys(ids).join() === wanted);
}

/**
 * Every number of a report, in its order. Texts that hold a number count; ids and order numbers do
 * not. Ids at the top of a report say what was asked for and are left out; so is the location of a
 * shop, which follows from the shop.
 */
export function readFacts(report: unknown): Fact[] {
  const found: Found[] = [];
  const top: Place = { path: [], ids: {}, name: undefined, positions: [], isNamed: true };
  if (isRecord(report)) visitFields(report, top, found);
  else visit(report, top, found);

  // Where some ids occur twice, the whole breakdown is finer than its ids say.
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const place of found.filter(({ isNamed }) => isNamed)) {
    const key = JSON.stringify([place.path, Object.entries(place.ids).sort()]);
    if (seen.has(key)) repeated.add(breakdownOf(place));
    seen.add(key);
  }
  return found.map((place) => {
    const { path, value, ids, name, positions, isNamed } = place;
    const needsRow = !isNamed || repeated.has(breakdownOf(place));
    return {
      measure: path.join('.'),
      value,
      ids,
      ...(name !== undefined && { name }),
      ...(needsRow && { row: positions.join('.') }),
    };
  });
}

interface Place {
  path: readonly string[];
  ids: ReferenceIds;
  name: string | undefined;
  /** The position in each list above. */
  positions: readonly string[];
  /** Whether ids distinguish the rows of every list above. */
  isNamed: boolean;
}

interface Found extends Place {
  value: Decimal;
}

/** A measure with the kinds of id it is broken down by. */
function breakdownOf({ path, ids }: Place): string {
  return JSON.stringify([path, Object.keys(ids).sort()]);
}

function visit(value: unknown, place: Place, found: Found[]): void {
  const number = toDecimal(value);
  if (number) found.push({ ...place, value: number });
  if (Array.isArray(value)) {
    for (const [position, row] of value.entries()) {
      const at = { ...place, positions: [...place.positions, String(position)] };
      const ids = isRecord(row) ? ownIds(row, true) : {};
      if (isRecord(row) && Object.keys(ids).length > 0)
        visitFields(row, within(at, row, ids), found);
      else visit(row, { ...at, isNamed: false }, found);
    }
  } else if (isRecord(value)) visitFields(value, within(place, value, ownIds(value, false)), found);
}

function visitFields(from: JsonObject, place: Place, found: Found[]): void {
  for (const [key, value] of Object.entries(from))
    if (!isIdentifier(key)) visit(value, { ...place, path: [...place.path, key] }, found);
}

/** The ids of an object with those around it, without the location of a shop; and the object's name. */
function within(place: Place, from: JsonObject, own: ReferenceIds): Place {
  if (Object.keys(own).length === 0) return place;
  const { location_id, ...others } = { ...place.ids, ...own };
  const isOfShop = location_id === undefined || 'shop_id' in others;
  const texts = Object.entries(from).filter(([field]) => /^(.+_)?(name|title|label)$/.test(field));
  const name = texts.map(([, it]) => it).find((it) => typeof it === 'string' && it.trim() !== '');
  return {
    ...place,
    ids: isOfShop ? others : { ...others, location_id },
    name: typeof name === 'string' ? name : undefined,
  };
}

const idFields: readonly string[] = referenceSpaces.map(({ idField }) => idField);

/** The reference ids of an object itself. A row whose only one is null is of what has no such id. */
function ownIds(from: JsonObject, isRow: boolean): ReferenceIds {
  const present = idFields.filter((field) => Object.hasOwn(from, field));
  const filled = present.filter((field) => /^\d+$/.test(textIn(from[field])));
  const [only, ...others] = present;
  if (isRow && only !== undefined && others.length === 0 && from[only] === null)
    return { [only]: null };
  return Object.fromEntries(filled.map((field) => [field, textIn(from[field])]));
}
