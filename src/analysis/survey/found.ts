/** What the rows of a look say about a tool's answers. */
import { z } from 'zod';
import { isAmountName, isQuantityName, isTypeableName } from '../../core/column-name.ts';
import {
  type FieldType,
  type FieldTypes,
  fieldWords,
  isFields,
  isList,
} from '../../core/column-tree.ts';
import { groupBy } from '../../core/group-by.ts';
import { isRecord } from '../../core/json.ts';
import { readFacts } from '../reference/facts.ts';
import { columnType } from '../rows/column-type.ts';
import { cellText, isEmptyCell, type Row, readColumns } from '../rows/rows.ts';
import type { LookReading } from './behaviour.ts';

/** The numbers of a report under one path, and the ids that they are split by. */
interface Measures {
  path: string;
  split: string;
  names: readonly string[];
}

/** What one look found; nothing of customers but names of columns and such as are {@link listed}. */
export interface ColumnFindings {
  columns: FieldTypes;
  /** Values of kinds, types and statuses by dotted name: those seen, there may be others. */
  seen: Readonly<Record<string, readonly string[]>>;
  measures: readonly Measures[];
  /** Rows that were looked at. */
  looked: number;
}

const type: z.ZodType<FieldType> = z.union([
  z.enum(fieldWords),
  z.tuple([z.lazy(() => type)]),
  z.record(
    z.string(),
    z.lazy(() => type),
  ),
]);
const names = z.array(z.string());

/** As another replica may have kept it. */
export const columnFindingsSchema: z.ZodType<ColumnFindings> = z.object({
  columns: z.record(z.string(), type),
  seen: z.record(z.string(), names),
  measures: z.array(z.object({ path: z.string(), split: z.string(), names })),
  looked: z.number(),
});

/** What an answer shows: measures of a report, columns and values of a list's rows or of a record. */
export function findColumns({ payload, rows }: LookReading, isReport: boolean): ColumnFindings {
  if (isReport) return { columns: {}, seen: {}, measures: measuresIn(payload), looked: 1 };
  const records = rows ?? [isRecord(payload.data) ? payload.data : payload];
  const looked = records.length;
  return { columns: columnsIn(records), seen: valuesIn(records), measures: [], looked };
}

const [maxColumns, maxFields, maxValues] = [200, 40, 12];

/** Most fields of a table, those of objects in it included, and most measures of a report. */
const [maxOfTable, maxMeasures] = [2000, 1000];

/** The columns of rows, each with the type that fits all its values; 2,000 fields with those of objects. */
export function columnsIn(rows: readonly Row[], room = { fields: maxOfTable }): FieldTypes {
  const keys = keysOf(rows).filter(isTypeableName).slice(0, Math.min(maxColumns, room.fields));
  room.fields -= keys.length;
  const typeIn = (key: string) =>
    typeOf(
      key,
      rows.map((row) => row[key]),
      room,
    );
  return Object.fromEntries(keys.map((key) => [key, typeIn(key)]));
}

function keysOf(objects: readonly Row[]): string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

function typeOf(name: string, values: readonly unknown[], room: { fields: number }): FieldType {
  const held = values.filter((value) => value !== null && value !== undefined);
  if (held.length === 0) return 'open';
  if (held.every(Array.isArray)) return [typeOf(name, held.flat(), room)];
  if (held.every(isRecord)) {
    // An object with more fields has data for keys, such as days.
    const isObject = keysOf(held).length <= maxFields && !held.every(isEmptyCell);
    const fields = isObject ? columnsIn(held, room) : {};
    return Object.keys(fields).length > 0 ? fields : 'open';
  }
  if (held.some((value) => typeof value === 'object')) return 'open';
  const kind = columnType(held, name);
  const isText = kind === 'empty' || kind === 'mixed' || kind === 'nested';
  if (isText) return 'text';
  // docs/platform.md#money: an amount by its name, be it whole in all rows that were seen.
  return kind === 'integer' && (isAmountName(name) || isQuantityName(name)) ? 'decimal' : kind;
}

/** Columns whose values are kinds, types or statuses: few, and worth listing. */
const listed = /(^|[._])(kind|type|type_alias|status|state)$/;

function valuesIn(rows: readonly Row[]): ColumnFindings['seen'] {
  const columns = [...readColumns(rows)].filter(([name]) => listed.test(name)).slice(0, maxFields);
  const found = columns.map(([name, cells]) => {
    const texts = cells.filter((cell) => typeof cell === 'string' && !isEmptyCell(cell));
    return [name, [...new Set(texts.map(cellText))].sort()] as const;
  });
  const isWord = (text: string) => /^[\w-]{1,30}$/.test(text);
  const isShort = (texts: readonly string[]) => texts.length <= maxValues && texts.every(isWord);
  return Object.fromEntries(found.filter(([, it]) => it.length > 0 && isShort(it)));
}

function measuresIn(report: unknown): Measures[] {
  const places = readFacts(report).map(({ measure, split }) => {
    const steps = measure.split('.');
    const name = steps.pop() ?? '';
    return { path: steps.join('.'), split, name };
  });
  const typeable = places.filter(({ path, name }) => isTypeableName(path + name));
  const distinct = new Map(typeable.map((place) => [JSON.stringify(place), place]));
  const first = [...distinct.values()].slice(0, maxMeasures);
  const groups = groupBy(first, ({ path, split }) => JSON.stringify([path, split]));
  return [...groups.values()].map((group) => {
    const [{ path, split }] = group;
    return { path, split, names: group.map(({ name }) => name).slice(0, maxFields) };
  });
}

/** The same columns where several sources know some: the first that knows a type is right, the last gives the order. */
export function mergeColumns(...sources: readonly FieldTypes[]): FieldTypes {
  const keys = new Set(sources.toReversed().flatMap(Object.keys));
  const typesOf = (key: string) =>
    sources.filter((it) => Object.hasOwn(it, key)).map((it) => it[key] ?? 'open');
  return Object.fromEntries([...keys].map((key) => [key, mergeTypes(typesOf(key))]));
}

function mergeTypes(types: readonly FieldType[]): FieldType {
  const known = types.filter((it) => it !== 'open');
  const objects = known.filter(isFields);
  return objects.length > 1 && objects.length === known.length
    ? mergeColumns(...objects)
    : (known[0] ?? 'open');
}

/** Without what a caller does not see, by dotted names. */
export function withoutFields(
  columns: FieldTypes,
  isOut: (path: string) => boolean,
  prefix = '',
): FieldTypes {
  const typeAt = (type: FieldType, path: string): FieldType => {
    if (isFields(type)) return withoutFields(type, isOut, `${path}.`);
    return isList(type) ? [typeAt(type[0], path)] : type;
  };
  const kept = Object.entries(columns).filter(([name]) => !isOut(prefix + name));
  return Object.fromEntries(kept.map(([name, type]) => [name, typeAt(type, prefix + name)]));
}
