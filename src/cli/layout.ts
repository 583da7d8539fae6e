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
import { groupBy, isRecord, type JsonObject, toText } from '../core/json.ts';
import { isNumeric, percent, plain, sum } from '../core/money.ts';
import { writeFigures } from '../mcp/answers/table.ts';

/** A column: a value for each row. */
export interface LaidColumn {
  /** As the answer calls it. */
  name: string;
  values: readonly unknown[];
  /** Of the figures of a measure: its full name, and what of it they are, such as `current` or `reference`. */
  measure?: string;
  aspect?: string;
  /** What the answer is about, or that is held against. */
  isMain?: boolean;
}

/** A table of an answer. */
export interface LaidTable {
  /** `record`: one row, a line a value; `measures`: a row for each measure of the whole. */
  kind: 'rows' | 'record' | 'measures';
  /** Of a list in a record or in a row, and of the parts of a difference; the rows that were asked for have none. */
  name?: string;
  columns: readonly LaidColumn[];
  /** The last row adds up the others. */
  hasTotal?: boolean;
}

/**
 * The tables of an answer: its `data` as rows, or else all of it as a record.
 * @param isWhole no row is missing, so that they can be added up
 * @param isNarrow a comparison by shop is a table for each of its measures, and else one with all of them
 */
export function layOut(
  tool: string,
  answer: JsonObject,
  isWhole: boolean,
  isNarrow = false,
): LaidTable[] {
  const { data, explained = [], ...record } = answer;
  if (!Array.isArray(data)) return layOutRecord({ ...record, ...(isRecord(data) && data) });
  const rows = data.filter(isRecord);
  const parts = [explained].flat().filter(isRecord);
  const table = tool === turnoverTrend.tool ? layOutTrend(rows) : tableOf(rows);
  const isCompared = tool === compareTurnover.tool && isWhole && rows.length > 0;
  return [
    ...(isCompared ? layOutComparison(rows, isNarrow) : [table]),
    ...(parts.length > 0 ? [tableOf(parts, 'explained')] : []),
  ];
}

function layOutComparison(rows: readonly Row[], isNarrow: boolean): LaidTable[] {
  const fields = [...new Set(rows.flatMap(Object.keys))].filter((it) => !aspects.includes(it));
  if (fields.every((it) => it === 'measure')) {
    const columns = tableOf(rows).columns.map((it) => ({ ...it, aspect: it.name, isMain: true }));
    return [{ kind: 'measures', columns }];
  }
  if (!fields.every((it) => ['measure', 'id', 'name'].includes(it))) return [tableOf(rows)];
  return isNarrow ? measureTables(rows) : [comparisonTable(rows)];
}

function tableOf(rows: readonly Row[], name?: string): LaidTable {
  const columns = [...readColumns(rows)].map(([name, values]) => ({ name, values }));
  return { kind: 'rows', columns, ...(name !== undefined && { name }) };
}

/** Whether a cell is a list of rows. */
export function holdsRows(cell: unknown): cell is readonly unknown[] {
  return Array.isArray(cell) && cell.some(isRecord);
}

function layOutRecord(record: JsonObject): LaidTable[] {
  const [values, ...lists] = withoutLists(tableOf([record]), []);
  return [{ ...values, kind: 'record' }, ...lists];
}

/** A table, and behind it the lists in its rows as tables of their own, which say of which row each of theirs is. */
export function withInnerLists(part: LaidTable): LaidTable[] {
  const labelling = part.columns.filter(({ name }) => isIdentifier(name) || isNameColumn(name));
  const [table, ...lists] = withoutLists(part, labelling);
  return [table, ...lists.flatMap(withInnerLists)];
}

function withoutLists(
  part: LaidTable,
  labelling: readonly LaidColumn[],
): [LaidTable, ...LaidTable[]] {
  const { columns, name: outer } = part;
  const isList = ({ values }: LaidColumn) => values.some(holdsRows);
  const tables = columns.filter(isList).map(({ name, values }) => {
    const rows = values.flatMap((list, row) =>
      [list]
        .flat()
        .filter(isRecord)
        .map((inner) => {
          const named = labelling.map(({ name, values }) => {
            return [name in inner ? `row.${name}` : name, values[row]] as const;
          });
          return { ...Object.fromEntries(named), ...inner };
        }),
    );
    return tableOf(rows, outer === undefined ? name : `${outer}.${name}`);
  });
  return [{ ...part, columns: columns.filter((it) => !isList(it)) }, ...tables];
}

/** Over time what a measure is held against stands beside it. */
function layOutTrend(rows: readonly Row[]): LaidTable {
  const table = tableOf(rows);
  const measures = trendMeasures(rows);
  const main = mainMeasure(measures);
  const columns = table.columns.map((column): LaidColumn => {
    const { name } = column;
    if (['expected', ...band].includes(name))
      return { ...column, measure: main, aspect: name, isMain: true };
    const isCurrent = measures.includes(name);
    const measure = isCurrent ? name : name.slice(name.indexOf('.') + 1);
    if (!measures.includes(measure)) return { ...column, isMain: name === 'name' };
    const aspect = isCurrent ? 'current' : name.slice(0, -measure.length - 1);
    return { ...column, measure, aspect, isMain: measure === main };
  });
  const byMeasure = groupBy(columns, ({ measure = '' }) => measure);
  const inOrder = ['', ...measures].flatMap((measure) => byMeasure.get(measure) ?? []);
  return { ...table, columns: inOrder };
}

