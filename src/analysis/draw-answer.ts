/** Pictures of answers whose rows have a form of their own: what `show_figure` would draw of them, without a statement. */
import type { Days } from '../core/calendar.ts';
import {
  fieldOf,
  isCountName,
  isIdentifier,
  isNameColumn,
  isNoAmount,
  isOfParts,
  isPercentage,
} from '../core/column-name.ts';
import { columnType, isOfNumbers } from '../core/column-type.ts';
import { isRecord, type JsonObject, toNumber, toText } from '../core/json.ts';
import { sayDays } from '../core/periods.ts';
import { documentedColumns } from '../endpoints/define.ts';
import { getProductSales } from '../endpoints/reports.ts';
import type { FinishedContext } from './answer.ts';
import { decideFigure, type FigureRequest, type ResultColumn } from './figure/decide-figure.ts';
import { sayColumn } from './figure/figure-text.ts';
import type { Row } from './rows/rows.ts';
import { weeksBefore } from './turnover/earlier-periods.ts';
import { turnoverWithVat } from './turnover/measures.ts';
import { compareTurnover, turnoverTrend } from './turnover/turnover.ts';

/** An answer as clients receive it, with all rows that were read, and the arguments of its call. */
interface DrawnAnswer {
  rows: readonly Row[];
  context: FinishedContext;
  input: JsonObject;
}

type Drawing = Pick<FigureRequest, 'columns' | 'rows' | 'labels' | 'title' | 'unit' | 'isOrdered'>;

const drawings: Readonly<Record<string, (answer: DrawnAnswer) => Drawing>> = {
  [compareTurnover.tool]: drawComparison,
  [turnoverTrend.tool]: drawTrend,
  [getProductSales.tool]: drawProducts,
};

/** The tools whose answers are drawn as they are. */
export const drawnTools: readonly string[] = Object.keys(drawings);

/** The figure of an answer, or why there is none; undefined for a tool that is drawn by a statement alone. */
export function drawAnswer(
  tool: string,
  answer: DrawnAnswer,
): ReturnType<typeof decideFigure> | undefined {
  const { context, rows } = answer;
  const drawing = drawings[tool]?.(answer);
  if (drawing === undefined) return undefined;
  const { source, warnings = [], as_of: asOf, period, read } = context;
  const complete = context.complete !== false || read?.of === rows.length;
  const isCut = drawing.rows.length < rows.length && tool === getProductSales.tool;
  const notes = { source, complete, warnings, asOf, period, isCut: isCut || undefined };
  const bandPeriod = bandPeriodOf(answer);
  return decideFigure({ ...drawing, notes: { ...notes, bandPeriod } });
}

/** The days of the earlier periods that low and high are of. */
function bandPeriodOf({ context: { period, usual }, input }: DrawnAnswer): Days | undefined {
  if (period && String(input.expected) === 'true') return weeksBefore(period.from);
  const [latest, oldest] = [usual?.periods?.at(0), usual?.periods?.at(-1)];
  return latest && oldest && { from: oldest.from, to: latest.to };
}

/** One measure of both periods, by whatever they are split by. */
function drawComparison({ rows, context, input }: DrawnAnswer): Drawing {
  const main = mainMeasure([...new Set(rows.map(({ measure }) => toText(measure)))]);
  const by = 'name' in (rows[0] ?? {}) ? toText(input.by) : 'measure';
  const { period, reference_period: reference } = context;
  const current = period ? sayDays(period) : 'current';
  const earlier = reference ? sayDays(reference) : 'usual';
  const drawn = rows
    .filter(({ measure }) => measure === main)
    .map(({ name, current: value, reference: other, low, high }) => ({
      [by]: name ?? sayColumn(fieldOf(main)),
      [current]: value,
      [earlier]: other,
      low,
      high,
    }));
  const names = [by, current, earlier, 'low', 'high'];
  return drawingOf(drawn, names, main, by === 'measure' ? undefined : by, [current]);
}

/** One measure over time with what it is held against, or split into series. */
function drawTrend({ rows, input }: DrawnAnswer): Drawing {
  const main = mainMeasure(trendMeasures(rows));
  const axis = toText(input.bucket ?? 'day');
  const split = toText(input.by ?? 'total');
  const field = fieldOf(main);
  const drawn = rows.map(({ bucket, name, reference, expected, low, high, ...row }) => ({
    [axis]: bucket,
    [split]: name,
    [field]: row[main],
    reference: isRecord(reference) ? reference[main] : null,
    expected,
    low,
    high,
  }));
  const columns =
    split === 'total'
      ? [axis, field, 'reference', 'expected', 'low', 'high']
      : [axis, split, field];
  return drawingOf(drawn, columns, main, axis, [field]);
}

const noMeasures = new Set(
  [compareTurnover, turnoverTrend]
    .flatMap(({ output }) => Object.keys(documentedColumns(output)))
    .concat('expected'),
);

/** The measures that the rows of a trend hold. */
export function trendMeasures([row = {}]: readonly Row[]): string[] {
  return Object.keys(row).filter((name) => !noMeasures.has(name));
}

const maxProducts = 20;

function drawProducts({ rows, context, input }: DrawnAnswer): Drawing {
  const names = Object.keys(rows[0] ?? {});
  const id = names.find((name) => name === 'shop_product_id') ?? names[0] ?? '';
  const title = names.find(isNameColumn) ?? id;
  const numbers = names.filter((name) => {
    const cells = rows.map((row) => row[name]);
    return isOfNumbers(columnType(cells, name)) && !isIdentifier(name);
  });
  const sorted = numbers.find((name) => name === context.sorted?.by);
  const main = sorted ?? numbers.find((name) => name.endsWith('_wt')) ?? numbers[0] ?? '';
  const isOrdered = input.sort !== undefined;
  const bySize = (a: Row, b: Row) => toNumber(b[main]) - toNumber(a[main]);
  const drawn = (isOrdered ? rows : rows.toSorted(bySize)).slice(0, maxProducts);
  // Two products may have one name.
  const labels = {
    [id]: Object.fromEntries(drawn.map((row) => [toText(row[id]), toText(row[title])])),
  };
  return { ...drawingOf(drawn, [id, main], main, 'product', [main]), labels, isOrdered: true };
}

function drawingOf(
  rows: readonly Row[],
  names: readonly string[],
  main: string,
  axis: string | undefined,
  adding: readonly string[],
): Drawing {
  const columns = names.map((name): ResultColumn => {
    // A reference of another period is no code.
    const type = isOfNumbers(columnType(rows.map((row) => row[name]))) ? 'DECIMAL' : 'VARCHAR';
    return { name, type, adds: adding.includes(name) && !isOfParts(main) };
  });
  const [first, ...others] = columns;
  const filled = others.filter(({ name }) => rows.some((row) => (row[name] ?? null) !== null));
  return {
    rows,
    columns: first ? [first, ...filled] : [],
    title:
      sayColumn(fieldOf(main)) + (axis === undefined ? '' : ` by ${axis.replaceAll('_', ' ')}`),
    unit: unitOf(main),
    isOrdered: axis === undefined || undefined,
  };
}

/** The measure that is drawn of several: turnover incl. VAT, where there is one. */
export function mainMeasure(measures: readonly string[]): string {
  const withVat = measures.find((name) => name.endsWith('_wt'));
  return turnoverWithVat(measures) ?? withVat ?? measures[0] ?? '';
}

function unitOf(measure: string): string | undefined {
  if (isPercentage(measure)) return 'percent';
  if (isCountName(measure)) return 'count';
  return isNoAmount(measure) ? undefined : 'euro';
}
