/** Which column is the axis of a figure, which one splits it into series, and which are drawn. */
import { type BucketSize, bucketOf } from '../../core/buckets.ts';
import { addDays, addMonths, amsterdamDay, startOf } from '../../core/calendar.ts';
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
  /** Its unit, where that is certain; a `ratio` may be a share of 1. */
  unit?: 'count' | 'percent' | 'ratio' | undefined;
}

/** A result with the names of its ids, by column: `{"shop_id": {"3": "Webshop"}}`. */
export interface ResultRows {
  columns: readonly ResultColumn[];
  rows: readonly Readonly<Record<string, unknown>>[];
  labels?: Readonly<Record<string, Names>> | undefined;
}

type Names = Readonly<Record<string, string>>;

/** A column of labels, one for each row; undefined where a row has none. */
export interface LabelColumn {
  name: string;
  type: AxisType;
  /** Whether its values are numbers that are no ids, such as hours and years. */
  isScale: boolean;
  labels: readonly (string | undefined)[];
}

/** The columns of a figure by what they do in it. */
export interface ColumnRoles {
  axis: LabelColumn;
  split?: LabelColumn;
  measures: readonly string[];
  omitted: readonly string[];
}

/**
 * The first column is the axis, and every column of numbers is drawn, ids excepted. Where the axis
 * occurs more than once, the next column without numbers splits the rows into series. Otherwise a
 * column with one value names the series, and names replace bare ids on the axis.
 */
export function assignRoles(table: ResultRows): ColumnRoles {
  const { columns, rows } = table;
  const [first, ...others] = columns;
  const isMeasure = (column: ResultColumn) => holdsNumbers(column, table);
  const measures = others.filter(isMeasure).map(({ name }) => name);
  const [second, ...rest] = others.filter((column) => !isMeasure(column));
  const axis = labelColumn(first ?? { name: '', type: 'VARCHAR' }, table);
  const candidate = second && labelColumn(second, table);
  const restNames = rest.map(({ name }) => name);
  if (!candidate) return { axis, measures, omitted: restNames };

  const values = new Set(candidate.labels);
  if (new Set(axis.labels).size < rows.length || values.size === 1)
    return { axis, split: candidate, measures, omitted: restNames };
  const isNamed = axis.isScale && candidate.type === 'name' && values.size === rows.length;
  if (isNamed && !values.has(undefined))
    return { axis: candidate, measures, omitted: [axis.name, ...restNames] };
  return { axis, measures, omitted: [candidate.name, ...restNames] };
}

/** A column as labels: its values are days, weeks or months, all of them, or else names. */
function labelColumn(
  { name, type, grain }: ResultColumn,
  { rows, labels: named }: ResultRows,
): LabelColumn {
  const names = named && Object.hasOwn(named, name) ? named[name] : undefined;
  const values = rows.map((row) => (Object.hasOwn(row, name) ? row[name] : undefined));
  const given = values.filter((value) => value !== null && value !== undefined);
  const form = names
    ? undefined
    : timeForms.find(({ read }) => given.length > 0 && given.every((it) => read(it) !== undefined));
  const labels = form ? values.map(form.read) : nameIds(values.map(nameOf), names ?? {});
  const unit = form?.type === 'day' ? unitOfDays(labels, grain) : undefined;
  return {
    // `shop_id` shows the names of shops.
    name: names ? name.replace(/_id$/, '') : name,
    isScale: isNumberType(type) && !names,
    type: unit ?? form?.type ?? 'name',
    labels: unit ? labels.map((day) => day && bucketOf(day, unit)) : labels,
  };
}

/** What days mean that are all Mondays or firsts: as the statement says, or where some are neighbours. */
function unitOfDays(
  labels: readonly (string | undefined)[],
  grain: string | undefined,
): Exclude<BucketSize, 'day'> | undefined {
  const days = [...new Set(labels)].filter((day) => day !== undefined);
  const isUnit = (unit: 'week' | 'month', next: (day: string) => string) =>
    days.every((day) => startOf(unit, day) === day) &&
    (grain === undefined ? days.some((day) => days.includes(next(day))) : grain === unit);
  if (isUnit('month', (day) => addMonths(day, 1))) return 'month';
  return isUnit('week', (day) => addDays(day, 7)) ? 'week' : undefined;
}

const timeForms: readonly { type: AxisType; read(value: unknown): string | undefined }[] = [
  {
    type: 'day',
    read(value) {
      const moment = readTimestamp(value);
      return moment && amsterdamDay(moment.ms);
    },
  },
  { type: 'week', read: (value) => matching(/^\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])$/, value) },
  { type: 'month', read: (value) => matching(/^\d{4}-(?:0[1-9]|1[0-2])$/, value) },
];

function matching(form: RegExp, value: unknown): string | undefined {
  return typeof value === 'string' && form.test(value) ? value : undefined;
}

function nameOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Ids by their names; two ids of one name keep their numbers: `Bar (1)` and `Bar (3)`. */
function nameIds(ids: readonly (string | undefined)[], names: Names) {
  const nameBy = (id: string) => (Object.hasOwn(names, id) ? names[id] : undefined) ?? id;
  const distinct = [...new Set(ids)].filter((id) => id !== undefined);
  const all = distinct.map(nameBy);
  const shared = new Set(all.filter((name, index) => all.indexOf(name) !== index));
  return ids.map((id) => {
    if (id === undefined) return undefined;
    const name = nameBy(id);
    return shared.has(name) && name !== id ? `${name} (${id})` : name;
  });
}

function holdsNumbers({ name, type }: ResultColumn, { labels }: ResultRows): boolean {
  return isNumberType(type) && !(labels && Object.hasOwn(labels, name));
}

function isNumberType(type: string): boolean {
  const isNumber =
    /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC|BIGNUM|VARINT)\b/i;
  return isNumber.test(type) && !type.endsWith(']');
}