/** What a row of a comparison holds of its measure. */
const aspects = ['current', 'reference', 'low', 'high', 'rank', 'of', 'difference', 'percent'];
/** What no sum of the parts is for the whole, nor is anything beside it. */
const band = ['low', 'high'];
const withoutUnit = ['percent', 'rank', 'of'];

/** A comparison with a row for each shop, or whatever it is split by, and the figures of its measures side by side. */
function comparisonTable(rows: readonly Row[]): LaidTable {
  const subjects = groupBy(rows, ({ id, name }) => JSON.stringify([id, name]));
  const present = aspects.filter((aspect) => rows.some((row) => aspect in row));
  const byMeasure = groupBy(rows, ({ measure }) => toText(measure));
  const addsUp = subjects.size > 1 && !present.some((it) => band.includes(it));
  const adding = [...byMeasure].filter(([measure]) => addsUp && !isOfParts(measure));
  const totals = adding.map(([, own]) => totalOf(own));
  const hasTotal = totals.length > 0;
  const lines = [...subjects.values(), ...(hasTotal ? [totals] : [])];
  const figures = [...byMeasure.keys()].flatMap((measure) => {
    const own = lines.map((line) => line.find((it) => it.measure === measure));
    return present.map((aspect): LaidColumn => {
      const name = aspect === 'current' ? fieldOf(measure) : aspectName(aspect, measure);
      return { name, values: own.map((row) => row?.[aspect]), measure, aspect, isMain: true };
    });
  });
  const columns = [
    { name: 'id', values: lines.map(([row]) => row?.id) },
    { name: 'name', values: lines.map(([row]) => row?.name), isMain: true },
    ...figures,
  ];
  return { kind: 'rows', columns, hasTotal };
}

/** A column of a comparison says of which side of VAT it is, as its measure does: `reference_wt`. */
function aspectName(aspect: string, measure: string): string {
  const [side = ''] = /_(wt|ex)$/.exec(measure) ?? [];
  return withoutUnit.includes(aspect) ? aspect : aspect + side;
}

/**
 * A row that lacks a figure, such as a group that was not sold before, adds nothing to its sum. What the sums differ by
 * is the difference of the whole, which no sum of differences is where a row has none.
 */
function totalOf(rows: readonly Row[]): Row {
  const sumOf = (aspect: string) => {
    const numbers = rows.map((row) => row[aspect]).filter(isNumeric);
    return numbers.length > 0 ? sum(numbers) : null;
  };
  const write = (value: ReturnType<typeof sumOf>) => value && plain(value);
  const current = sumOf('current');
  const reference = sumOf('reference');
  return {
    measure: rows[0]?.measure,
    id: null,
    name: 'Total',
    current: write(current),
    reference: write(reference),
    difference: write(current && reference && current.minus(reference)),
    percent: write(current && reference && percent(current, reference)),
  };
}

/**
 * A table for each measure of a comparison. One without VAT stands in the table of that which includes it. Where parts
 * of a report have a figure of the same name, the column of names is called after the part.
 */
function measureTables(rows: readonly Row[]): LaidTable[] {
  const measureOf = ({ measure }: Row) => toText(measure);
  const measures = [...new Set(rows.map(measureOf))];
  const groups = groupBy(rows, (row) => measureOf(row).replace(/_wt$/, ''));
  return [...groups.values()].map((own) => {
    const main = mainMeasure(own.map(measureOf));
    const path = main.slice(0, -fieldOf(main).length - 1);
    const isShared = measures.some((it) => it !== main && fieldOf(it) === fieldOf(main));
    const table = comparisonTable(own);
    const columns = table.columns
      .filter((it) => [undefined, main].includes(it.measure) || it.aspect === 'current')
      .map((it) => ({
        ...it,
        name: it.name === 'name' && isShared && path ? path : it.name,
        isMain: it.name === 'name' || it.measure === main,
      }));
    return { ...table, columns };
  });
}

/** The name by which it is told what a column holds: a reference is a figure as its measure is, and no code. */
export function meaningOf({ name, aspect, measure = 'figure' }: LaidColumn): string {
  if (aspect === undefined) return name;
  return withoutUnit.includes(aspect) ? aspect : measure;
}

/** The unit of a column; none where not every row measures the same. */
export function unitOf(column: LaidColumn, { columns }: LaidTable): 'euro' | 'percent' | undefined {
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
export function withNames(columns: readonly LaidColumn[], labels: Labels): LaidColumn[] {
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
export function shortName({ name, measure = name }: LaidColumn, { columns }: LaidTable): string {
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
