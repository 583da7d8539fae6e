/**
 * Reports are read as facts, each number by its path and the reference ids above it: inner field names are
 * not documented, ids are (docs/platform.md#what-is-not-documented).
 */
import {
  fieldOf,
  isAmountName,
  isCodeName,
  isCountName,
  isIdentifier,
  isNameColumn,
  isNoFigure,
  isOfParts,
  isTurnoverName,
} from '../../core/column-name.ts';
import { isRecord, type JsonObject, toNumber, toText } from '../../core/json.ts';
import { isNumeric, toDecimal, zero } from '../../core/money.ts';
import type { Fact } from '../answer.ts';
import { type ReferenceKind, referenceSpaces } from './reference.ts';

/** The whole report, or parts by one kind of reference id. */
export const factSplits = [
  'total',
  'shop',
  'location',
  'turnover_group',
  'payment_method',
  'tax_rate',
] as const satisfies readonly ('total' | ReferenceKind)[];

export type FactSplit = (typeof factSplits)[number];

/**
 * Every number of a report in order, also numbers that are texts, except ids and order numbers. Ids at the top of a
 * report repeat the request and are left out, and so is the location of a shop.
 */
export function readFacts(report: unknown): Fact[] {
  const figures: { place: Place; measure: string; value: number | string }[] = [];
  // If some ids occur twice, every row of their split is one of several lines.
  const seen = new Set<string>();
  const splitsOfLines = new Set<string>();
  someFigure(report, (measure, value, place) => {
    figures.push({ place, measure, value });
    if (!place.isNamed) return false;
    const key = place.idText + measure;
    if (seen.has(key)) splitsOfLines.add(`${place.split}:${measure}`);
    seen.add(key);
    return false;
  });
  return figures.map(({ measure, value, place: { ids, split, name, positions, isNamed } }) => {
    const isLine = !isNamed || splitsOfLines.has(`${split}:${measure}`);
    const lineSplit = split === '' ? 'line' : `${split}, line`;
    return {
      measure,
      value: toDecimal(value) ?? zero,
      ids,
      split: isLine ? lineSplit : split || 'total',
      ...(isLine && { line: positions.join('.') }),
      ...(name !== '' && { name }),
    };
  });
}

/** A number that JSON would write otherwise: `3,516.00`, `€ 12,50`. */
const writtenNumber = /^\s*[-+]?\s*€?\s*-?\d[\d.,' ]*%?\s*$/;

/**
 * Values in a report that should be numbers and are not: numbers of another form, texts of a measure that is a number
 * elsewhere, and null for a measure that is named as an amount or a count.
 * @param measures that are numbers elsewhere
 */
export function unreadFigures(report: unknown, measures: ReadonlySet<string>) {
  function visitUnread(value: unknown, measure: string): { measure: string; value: unknown }[] {
    if (Array.isArray(value)) return value.flatMap((row) => visitUnread(row, measure));
    if (isRecord(value))
      return Object.entries(value).flatMap(([field, inner]) =>
        visitUnread(inner, measure === '' ? field : `${measure}.${field}`),
      );
    const mayBeUnread = value === null ? !isOfParts(measure) : typeof value === 'string';
    const isNamed = value === null && isFigureName(fieldOf(measure));
    const isWritten = typeof value === 'string' && writtenNumber.test(value);
    const isFigure = measures.has(measure) || isNamed || isWritten;
    const isUnread = mayBeUnread && isFigure && !isNumeric(value);
    return isUnread && !isNoFigure(measure) && !isCodeName(measure) ? [{ measure, value }] : [];
  }
  return visitUnread(report, '');
}

function isFigureName(field: string): boolean {
  return [isAmountName, isCountName, isTurnoverName].some((matches) => matches(field));
}

/** A place in a report. */
interface Place {
  ids: Fact['ids'];
  /** The ids as text. */
  idText: string;
  /** The kinds of the ids; empty without ids. */
  split: string;
  name: string;
  /** The position in each list above. */
  positions: readonly number[];
  /** Whether ids distinguish the rows of every list above. */
  isNamed: boolean;
}

type Passes = (measure: string, value: number | string, place: Place) => boolean;

/** Visits numbers of a report, with names and ids as in {@link readFacts}, until one passes. @returns whether one did */
export function someFigure(report: unknown, passes: Passes): boolean {
  const place = { ids: {}, idText: '', split: '', name: '', positions: [], isNamed: true };
  return isRecord(report) ? someField(report, '', place, passes) : visit(report, '', place, passes);
}

function visit(value: unknown, measure: string, place: Place, passes: Passes): boolean {
  if (isNumeric(value)) return passes(measure, value, place);
  if (Array.isArray(value))
    return value.some((row, at) => {
      const inRow = { ...place, isNamed: false, positions: [...place.positions, at] };
      if (!isRecord(row)) return visit(row, measure, inRow, passes);
      const entered = enterObject(inRow, row);
      const isNamed = place.isNamed && entered !== inRow;
      return someField(row, measure, { ...entered, isNamed }, passes);
    });
  return isRecord(value) && someField(value, measure, enterObject(place, value), passes);
}

function someField(object: JsonObject, measure: string, place: Place, passes: Passes): boolean {
  const prefix = measure && `${measure}.`;
  return Object.entries(object).some(
    ([field, value]) => !isIdentifier(field) && visit(value, prefix + field, place, passes),
  );
}

/**
 * Adds the ids of an object to those of outer ones, except the location of a shop; and the object's name.
 * @returns `place` itself for an object without ids
 */
function enterObject(place: Place, from: JsonObject): Place {
  const ids = idsOf(from);
  if (ids === undefined) return place;
  const { location_id, ...others } = { ...place.ids, ...ids };
  const isOfShop = location_id === undefined || 'shop_id' in others;
  const texts = Object.entries(from).map(([field, text]) =>
    isNameColumn(field) ? toText(text).trim() : '',
  );
  const kept: Fact['ids'] = isOfShop ? others : { ...others, location_id };
  const spaces = referenceSpaces.filter(({ idField }) => idField in kept);
  return {
    ...place,
    name: texts.find((text) => text !== '') ?? '',
    ids: kept,
    idText: spaces.map(({ idField }) => `${idField} ${kept[idField]}`).join(),
    split: spaces.map(({ kind }) => kind).join(', '),
  };
}

/** The reference ids of an object, if any. A single id that is null is kept: the object belongs to no group, say. */
function idsOf(from: JsonObject): Fact['ids'] | undefined {
  const isId = (id: unknown) => id === null || (id !== undefined && /^\d+$/.test(toText(id)));
  const present = referenceSpaces.filter(({ idField }) => isId(from[idField]));
  const isOnly = present.length === 1;
  const ids = present.flatMap(({ idField }) => {
    const id = from[idField];
    return id === null && !isOnly ? [] : [[idField, id === null ? null : toNumber(id)] as const];
  });
  return ids.length > 0 ? Object.fromEntries(ids) : undefined;
}
