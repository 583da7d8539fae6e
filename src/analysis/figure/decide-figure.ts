/** Decides what a result looks like as a figure: by the shape of its rows, never by the names of its columns. */
import { type BucketSize, buckets, cutBuckets, sayCut } from '../../core/buckets.ts';
import { addDays, daysBetween, startOf } from '../../core/calendar.ts';
import { type Decimal, isNumeric, plain, sum, toDecimal } from '../../core/money.ts';
import { countNoun, quote } from '../../core/text.ts';
import { assignRoles, type LabelColumn, type ResultColumn, type ResultRows } from './columns.ts';
import type { Figure, FigureKind, FigureNotes, FigureSeries } from './figure.ts';

/** Most labels on an axis, and most series: more is no picture. */
const maxLabels = 400;
const maxSeries = 12;

/** A result, and what was asked about its figure. */
export interface FigureRequest extends ResultRows {
  title?: string | undefined;
  /** @default 'auto': lines for a time axis, bars for names. */
  kind?: FigureKind | 'auto' | undefined;
  /** The unit of every number. Nothing is concluded from the names of columns. */
  unit?: string | undefined;
  /** Whether the statement orders its rows. */
  isOrdered?: boolean | undefined;
  notes: FigureNotes;
}

/** A figure, or a sentence that says why there is none and what to change. */
export type Decision = { figure: Figure } | { refusal: string };

/** The figure of a result, or why there is none. */
export function decideFigure(request: FigureRequest): Decision {
  const { columns, rows, notes } = request;
  if (rows.length === 0)
    return {
      refusal:
        'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.',
    };
  const { axis, split, measures, omitted } = assignRoles(request);
  if (measures.length === 0) return { refusal: refuseWithoutNumbers(columns) };

  const cells = collectCells(rows, axis, split);
  if ('twice' in cells) return { refusal: refuseTwice(axis.name, cells.twice, split?.name) };
  if (cells.groups.length * measures.length > maxSeries)
    return { refusal: refuseSeries(cells.groups.length, measures, split?.name) };
  if (cells.labels.length > maxLabels) return { refusal: refuseLabels(cells.labels.length, axis) };

  const units = unitsOf(request, measures);
  if ('refusal' in units) return units;

  const { labels, kind } = arrange(cells, axis, measures, request);
  const names = [...measures, ...cells.groups, ...(axis.type === 'name' ? labels : [])];
  const sides = kind === 'bars' ? sidesOfVat(names) : [];
  if (sides.length > 1) return { refusal: refuseSides(sides) };
  const withRows = cells.labels.length;
  const series = seriesOf(cells, labels, measures, split !== undefined);
  if (series.every(({ values }) => values.every((value) => value === null))) {
    const names = measures.map((name) => quote(name)).join(', ');
    const are = measures.length === 1 ? 'is' : 'are';
    return { refusal: `There is nothing to draw: ${names} ${are} empty in every row.` };
  }
  const cut =
    axis.type === 'name' || !notes.period
      ? []
      : cutBuckets(notes.period, axis.type).filter(({ bucket }) => labels.includes(bucket));
  const adds = columns.filter(({ name, adds }) => adds && measures.includes(name));
  const warnings = [...notes.warnings, ...units.warnings, ...sayCut(cut), ...sayLeftOut(axis)];
  return {
    figure: {
      v: 1,
      kind,
      ...(request.title?.trim() && { title: request.title.trim() }),
      ...(units.unit !== undefined && { unit: units.unit }),
      axis: {
        name: axis.name,
        type: axis.type,
        labels,
        ...(withRows < labels.length && { withRows }),
        ...(cut.length > 0 && { cut }),
      },
      ...(split && { split: { name: split.name, type: split.type } }),
      measures,
      ...(adds.length > 0 && { adds: adds.map(({ name }) => name) }),
      series,
      ...(omitted.length > 0 && { omitted }),
      notes: { ...notes, warnings: [...new Set(warnings)] },
    },
  };
}

const unitNames = {
  euro: ['euro', 'euros', 'eur', '€'],
  percent: ['percent', 'percentage', '%'],
  count: ['count', 'aantal'],
};

/** The unit by one name, whichever it was given by. */
function unitOf(given = ''): string | undefined {
  const unit = given.trim();
  const known = Object.entries(unitNames).find(([, names]) => names.includes(unit.toLowerCase()));
  return known?.[0] ?? (unit === '' ? undefined : unit);
}

