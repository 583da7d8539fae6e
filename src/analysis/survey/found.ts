/** What the rows of a look say about a tool's answers. */
import { z } from 'zod';
import type { Days } from '../../core/calendar.ts';
import { isAmountName, isQuantityName, isTypeableName } from '../../core/column-name.ts';
import {
  cellText,
  columnType,
  type FieldType,
  type FieldTypes,
  type FieldWord,
  fieldWords,
  inferTree,
  isEmptyCell,
} from '../../core/column-type.ts';
import { groupBy, isRecord, type JsonObject } from '../../core/json.ts';
import { readFacts } from '../reference/facts.ts';
import { type Row, readColumns } from '../rows/rows.ts';

/** What one look read. */
export interface LookReading {
  payload: JsonObject;
  rows?: readonly Row[] | undefined;
  period?: Days | undefined;
}

/** One request for what a tool answers: as in its usual look, or with arguments beside those of it. */
export type LookAt = (tool: string, input?: JsonObject) => Promise<LookReading>;

const type: z.ZodType<FieldType> = z.union([
  z.enum(fieldWords),
  z.tuple([z.lazy(() => type)]),
  z.record(
    z.string(),
    z.lazy(() => type),
  ),
]);
const names = z.array(z.string());

/** What one look found, as another replica may have kept it; nothing of customers but names of columns and such as are {@link listed}. */
export const columnFindings = z.object({
  columns: z.record(z.string(), type),
  /** Values of kinds, types and statuses by dotted name: those seen, there may be others. */
  seen: z.record(z.string(), names),
  measures: z.array(z.object({ path: z.string(), split: z.string(), names })),
  looked: z.number(),
});

export type ColumnFindings = z.output<typeof columnFindings>;

/** What an answer shows: measures of a report, columns and values of a list's rows or of a record. */
export function findColumns({ payload, rows }: LookReading, isReport: boolean): ColumnFindings {
  if (isReport) return { columns: {}, seen: {}, measures: measuresIn(payload), looked: 1 };
  const records = rows ?? [isRecord(payload.data) ? payload.data : payload];
  const looked = records.length;
  return { columns: columnsIn(records), seen: valuesIn(records), measures: [], looked };
}

const maxColumns = 200;
const maxFields = 40;
const maxValues = 12;
const maxMeasures = 1000;

const maxOfTable = 2000;

/** The columns of rows, each with the type that fits all its values; 2,000 fields with those of objects. */
export function columnsIn(rows: readonly Row[]): FieldTypes {
  let room = maxOfTable;
  const fieldsIn = (objects: readonly Row[]) => {
    const names = keysOf(objects).filter(isTypeableName).slice(0, Math.min(maxColumns, room));
    room -= names.length;
    return names;
  };
  const rules = {
    leaf: fieldWord,
    other: () => 'open' as const,
    fieldsOf(objects: readonly Row[]) {
      // An object with more fields has data for keys, such as days.
      const isData = keysOf(objects).length > maxFields || objects.every(isEmptyCell);
      const fields = isData ? [] : fieldsIn(objects);
      return fields.length > 0 ? fields : undefined;
    },
  } as const;
  const columns = fieldsIn(rows).map((name): [string, FieldType] => {
    const values = rows.map((row) => row[name]);
    return [name, inferTree<FieldWord>(name, values, rules)];
  });
  return Object.fromEntries(columns);
}

function keysOf(objects: readonly Row[]): string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

/** What a field holds that has these values, of which blank ones tell nothing. */
function fieldWord(name: string, values: readonly unknown[]): FieldWord {
  if (values.length === 0) return 'open';
  const type = columnType(values, name);
  if (type === 'empty' || type === 'mixed' || type === 'nested') return 'text';
  // docs/platform.md#money: an amount by its name, be it whole in all rows that were seen.
  return type === 'integer' && (isAmountName(name) || isQuantityName(name)) ? 'decimal' : type;
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

function measuresIn(report: unknown): ColumnFindings['measures'] {
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
    return { path, split, names: group.slice(0, maxFields).map(({ name }) => name) };
  });
}
