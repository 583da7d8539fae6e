/** An answer laid out for a person, once: the tables that a terminal draws and a workbook holds. */
import { mainMeasure, trendMeasures } from '../analysis/draw-answer.ts';
import type { Labels } from '../analysis/reference/reference.ts';
import { type Row, readColumns } from '../analysis/rows/rows.ts';
import { compareTurnover, turnoverTrend } from '../analysis/turnover/turnover.ts';
import {
  fieldOf,
  isAmountName,
  isIdentifier,
  isNameColumn,
  isNoAmount,
  isOfParts,
  isPercentage,
} from '../core/column-name.ts';
import { groupBy } from '../core/group-by.ts';
import { isRecord, type JsonObject, toText } from '../core/json.ts';
import { isNumeric, percent, plain, sum, toDecimal } from '../core/money.ts';
import { writeFigures } from '../mcp/answers/table.ts';

/** A column: a value for each row, and their total where they add up. */
export interface LaidColumn {
  /** As the answer calls it. */
  name: string;
  values: readonly unknown[];
  total?: unknown;
  /** Of the figures of a measure: its full name, and what of it they are, such as `current` or `reference`. */
  measure?: string;
  aspect?: string;
  /** What the answer is about, or that is held against. */
  isMain?: boolean;
}

/** A table of an answer. */
export interface Part {
  /**
   * `record`: one row, a line a value; `measures`: a row for each measure of the whole; `split`: a row for each shop, or
   * whatever it is split by, with the figures of all measures side by side.
   */
  kind: 'rows' | 'record' | 'measures' | 'split';
  /** Of a list in a record or in a row, and of the parts of a difference; the rows that were asked for have none. */
  name?: string;
  columns: readonly LaidColumn[];
}

/**
 * The tables of an answer: its `data` as rows, or else all of it as a record.
 * @param isWhole no row is missing, so that they can be added up
 */
export function layOut(tool: string, answer: JsonObject, isWhole: boolean): Part[] {
  const { data, explained = [], ...record } = answer;
  if (!Array.isArray(data)) return layOutRecord({ ...record, ...(isRecord(data) && data) });
  const rows = data.filter(isRecord);
  const parts = [explained].flat().filter(isRecord);
  const compared = tool === compareTurnover.tool && isWhole ? layOutComparison(rows) : undefined;
  return [
    compared ?? (tool === turnoverTrend.tool ? layOutTrend(rows) : tableOf(rows)),
    ...(parts.length > 0 ? [tableOf(parts, 'explained')] : []),
  ];
}

function tableOf(rows: readonly Row[], name?: string): Part {
  const columns = [...readColumns(rows)].map(([name, values]) => ({ name, values }));
  return { kind: 'rows', columns, ...(name !== undefined && { name }) };
}

/** Whether a cell is a list of rows. */
export function holdsRows(cell: unknown): cell is readonly unknown[] {
  return Array.isArray(cell) && cell.some(isRecord);
}

function isList({ values }: LaidColumn): boolean {
  return values.some(holdsRows);
}

function layOutRecord(record: JsonObject): Part[] {
  const { columns } = tableOf([record]);
  const tables = columns.filter(isList).map(({ name, values }) => {
    return tableOf(values.flat().filter(isRecord), name);
  });
  return [{ kind: 'record', columns: columns.filter((it) => !isList(it)) }, ...tables];
}

/** A table, and behind it the lists in its rows as tables of their own, which say of which row each of theirs is. */
export function withInnerLists(part: Part): Part[] {
  const { columns, name: outer } = part;
  const lists = columns.filter(isList);
  const telling = columns.filter(({ name }) => isIdentifier(name) || isNameColumn(name));
  const tables = lists.map(({ name, values }) => {
    const rows = values.flatMap((list, row) =>
      [list].flat().flatMap((inner) => {
        if (!isRecord(inner)) return [];
        const own = telling.map((it) => [
          it.name in inner ? `row.${it.name}` : it.name,
          it.values[row],
        ]);
        return [{ ...Object.fromEntries(own), ...inner }];
      }),
    );
    return tableOf(rows, outer === undefined ? name : `${outer}.${name}`);
  });
  const flat = { ...part, columns: columns.filter((it) => !lists.includes(it)) };
  return [flat, ...tables.flatMap(withInnerLists)];
}

