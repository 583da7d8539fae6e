/** What tells the numbers of a report apart: the reference ids of section 1, and names beside them. */
import type { JsonObject } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { parseTimestamp } from '../../core/timestamps.ts';
import { referenceSpaces } from '../reference/reference.ts';

/** Ids by their field (`{shop_id: '3'}`), as texts; null for the row of what has no such id. */
export type ReferenceIds = Readonly<Record<string, string | null>>;

const idFields: readonly string[] = referenceSpaces.map(({ idField }) => idField);

/**
 * The reference ids among an object's own fields. A shop stands for its location, which follows from
 * it. Of a row whose only reference id is null (what belongs to no group) that null is the id.
 */
export function ownIds(from: JsonObject, isRow: boolean): ReferenceIds {
  const present = idFields.filter((field) => Object.hasOwn(from, field));
  const filled = present.filter((field) => isId(from[field]));
  if (filled.length > 0) {
    return joinIds({}, Object.fromEntries(filled.map((field) => [field, String(from[field])])));
  }
  const [only, ...others] = present;
  const isNull = isRow && only !== undefined && others.length === 0 && from[only] === null;
  return isNull ? { [only]: null } : {};
}

/** Ids of an object together with those around it; the location of a shop is left out. */
export function joinIds(around: ReferenceIds, own: ReferenceIds): ReferenceIds {
  const { location_id, ...others } = { ...around, ...own };
  if (location_id === undefined || 'shop_id' in others) return others;
  return { ...others, location_id };
}

/** What an object is called: its name, title or label, or else the only text it has. */
export function nameIn(from: JsonObject): string | undefined {
  const texts = Object.entries(from).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && isWording(entry[1]),
  );
  const called = texts.find(([field]) => /^(.+_)?(name|title|label)$/.test(field));
  const [name] = called === undefined && texts.length === 1 ? texts : [called];
  return name?.[1];
}

/**
 * The id field that the keys of a map stand for (`per_shop: {"3": ..., "7": ...}`), where the map's
 * name has the reference's name in it, and only one. Undefined for other names, and for tax rates:
 * there a key such as 21 is as likely a percentage.
 */
export function idFieldOfMap(name: string): string | undefined {
  const found = referenceSpaces.filter(({ kind, idField }) =>
    [kind, idField.replace(/_id$/, '')].some((noun) => hasWord(name, noun)),
  );
  const [space, ...others] = found;
  return others.length === 0 && space?.kind !== 'tax_rate' ? space?.idField : undefined;
}

function hasWord(name: string, noun: string): boolean {
  return `_${name}_`.includes(`_${noun}_`) || `_${name}_`.includes(`_${noun}s_`);
}

function isId(value: unknown): boolean {
  return /^\d+$/.test(typeof value === 'number' || typeof value === 'string' ? String(value) : '');
}

function isWording(text: string): boolean {
  return text.trim() !== '' && !isNumeric(text) && parseTimestamp(text) === undefined;
}
