/**
 * Decides what a result looks like as a figure: by the shape of its rows, never by what its columns
 * are called (DESIGN, section 3b).
 */
import { type Decimal, isNumeric, plain, sum, toDecimal } from '../../core/money.ts';
import { assignRoles, type Labelled, type Table } from './column-roles.ts';
import {
  type Figure,
  type FigureKind,
  type FigureNotes,
  type FigureSeries,
  type FigureValue,
  maxLabels,
  maxSeries,
} from './figure.ts';
import { flatColumn } from './flat-column.ts';
import * as refusals from './refusals.ts';
import { unitOf } from './unit.ts';

/** A result, and what was asked about its figure. */
export interface FigureRequest extends Table {
  title?: string | undefined;
  /** @default 'auto': lines for a time axis, bars for names. */
  kind?: FigureKind | 'auto' | undefined;
  /** The unit of every number. Nothing is concluded from the names of columns. */
  unit?: string | undefined;
  /** Whether the statement says in which order the rows stand. */
  isOrdered?: boolean | undefined;
  notes: FigureNotes;
}

/** A figure, or a sentence that says why there is none and what to change. */
export type Decision = { figure: Figure } | { refusal: string };

/** The figure of a result, or why there is none. */
export function decideFigure(request: FigureRequest): Decision {
  const { columns, rows, notes } = request;
  if (rows.length === 0) return { refusal: refusals.noRows() };
  const { axis, split, measures, omitted } = assignRoles(request);
  if (measures.length === 0) return { refusal: refusals.noNumbers(columns) };

  const cells = collectCells(rows, axis, split);
  if ('twice' in cells) return { refusal: refusals.twice(axis.name, cells.twice, split?.name) };
  if (cells.groups.length * measures.length > maxSeries)
    return { refusal: refusals.tooManySeries(cells.groups.length, measures, split?.name) };
  if (cells.labels.length > maxLabels)
    return { refusal: refusals.tooManyLabels(cells.labels.length, axis) };

  const unit = unitOf(request.unit);
  const flat = unit === undefined ? flatColumn(rows, measures) : undefined;
  if (flat) return { refusal: refusals.flat(flat) };

  const { labels, kind } = arrange(cells, axis, measures, request);
  const series = seriesOf(cells, labels, measures, split !== undefined);
  if (series.every(({ values }) => values.every((value) => value === null)))
    return { refusal: refusals.allEmpty(measures) };
  return {
    figure: {
      v: 1,
      kind,
      ...(request.title?.trim() && { title: request.title.trim() }),
      ...(unit !== undefined && { unit }),
      axis: { name: axis.name, type: axis.type, labels },
      ...(split && { split: { name: split.name, type: split.type } }),
      measures,
      series,
      ...(omitted.length > 0 && { omitted }),
      notes: withLeftOut(notes, axis.name, cells.leftOut),
    },
  };
}

type Row = Table['rows'][number];

/** The rows by label and by group, both in the order of their coming. */
interface Cells {
  labels: readonly string[];
  groups: readonly string[];
  rowAt(label: string, group: string): Row | undefined;
  /** Rows that a time axis has no place for. */
  leftOut: number;
}

/** Stands for a name that is missing, in any language. */
const nameless = '–';

function collectCells(
  rows: readonly Row[],
  axis: Labelled,
  split: Labelled | undefined,
): Cells | { twice: string } {
  const byLabel = new Map<string, Map<string, Row>>();
  const groups = new Set<string>();
  let leftOut = 0;
  for (const [index, row] of rows.entries()) {
    const label = axis.labels[index] ?? (axis.type === 'name' ? nameless : undefined);
    if (label === undefined) {
      leftOut += 1;
      continue;
    }
    const group = split ? (split.labels[index] ?? nameless) : '';
    const placed = byLabel.get(label) ?? new Map<string, Row>();
    if (placed.has(group)) return { twice: label };
    byLabel.set(label, placed.set(group, row));
    groups.add(group);
  }
  return {
    labels: [...byLabel.keys()],
    // Not in the order of their coming, which differs from run to run of a statement.
    groups: split ? [...groups].sort() : [...groups],
    rowAt: (label, group) => byLabel.get(label)?.get(group),
    leftOut,
  };
}

/** The labels in the order in which they are drawn, and as what. */
function arrange(
  cells: Cells,
  axis: Labelled,
  measures: readonly string[],
  { kind = 'auto', isOrdered = false }: FigureRequest,
): { labels: readonly string[]; kind: FigureKind } {
  const { labels } = cells;
  if (axis.type !== 'name') {
    const inTime = [...labels].sort();
    const isRanked = isOrdered && !isSame(labels, inTime) && !isSame(labels, inTime.toReversed());
    if (isRanked && kind !== 'line') return { labels, kind: 'bars' };
    return { labels: inTime, kind: kind === 'auto' ? 'line' : kind };
  }
  const drawn = kind === 'auto' ? 'bars' : kind;
  if (isOrdered) return { labels, kind: drawn };
  if (axis.isScale)
    return { labels: [...labels].sort((a, b) => Number(a) - Number(b)), kind: drawn };
  const [first = ''] = measures;
  const totals = new Map(labels.map((label) => [label, totalOf(cells, label, first)]));
  const bySize = (a: string, b: string) => compare(totals.get(b), totals.get(a));
  return { labels: [...labels].sort(bySize), kind: drawn };
}

function totalOf({ groups, rowAt }: Cells, label: string, measure: string): Decimal | undefined {
  const values = groups.map((group) => rowAt(label, group)?.[measure]).filter(isNumeric);
  return values.length === 0 ? undefined : sum(values);
}

/** Nothing comes after every number, however negative. */
function compare(a: Decimal | undefined, b: Decimal | undefined): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  return a.comparedTo(b);
}

function seriesOf(
  { groups, rowAt }: Cells,
  labels: readonly string[],
  measures: readonly string[],
  isSplit: boolean,
): FigureSeries[] {
  return groups.flatMap((group) =>
    measures.map((measure) => ({
      name: seriesName(group, measure, isSplit, measures.length > 1),
      values: labels.map((label) => readValue(rowAt(label, group)?.[measure])),
    })),
  );
}

function seriesName(group: string, measure: string, isSplit: boolean, hasMany: boolean): string {
  if (!isSplit) return measure;
  return hasMany ? `${group} · ${measure}` : group;
}

function readValue(value: unknown): FigureValue {
  const decimal = toDecimal(value);
  return decimal === undefined ? null : plain(decimal);
}

function withLeftOut(notes: FigureNotes, axisName: string, leftOut: number): FigureNotes {
  if (leftOut === 0) return notes;
  const rows = leftOut === 1 ? '1 row has' : `${leftOut} rows have`;
  const warning = `${rows} no ${axisName} and no place in the figure.`;
  return { ...notes, warnings: [...notes.warnings, warning] };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.every((value, index) => value === b[index]);
}