/** Over time what a measure is held against stands beside it. */
function layOutTrend(rows: readonly Row[]): Part {
  const table = tableOf(rows);
  const measures = trendMeasures(rows);
  const main = mainMeasure(measures);
  const columns = table.columns.map((column): LaidColumn => {
    const { name } = column;
    const [aspect = '', ...path] = name.split('.');
    const inner = path.join('.');
    if (measures.includes(name))
      return { ...column, measure: name, aspect: 'current', isMain: name === main };
    if (measures.includes(inner))
      return { ...column, measure: inner, aspect, isMain: inner === main };
    const isBand = ['expected', 'low', 'high'].includes(name);
    if (isBand) return { ...column, measure: main, aspect: name, isMain: true };
    return { ...column, isMain: name === 'name' };
  });
  const inOrder = [undefined, ...measures].flatMap((measure) =>
    columns.filter((it) => it.measure === measure),
  );
  return { ...table, columns: inOrder };
}

/** What a row of a comparison holds of its measure. */
const aspects = 'current reference low high rank of difference percent'.split(' ');
/** What no sum of the parts is for the whole, nor is anything beside it. */
const ofUsual = ['low', 'high'];

/** A comparison with a row for each shop, or whatever it is split by, and all measures side by side. */
function layOutComparison(rows: readonly Row[]): Part | undefined {
  const isOf = (row: Row, own: readonly string[]) =>
    'measure' in row && Object.keys(row).every((it) => own.includes(it) || aspects.includes(it));
  if (rows.length === 0) return undefined;
  if (rows.every((row) => isOf(row, ['measure']))) {
    const { columns } = tableOf(rows);
    const marked = columns.map((it) => ({ ...it, aspect: it.name, isMain: true }));
    return { kind: 'measures', columns: marked };
  }
  if (!rows.every((row) => 'name' in row && isOf(row, ['measure', 'id', 'name']))) return undefined;
  const subjects = [...groupBy(rows, ({ id, name }) => JSON.stringify([id, name])).values()];
  const held = aspects.filter((aspect) => rows.some((row) => aspect in row));
  const measures = [...new Set(rows.map(({ measure }) => toText(measure)))];
  const addsUp = subjects.length > 1 && !held.some((it) => ofUsual.includes(it));
  const columns = measures.flatMap((measure) => {
    const own = subjects.map((of) => of.find((it) => it.measure === measure));
    const figures = held.map((aspect): LaidColumn => {
      const name = aspect === 'current' ? fieldOf(measure) : sideOf(aspect, measure);
      const values = own.map((row) => row?.[aspect]);
      return { name, values, measure, aspect, isMain: true };
    });
    return addsUp && !isOfParts(measure) ? withTotals(figures) : figures;
  });
  const total = columns.some((column) => 'total' in column);
  return {
    kind: 'split',
    columns: [
      { name: 'id', values: subjects.map(([{ id }]) => id), ...(total && { total: null }) },
      {
        name: 'name',
        values: subjects.map(([{ name }]) => name),
        isMain: true,
        ...(total && { total: 'Total' }),
      },
      ...columns,
    ],
  };
}

/** A column of a comparison says of which side of VAT it is, as its measure does: `reference_wt`. */
function sideOf(aspect: string, measure: string): string {
  const [side = ''] = /_(wt|ex)$/.exec(measure) ?? [];
  return ofNoUnit.includes(aspect) ? aspect : aspect + side;
}

/** A row that lacks a figure, such as a shop without trade, adds nothing to the total. */
function withTotals(figures: readonly LaidColumn[]): LaidColumn[] {
  const totals = figures.map(({ values }) => {
    const numbers = values.filter(isNumeric);
    return numbers.length > 0 ? plain(sum(numbers)) : null;
  });
  const [current, reference] = ['current', 'reference'].map((it) =>
    toDecimal(totals[figures.findIndex(({ aspect }) => aspect === it)]),
  );
  const change = current && reference ? percent(current, reference) : null;
  return figures.map((column, at) => {
    const total = column.aspect === 'percent' ? change && plain(change) : totals[at];
    return { ...column, total };
  });
}

