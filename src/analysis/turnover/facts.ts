/**
 * Reports are read as facts: the inner field names of reports are not documented, the ids in them are
 * (docs/platform.md#what-is-not-documented). So a number is known by its path and by the reference ids
 * above it.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Decimal, toDecimal } from '../../core/money.ts';
import { type ReferenceKind, referenceSpaces, spaceOfKind } from '../reference/reference.ts';
import { isIdentifier } from '../rows/column-profile.ts';

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
export type ReferenceIds = Readonly<Record<string, string | null>>;

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
   * The position or key (`2`, `0.21`) of a number in rows that the ids do not distinguish, such as rates
   * without a `tax_rate_id`. It is part of an unnamed breakdown, which {@link factsBy} leaves out.
   */
  row?: string;
}

/** One figure of the financial report or of the orders, with the id and name of what it is of. */
export interface TurnoverFigure extends Pick<Fact, 'measure' | 'value'> {
  /** Null for what belongs to none, such as turnover without a group. */
  id?: number | null | undefined;
  name?: string | undefined;
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
  if (isRecord(report)) walkFields(report, top, found);
  else walk(report, top, found);
  const repeated = repeatedBreakdowns(found);
  return found.map(({ value, place }) => {
    const { path, ids, name, positions, isNamed } = place;
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
  /** The position in each list and the key in each map above. */
  positions: readonly string[];
  /** Whether ids distinguish the rows of every list and map above. */
  isNamed: boolean;
}

interface Found {
  value: Decimal;
  place: Place;
}

const maxDepth = 24;

function walk(value: unknown, place: Place, found: Found[]): void {
  if (place.path.length + place.positions.length > maxDepth) return;
  if (Array.isArray(value) || isNumbered(value)) {
    for (const [position, row] of Object.entries(value))
      walkRow(row, { ...place, positions: [...place.positions, position] }, found);
  } else if (isRecord(value)) {
    walkFields(value, within(place, value, ownIds(value, false)), found);
  } else {
    const number = toDecimal(value);
    if (number) found.push({ value: number, place });
  }
}

function walkFields(from: JsonObject, place: Place, found: Found[]): void {
  for (const [key, value] of Object.entries(from)) {
    if (isIdentifier(key)) continue;
    walk(value, { ...place, path: [...place.path, key] }, found);
  }
}

function walkRow(row: unknown, place: Place, found: Found[]): void {
  const ids = isRecord(row) ? ownIds(row, true) : {};
  if (isRecord(row) && Object.keys(ids).length > 0) walkFields(row, within(place, row, ids), found);
  else walk(row, { ...place, isNamed: false }, found);
}

/** Rows under numbers instead of in a list: the numbers may be ids, percentages or years. */
function isNumbered(value: unknown): value is JsonObject {
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

function within(place: Place, value: JsonObject, ids: ReferenceIds): Place {
  if (Object.keys(ids).length === 0) return place;
  return { ...place, ids: joinIds(place.ids, ids), name: nameIn(value) };
}

/** A measure with the kinds of id it is broken down by. */
function breakdownOf({ path, ids }: Place): string {
  return JSON.stringify([path, Object.keys(ids).sort()]);
}

/** The breakdowns in which some ids occur twice: they are finer than their ids say. */
function repeatedBreakdowns(found: readonly Found[]): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { place } of found) {
    if (!place.isNamed) continue;
    const key = JSON.stringify([place.path, Object.entries(place.ids).sort()]);
    if (seen.has(key)) repeated.add(breakdownOf(place));
    seen.add(key);
  }
  return repeated;
}

const idFields: readonly string[] = referenceSpaces.map(({ idField }) => idField);

/** The reference ids of an object itself. A row whose only one is null is of what has no such id. */
function ownIds(from: JsonObject, isRow: boolean): ReferenceIds {
  const present = idFields.filter((field) => Object.hasOwn(from, field));
  const filled = present.filter((field) => isId(from[field]));
  if (filled.length > 0)
    return joinIds({}, Object.fromEntries(filled.map((field) => [field, String(from[field])])));
  const [only, ...others] = present;
  const isNull = isRow && only !== undefined && others.length === 0 && from[only] === null;
  return isNull ? { [only]: null } : {};
}

/** Ids of an object together with those around it; the location of a shop is left out. */
function joinIds(around: ReferenceIds, own: ReferenceIds): ReferenceIds {
  const { location_id, ...others } = { ...around, ...own };
  if (location_id === undefined || 'shop_id' in others) return others;
  return { ...others, location_id };
}

/** The name, title or label of an object. */
function nameIn(from: JsonObject): string | undefined {
  const texts = Object.entries(from).flatMap(([field, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [{ field, value }] : [],
  );
  return texts.find(({ field }) => /^(.+_)?(name|title|label)$/.test(field))?.value;
}

function isId(value: unknown): boolean {
  return /^\d+$/.test(typeof value === 'number' || typeof value === 'string' ? String(value) : '');
}
