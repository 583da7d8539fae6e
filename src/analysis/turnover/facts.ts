/**
 * Reports are read as facts (DESIGN, section 2): the inner field names of reports are not documented,
 * the ids in them are. So a number is known by its path and by the reference ids that stand above it.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Decimal, toDecimal } from '../../core/money.ts';
import { spaceOfKind } from '../reference/reference.ts';
import { isIdentifier } from '../rows/column-profile.ts';
import { idFieldOfMap, joinIds, nameIn, ownIds, type ReferenceIds } from './fact-ids.ts';
import type { FactSplit } from './fact-splits.ts';

/** One number of a report. Facts are passed on as given and never added up: rates are facts too. */
export interface Fact {
  /** The platform's own path, without list positions: `turnover_by_group.shop_totals.turnover_wt`. */
  measure: string;
  value: Decimal;
  /** What the number is of: the reference ids in the object it stands in and around that. */
  ids: ReferenceIds;
  /** What the innermost id is called, where the report says so beside it. */
  name?: string;
  /**
   * Where the number stands among rows that the ids do not tell apart (rates without a
   * `tax_rate_id`, say): positions or keys, such as `2` or `0.21`. Such a number is part of a
   * breakdown that has no name, and {@link factsBy} leaves it out.
   */
  row?: string;
}

/**
 * The facts of one view: for `shop` those with a `shop_id` and no other reference id, for `total`
 * those with none. Within a view, measure and id together occur once.
 */
export function factsBy(facts: readonly Fact[], view: FactSplit): Fact[] {
  const wanted = view === 'total' ? '' : spaceOfKind(view).idField;
  return facts.filter(({ ids, row }) => row === undefined && Object.keys(ids).join() === wanted);
}

/**
 * Every number of a report, in the order of the report. Texts that write a number count; ids and
 * order numbers do not. Ids at the top of a report say what it was asked for, not what a number is
 * of, and are left out; so is the location of a shop, which follows from the shop.
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
  /** Whether an id tells the row of each list and map above from its neighbours. */
  isNamed: boolean;
}

interface Found {
  value: Decimal;
  place: Place;
}

const maxDepth = 24;

function walk(value: unknown, place: Place, found: Found[]): void {
  if (place.path.length + place.positions.length > maxDepth) return;
  if (Array.isArray(value)) {
    for (const [index, row] of value.entries()) walkRow(row, at(place, String(index)), found);
  } else if (isRecord(value)) {
    if (isKeyedMap(value)) walkMap(value, place, found);
    else walkFields(value, within(place, value, ownIds(value, false)), found);
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

/** A row of a list, told from the others by the ids it carries, if any. */
function walkRow(row: unknown, place: Place, found: Found[]): void {
  const ids = isRecord(row) ? ownIds(row, true) : {};
  if (isRecord(row) && Object.keys(ids).length > 0) {
    walkFields(row, within(place, row, ids), found);
  } else {
    walk(row, { ...place, isNamed: false }, found);
  }
}

/** Rows by whole numbers, which are ids where the map's name says of what. */
function walkMap(map: JsonObject, place: Place, found: Found[]): void {
  const idField = idFieldOfMap(place.path.at(-1) ?? '');
  for (const [key, row] of Object.entries(map)) {
    const inside = at(place, key);
    if (idField === undefined) {
      walkRow(row, inside, found);
    } else {
      const named = isRecord(row) ? nameIn(row) : undefined;
      walk(row, { ...inside, ids: joinIds(place.ids, { [idField]: key }), name: named }, found);
    }
  }
}

function isKeyedMap(value: JsonObject): boolean {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

function at(place: Place, position: string): Place {
  return { ...place, positions: [...place.positions, position] };
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
