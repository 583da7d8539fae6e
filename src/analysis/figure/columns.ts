/** Which column is the axis of a figure, which one splits it into series, and which are drawn. */
import {
  addTo,
  amsterdamDay,
  type BucketSize,
  bucketOf,
  readTimestamp,
  startOf,
} from '../../core/calendar.ts';
import { cellText, columnType, isOfTimes } from '../../core/column-type.ts';
import { ownValue } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import type { AxisType } from './figure.ts';

/** A column of a result, with its type in DuckDB's words. */
export interface ResultColumn {
  name: string;
  type: string;
  /** What the statement truncates its days to, where it says so: `week`, `month`, `quarter`, ... */
  grain?: string | undefined;
  /** Whether its values add up over rows: sums and counts do, medians and percentages do not. */
  adds?: boolean | undefined;
  /** Its unit, where that is certain. */
  unit?: 'count' | 'percent' | undefined;
}

/** A result with the names of its ids, by column: `{"shop_id": {"3": "Webshop"}}`. */
export interface ResultRows {
  columns: readonly ResultColumn[];
  rows: readonly Readonly<Record<string, unknown>>[];
  labels?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/**
 * The first column is the axis, and every column of numbers is drawn, ids excepted. Where the axis
 * occurs more than once, the next column without numbers splits the rows into series. Otherwise a
 * column with one value names the series, and names replace bare ids on the axis. Columns `low` and
 * `high` beside another measure are the band around it.
 */
export function assignRoles(table: ResultRows) {
  const { columns, rows, labels: named = {} } = table;
  const [first = { name: '', type: '' }, ...others] = columns;
  /** Numbers that are no ids; on the axis such as hours and years. */
  const isScale = ({ name, type }: ResultColumn) =>
    numberType.test(type) && !Object.hasOwn(named, name);
  const numbers = others.filter(
    (column) => isScale(column) && rows.some((row) => isNumeric(row[column.name])),
  );
  const inner = numbers.filter(({ name }) => name !== 'low' && name !== 'high');
  const hasBand = inner.length > 0 && inner.length === numbers.length - 2;
  const second = others.find((column) => !isScale(column));
  const axis = labelColumn(first, table);
  const next = second && labelColumn(second, table);
  const values = new Set(next?.labels);
  const doesSplit = new Set(axis.labels).size < rows.length || values.size === 1;
  const areNames = next?.type === 'name' && values.size === rows.length && !values.has(undefined);
  const isRenamed = isScale(first) && areNames && !doesSplit;
  const used = [isRenamed ? second : first, doesSplit ? second : undefined, ...numbers];
  return {
    axis: isRenamed ? next : axis,
    isScale: isScale(first) && !isRenamed,
    split: doesSplit ? next : undefined,
    measures: hasBand ? inner : numbers,
    hasBand,
    omitted: columns.filter((column) => !used.includes(column)).map(({ name }) => name),
  };
}

/** No type of lists, which end in `]`. */
const numberType =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC|BIGNUM|VARINT)\b(?!.*\]$)/i;

type RowLabels = readonly (string | undefined)[];

function labelColumn(
  { name, grain }: ResultColumn,
  { rows, labels: named = {} }: ResultRows,
): { name: string; type: AxisType; labels: RowLabels } {
  const cells = rows.map((row) => row[name]);
  const texts = cells.map((cell) => cellText(cell) || undefined);
  const names = ownValue(named, name);
  // `shop_id` shows the names of shops.
  if (names) return { name: name.replace(/_id$/, ''), type: 'name', labels: nameIds(texts, names) };
  const type = columnType(cells);
  if (isOfTimes(type)) {
    const moments = cells.map(readTimestamp);
    const days = moments.map((moment) => moment && amsterdamDay(moment.ms));
    const unit = unitOfDays(days, grain);
    return { name, type: unit, labels: days.map((day) => day && bucketOf(day, unit)) };
  }
  const isAll = (form: RegExp) => texts.every((text) => text === undefined || form.test(text));
  const bucket = type === 'text' ? bucketForms.find(({ form }) => isAll(form)) : undefined;
  return { name, type: bucket?.size ?? 'name', labels: texts };
}

const bucketForms = [
  { size: 'week', form: /^\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])$/ },
  { size: 'month', form: /^\d{4}-(?:0[1-9]|1[0-2])$/ },
] as const;

/** What days mean that are all Mondays or firsts: as the statement says, or where some are neighbours. */
function unitOfDays(labels: RowLabels, grain: string | undefined): BucketSize {
  const days = [...new Set(labels)].filter((day) => day !== undefined);
  const areNeighbours = (unit: BucketSize) =>
    days.some((day) => days.includes(addTo(day, { [unit]: 1 })));
  const isUnit = (unit: BucketSize) =>
    days.every((day) => startOf(unit, day) === day) &&
    (grain === undefined ? areNeighbours(unit) : grain === unit);
  return (['month', 'week'] as const).find(isUnit) ?? 'day';
}

/** Ids by their names, with their numbers where two have one name: `Bar (1)` and `Bar (3)`. */
function nameIds(ids: RowLabels, names: Readonly<Record<string, string>>): RowLabels {
  const named = ids.map((id) => names[id ?? ''] ?? id);
  const isClear = new Set(named).size === new Set(ids).size;
  return isClear ? named : ids.map((id, at) => id && `${named[at]} (${id})`);
}
