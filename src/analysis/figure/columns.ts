/** Which column is the axis of a figure, which one splits it into series, and which are drawn. */
import { type BucketSize, bucketOf } from '../../core/buckets.ts';
import { addDays, addMonths, amsterdamDay, startOf } from '../../core/calendar.ts';
import { isNumeric } from '../../core/money.ts';
import { readTimestamp } from '../../core/timestamps.ts';
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

/** A column of labels, one for each row; undefined where a row has none. */
interface LabelColumn {
  name: string;
  type: AxisType;
  /** Whether its values are numbers that are no ids, such as hours and years. */
  isScale: boolean;
  labels: readonly (string | undefined)[];
}

/**
 * The first column is the axis, and every column of numbers is drawn, ids excepted. Where the axis
 * occurs more than once, the next column without numbers splits the rows into series. Otherwise a
 * column with one value names the series, and names replace bare ids on the axis.
 */
export function assignRoles(table: ResultRows) {
  const { columns, rows, labels: named = {} } = table;
  const [first = { name: '', type: 'VARCHAR' }, ...others] = columns;
  const isOfNumbers = ({ name, type }: ResultColumn) =>
    numberType.test(type) && !Object.hasOwn(named, name);
  const measures = others.filter(
    (column) => isOfNumbers(column) && rows.some((row) => isNumeric(row[column.name])),
  );
  const second = others.find((column) => !isOfNumbers(column));
  const axis = labelColumn(first, table);
  const next = second && labelColumn(second, table);
  const values = new Set(next?.labels);
  const doesSplit = new Set(axis.labels).size < rows.length || values.size === 1;
  const doesName = next?.type === 'name' && values.size === rows.length && !values.has(undefined);
  const isNamed = axis.isScale && doesName && !doesSplit;
  const used = isNamed ? [second] : doesSplit ? [first, second] : [first];
  return {
    axis: isNamed ? next : axis,
    split: doesSplit ? next : undefined,
    measures,
    /** The names of the columns that do nothing. */
    omitted: columns.filter((it) => ![...measures, ...used].includes(it)).map(({ name }) => name),
  };
}

/** A column as labels: its values are days, weeks or months, all of them, or else names. */
function labelColumn(column: ResultColumn, { rows, labels: named = {} }: ResultRows): LabelColumn {
  const { name, type, grain } = column;
  const values = rows.map((row) => row[name] ?? undefined);
  const times = values.map(timeOf);
  const forms = new Set(
    times.flatMap((time, row) => (values[row] === undefined ? [] : [time?.type])),
  );
  const [form] = forms;
  if (Object.hasOwn(named, name))
    // `shop_id` shows the names of shops.
    return {
      name: name.replace(/_id$/, ''),
      type: 'name',
      isScale: false,
      labels: nameIds(values.map(textOf), named[name] ?? {}),
    };
  if (forms.size !== 1 || form === undefined)
    return { name, type: 'name', isScale: numberType.test(type), labels: values.map(textOf) };
  const labels = times.map((time) => time?.label);
  const unit = form === 'day' ? unitOfDays(labels, grain) : form;
  return {
    name,
    type: unit,
    isScale: false,
    labels: unit === form ? labels : labels.map((day) => day && bucketOf(day, unit)),
  };
}

/** A value as a day, an ISO week or a month. */
function timeOf(value: unknown): { type: BucketSize; label: string } | undefined {
  const moment = readTimestamp(value);
  if (moment) return { type: 'day', label: amsterdamDay(moment.ms) };
  if (typeof value !== 'string') return undefined;
  if (/^\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])$/.test(value)) return { type: 'week', label: value };
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(value) ? { type: 'month', label: value } : undefined;
}

/** What days mean that are all Mondays or firsts: as the statement says, or where some are neighbours. */
function unitOfDays(
  labels: readonly (string | undefined)[],
  grain: string | undefined,
): BucketSize {
  const days = [...new Set(labels)].filter((day) => day !== undefined);
  const isUnit = (unit: 'week' | 'month', next: (day: string) => string) =>
    days.every((day) => startOf(unit, day) === day) &&
    (grain === undefined ? days.some((day) => days.includes(next(day))) : grain === unit);
  if (isUnit('month', (day) => addMonths(day, 1))) return 'month';
  return isUnit('week', (day) => addDays(day, 7)) ? 'week' : 'day';
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Ids by their names; two ids of one name keep their numbers: `Bar (1)` and `Bar (3)`. */
function nameIds(ids: readonly (string | undefined)[], names: Readonly<Record<string, string>>) {
  const all = new Map(ids.map((id) => [id, names[id ?? ''] ?? id]));
  const isShared = (name = '') => [...all.values()].filter((it) => it === name).length > 1;
  return ids.map((id) => {
    const name = all.get(id);
    return name !== id && isShared(name) ? `${name} (${id})` : name;
  });
}

/** No type of lists, which end in `]`. */
const numberType =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC|BIGNUM|VARINT)\b(?!.*\]$)/i;