/** The one unit of all columns: the one asked for, unless it is money or percent and they are not. */
function unitsOf(
  { columns, rows, unit }: FigureRequest,
  measures: readonly string[],
): { unit?: string | undefined; warnings: string[] } | { refusal: string } {
  const asked = unitOf(unit);
  if (asked !== 'euro' && asked !== 'percent') return { unit: asked, warnings: [] };
  const own = columns
    .filter(({ name }) => measures.includes(name))
    .map((column) => ({ name: quote(column.name), unit: ownUnit(column, asked, rows) }));
  const unclear = own.find((column) => column.unit === 'unclear');
  if (unclear)
    return {
      refusal: `${unclear.name} lies between 0 and 1 in every row. Select 100 times it where these are shares, or give no unit where they are percentages.`,
    };
  const [first, ...others] = own;
  const other = others.find((column) => column.unit !== first?.unit);
  if (first && other)
    return {
      refusal: `${first.name} holds ${unitWords[first.unit]} and ${other.name} ${unitWords[other.unit]}, which one scale cannot show. Draw each in a figure of its own.`,
    };
  if (first === undefined || first.unit === asked) return { unit: asked, warnings: [] };
  const names = own.map(({ name }) => name).join(', ');
  const written = first.unit === 'share' ? 'written as percentages' : `not ${unitWords[asked]}`;
  return {
    unit: first.unit,
    warnings: [`The numbers of ${names} are ${unitWords[first.unit]}, ${written}.`],
  };
}

const unitWords: Readonly<Record<string, string>> = {
  euro: 'euros',
  count: 'counts',
  percent: 'percentages',
  share: 'shares of 1',
};

function ownUnit({ name, unit }: ResultColumn, asked: string, rows: readonly Row[]): string {
  if (unit === 'count' || unit === 'percent') return unit;
  if (asked !== 'percent') return asked;
  const values = rows
    .map((row) => row[name])
    .filter(isNumeric)
    .map(Number);
  const mayBeShares =
    values.every((value) => Math.abs(value) <= 1) && !values.every(Number.isInteger);
  if (!mayBeShares) return asked;
  return unit === 'ratio' ? 'share' : 'unclear';
}

type Row = ResultRows['rows'][number];

/** The rows by label and by group, both in the order of the rows. */
interface Cells {
  labels: readonly string[];
  groups: readonly string[];
  rowAt(label: string, group: string): Row | undefined;
}

/** A missing name, in any language. */
const nameless = '–';

function collectCells(
  rows: readonly Row[],
  axis: LabelColumn,
  split: LabelColumn | undefined,
): Cells | { twice: string } {
  const byLabel = new Map<string, Map<string, Row>>();
  const groups = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const label = axis.labels[index] ?? (axis.type === 'name' ? nameless : undefined);
    if (label === undefined) continue;
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
  };
}

/** The labels in the order in which they are drawn, and as what. */
function arrange(
  cells: Cells,
  axis: LabelColumn,
  measures: readonly string[],
  request: FigureRequest,
): { labels: readonly string[]; kind: FigureKind } {
  const { labels } = cells;
  const { kind = 'auto', isOrdered = false } = request;
  if (axis.type !== 'name') {
    const inTime = [...labels].sort();
    const courses = [inTime, inTime.toReversed()].map(String);
    const isRanked = isOrdered && !courses.includes(String(labels));
    if (isRanked && kind !== 'line') return { labels, kind: 'bars' };
    const course = completeCourse(axis.type, inTime, request.notes.period);
    return { labels: course, kind: kind === 'auto' ? 'line' : kind };
  }
  const drawn = kind === 'auto' ? 'bars' : kind;
  if (isOrdered) return { labels, kind: drawn };
  if (axis.isScale)
    return { labels: [...labels].sort((a, b) => Number(a) - Number(b)), kind: drawn };
  const [first = ''] = measures;
  const sizes = new Map(labels.map((label) => [label, sizeOf(cells, label, first)]));
  const bySize = (a: string, b: string) => compare(sizes.get(b), sizes.get(a));
  return { labels: [...labels].sort(bySize), kind: drawn };
}

/**
 * Every day, week or month of the period that was asked for, and of the labels where they reach
 * further. One day of each week or quarter stays as it is, and so does what is too long.
 */
