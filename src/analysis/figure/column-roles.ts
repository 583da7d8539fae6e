/** Which column is the axis of a figure, which one parts it into series, and which are drawn. */
import { isNumeric } from '../../core/money.ts';
import type { AxisType } from './figure.ts';
import { readLabels } from './label-type.ts';

/** A column of a result, with its type in DuckDB's words. */
export interface ResultColumn {
  name: string;
  type: string;
}

/** A column of labels, one for each row. */
export interface Labelled {
  name: string;
  type: AxisType;
  /** Whether its values are numbers that name nothing, such as hours and years. */
  isScale: boolean;
  labels: readonly (string | undefined)[];
}

/** The columns of a figure by what they do in it. */
export interface ColumnRoles {
  axis: Labelled;
  split?: Labelled;
  measures: readonly string[];
  omitted: readonly string[];
}

/** What the columns are read with. */
export interface Table {
  columns: readonly ResultColumn[];
  rows: readonly Readonly<Record<string, unknown>>[];
  /** Names by id, by column: `{"shop_id": {"3": "Webshop"}}`. */
  labels?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/**
 * The first column is the axis, and every column of numbers is drawn, ids excepted. Where the axis
 * alone does not tell the rows apart, the next column without numbers parts them into series; where
 * it does, a column that says the same in every row names the series, and the names beside bare ids
 * stand for them.
 */
export function assignRoles(table: Table): ColumnRoles {
  const { columns, rows } = table;
  const [first, ...others] = columns;
  const isMeasure = (column: ResultColumn) => holdsNumbers(column, table);
  const measures = others.filter(isMeasure).map(({ name }) => name);
  const [second, ...rest] = others.filter((column) => !isMeasure(column));
  const axis = labelled(first ?? { name: '', type: 'VARCHAR' }, table);
  const candidate = second && labelled(second, table);
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

function labelled({ name, type }: ResultColumn, { rows, labels }: Table): Labelled {
  const names = labels && Object.hasOwn(labels, name) ? labels[name] : undefined;
  const values = rows.map((row) => (Object.hasOwn(row, name) ? row[name] : undefined));
  // What holds names is called after what they name: `shop_id` shows shops.
  const said = names ? name.replace(/_id$/, '') : name;
  return { name: said, isScale: isNumberType(type) && !names, ...readLabels(values, names) };
}

function holdsNumbers({ name, type }: ResultColumn, { rows, labels }: Table): boolean {
  if (labels && Object.hasOwn(labels, name)) return false;
  if (isNumberType(type)) return true;
  // A column that came without a type that says so, all of whose values are numbers.
  return isUnknownType(type) && rows.some((row) => isNumeric(row[name])) && allNumeric(name, rows);
}

function allNumeric(name: string, rows: Table['rows']): boolean {
  return rows.every((row) => row[name] === null || isNumeric(row[name]));
}

const numberType =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC|BIGNUM|VARINT)\b/i;

function isNumberType(type: string): boolean {
  return numberType.test(type) && !type.endsWith(']');
}

/** DuckDB's type of a column of nothing but NULL, and that of JSON. */
function isUnknownType(type: string): boolean {
  return /^(?:"NULL"|NULL|JSON|UNKNOWN)?$/i.test(type);
}