/**
 * A table for each measure of a split comparison. One without VAT stands in the table of that which includes it. Where
 * parts of a report have a figure of the same name, the column of names is called after the part.
 */
export function tablesOf({ columns, ...part }: Part): Part[] {
  const measures = [...new Set(columns.flatMap(({ measure }) => measure ?? []))];
  return measures.flatMap((measure) => {
    if (measures.includes(`${measure}_wt`)) return [];
    const bare = measure.endsWith('_wt') ? measure.slice(0, -3) : undefined;
    const own = columns.filter((it) => it.measure === measure);
    const without = columns
      .filter((it) => it.measure === bare && bare && it.aspect === 'current')
      .map((it) => ({ ...it, isMain: false }));
    const isShared = measures.some((it) => it !== measure && fieldOf(it) === fieldOf(measure));
    const path = measure.slice(0, -fieldOf(measure).length - 1);
    const shown = columns
      .filter((it) => it.measure === undefined)
      .map((it) => (it.name === 'name' && isShared && path ? { ...it, name: path } : it));
    const isThere = (_: unknown, row: number) =>
      own.some(({ values }) => values[row] !== undefined);
    const table = [...shown, ...without, ...own].map(({ total, ...column }) => {
      const values = column.values.filter(isThere);
      return { ...column, values, ...(own.some((it) => 'total' in it) && { total }) };
    });
    return [{ ...part, columns: table }];
  });
}

const ofNoUnit = ['percent', 'rank', 'of'];

/** The name by which it is told what a column holds: a reference is a figure as its measure is, and no code. */
export function meaningOf({ name, aspect, measure = 'figure' }: LaidColumn): string {
  if (aspect === undefined) return name;
  return ofNoUnit.includes(aspect) ? aspect : measure;
}

/** The unit of a column; none where not every row measures the same. */
export function unitOf(column: LaidColumn, { columns }: Part): 'euro' | 'percent' | undefined {
  const { name, values, aspect = '', measure = name } = column;
  if (isPercentage(measure) || aspect === 'percent') return 'percent';
  // Parts of a difference are in euros, be it one of orders.
  const isMixed = (it: LaidColumn) =>
    it.name === 'measure' ||
    (it.name === 'part' && name !== 'difference' && it.values.map(toText).some(isNoAmount));
  if (['rank', 'of'].includes(aspect) || columns.some(isMixed)) return undefined;
  if (isAmountName(measure) && values.some(isNumeric)) return 'euro';
  return writeFigures(measure, values).length > 0 ? 'euro' : undefined;
}

/** The names of ids in a column of their own, behind that of the ids: `shop_name` behind `shop_id`. */
export function withNames<Column extends Pick<LaidColumn, 'name' | 'values'>>(
  columns: readonly Column[],
  labels: Labels,
): (Column | Pick<LaidColumn, 'name' | 'values'>)[] {
  return columns.flatMap((column) => {
    const names = labels[fieldOf(column.name)];
    if (names === undefined) return [column];
    const nameOf = (value: unknown) => [value].flat().map((id) => names[String(id)]);
    const values = column.values.map((it) => nameOf(it).join(', '));
    return [column, { name: column.name.replace(/(_id)?$/, '_name'), values }];
  });
}

/** Fields that say too little without what they are in. */
const isBare = /^(value|percentage|total|amount)(_wt|_ex)?$/;

/** The shortest name that tells a column from the others: `turnover_wt` of `turnover_by_group.shop_totals.turnover_wt`. */
export function shortName({ name, measure = name }: LaidColumn, { columns }: Part): string {
  const shortOf = (full: string) =>
    full
      .split('.')
      .slice(isBare.test(fieldOf(full)) ? -2 : -1)
      .join('.');
  const short = shortOf(measure);
  const fulls = columns.map((it) => it.measure ?? it.name);
  const isAlone = fulls.every((it) => it === measure || shortOf(it) !== short);
  return isAlone ? name.replace(measure, short) : name;
}