function completeCourse(
  type: BucketSize,
  labels: readonly string[],
  period: FigureNotes['period'],
): readonly string[] {
  // A week or a month counts from its first day.
  const days = labels.map((label) => addDays(label, 0));
  const [first = '', last = first] = [days[0], days.at(-1)];
  const isWeekly = days.length > 2 && days.every((day) => daysBetween(first, day) % 7 === 0);
  const isQuarterly = days.length > 1 && days.every((day) => startOf('quarter', day) === day);
  if (type === 'day' && (isWeekly || isQuarterly)) return labels;
  const { from, to } = period ?? { from: first, to: last };
  const wide = { from: from < first ? from : first, to: to > last ? to : last };
  for (const span of [wide, { from: first, to: last }]) {
    const course = buckets(span, type).map(({ bucket }) => bucket);
    if (course.length <= maxLabels) return course;
  }
  return labels;
}

/** What a label's bars add up to, to order them; what has no number comes last. */
function sizeOf({ groups, rowAt }: Cells, label: string, measure: string): Decimal | undefined {
  const values = groups.map((group) => rowAt(label, group)?.[measure]).filter(isNumeric);
  return values.length === 0 ? undefined : sum(values);
}

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
  const nameOf = (group: string, measure: string) =>
    measures.length > 1 ? `${group} · ${measure}` : group;
  return groups.flatMap((group) =>
    measures.map((measure) => ({
      name: isSplit ? nameOf(group, measure) : measure,
      values: labels.map((label) => {
        const decimal = toDecimal(rowAt(label, group)?.[measure]);
        return decimal === undefined ? null : plain(decimal);
      }),
    })),
  );
}

/**
 * Names of one amount with VAT, without it, and of the VAT itself, where several of these stand together
 * (docs/platform.md#money): none where all are of one side, or none tells.
 */
function sidesOfVat(names: readonly string[]): string[] {
  const sides = new Map<string, string>();
  for (const name of names) {
    if (/(^|[._ ])(vat|btw)$/i.test(name)) sides.set('the VAT', name);
    else if (/_wt$/.test(name)) sides.set('with VAT', name);
    else if (/_ex$/.test(name) || names.includes(`${name}_wt`)) sides.set('without VAT', name);
  }
  return sides.size < 2 ? [] : [...sides].map(([side, name]) => `${quote(name)} (${side})`);
}

function refuseSides(sides: readonly string[]): string {
  return `Bars of ${sides.join(' and ')} would show a part beside its whole. Keep one side of VAT, or draw each in a figure of its own.`;
}

/** How many rows have no place on a time axis. */
function sayLeftOut({ name, type, labels }: LabelColumn): string[] {
  const leftOut = labels.filter((label) => label === undefined).length;
  if (type === 'name' || leftOut === 0) return [];
  const have = leftOut === 1 ? 'has' : 'have';
  return [`${countNoun(leftOut, 'row')} ${have} no ${name} and no place in the figure.`];
}

function refuseWithoutNumbers(columns: readonly ResultColumn[]): string {
  const listed = columns.map(({ name, type }) => `${quote(name)} (${quote(type)})`).join(', ');
  return `There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are ${listed}. Select the days or names first and the numbers after them, such as SELECT name, sum(amount).`;
}

function refuseTwice(axisName: string, label: string, splitName: string | undefined): string {
  const place = splitName === undefined ? '' : ` with the same ${quote(splitName)}`;
  const remedy =
    splitName === undefined
      ? 'or select a second column that parts them, such as the shop'
      : 'or leave out the columns that part them further';
  return `${quote(axisName)} "${quote(label)}" stands in more than one row${place}, and nothing here adds rows up by itself. Add them up in the statement (GROUP BY), ${remedy}.`;
}

function refuseLabels(count: number, { name, type }: LabelColumn): string {
  const remedy =
    type === 'name'
      ? 'Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group them.'
      : 'Group by week or month, or ask for a shorter period.';
  return `${quote(name)} has ${count} different values, and a figure shows at most ${maxLabels}. ${remedy}`;
}

function refuseSeries(
  groups: number,
  measures: readonly string[],
  splitName: string | undefined,
): string {
  const numbers = `${measures.length} columns of numbers`;
  const what =
    splitName === undefined
      ? numbers
      : `${groups} values of ${quote(splitName)}${measures.length > 1 ? ` with ${numbers} each` : ''}`;
  return `A figure tells at most ${maxSeries} series apart, and here are ${what}. Select fewer of them, or add the small ones up as one.`;
}
