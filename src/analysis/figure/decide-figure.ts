/** Decides what a result looks like as a figure: by the shape of its rows; of names only `low` and `high` mean anything. */
import {
  addDays,
  type BucketSize,
  buckets,
  cutBuckets,
  sayCut,
  startOf,
  weekdayOf,
} from '../../core/calendar.ts';
import { isNumeric } from '../../core/money.ts';
import { countNoun, quote } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import { assignRoles, type ResultColumn, type ResultRows } from './columns.ts';
import type { Figure, FigureNotes } from './figure.ts';

/** Most labels on an axis, and most series: more is no picture. */
const maxLabels = 400;
const maxSeries = 12;

/** A result, and the arguments of its figure. */
export interface FigureRequest extends ResultRows {
  title?: string | undefined;
  /** @default 'auto': lines for a time axis, bars for names. */
  kind?: Figure['kind'] | 'auto' | undefined;
  /** The unit of the numbers. Nothing is concluded from the names of columns. */
  unit?: string | undefined;
  /** Whether the statement orders its rows. */
  isOrdered?: boolean | undefined;
  notes: FigureNotes;
}

/** The figure of a result, or a sentence that says why there is none and what to change. */
export function decideFigure(request: FigureRequest): { figure: Figure } | { refusal: string } {
  const { rows, notes, title } = request;
  const roles = assignRoles(request);
  const { axis, split, measures, omitted, hasBand } = roles;
  const cells = collectCells(rows, roles);
  const unit = commonUnit(request, measures);
  const refusal = refuse(request, roles, cells) ?? unit.refusal;
  if (refusal !== undefined) return { refusal };

  const { labels, kind } = arrange(cells, roles, request);
  const allCut = axis.type === 'name' || !notes.period ? [] : cutBuckets(notes.period, axis.type);
  const cut = allCut.filter(({ bucket }) => labels.includes(bucket));
  const adds = measures.filter((measure) => measure.adds).map(({ name }) => name);
  const valuesOf = (group: string, measure: string) =>
    labels.map((label) => cells.valueAt(label, group, measure));
  const [firstGroup = ''] = cells.groups;
  return {
    figure: {
      ...{ v: 1, kind },
      ...(title?.trim() && { title: title.trim() }),
      ...(unit.name !== undefined && { unit: unit.name }),
      axis: {
        ...{ name: axis.name, type: axis.type, labels },
        ...(cells.labels.length < labels.length && { withRows: cells.labels.length }),
        ...(cut.length > 0 && { cut }),
      },
      ...(split && { split: { name: split.name, type: split.type } }),
      measures: measures.map(({ name }) => name),
      ...(adds.length > 0 && { adds }),
      series: cells.groups.flatMap((group) =>
        measures.map(({ name: measure }) => {
          const ofGroup = measures.length > 1 ? `${group} · ${measure}` : group;
          return { name: split ? ofGroup : measure, values: valuesOf(group, measure) };
        }),
      ),
      ...(hasBand && {
        band: { low: valuesOf(firstGroup, 'low'), high: valuesOf(firstGroup, 'high') },
      }),
      ...(omitted.length > 0 && { omitted }),
      notes: {
        ...notes,
        warnings: [...notes.warnings, ...unit.warnings, ...sayCut(cut), ...cells.warnings],
      },
    },
  };
}

type Roles = ReturnType<typeof assignRoles>;
type Cells = ReturnType<typeof collectCells>;

/** A missing name, in any language. */
const nameless = '–';

function collectCells(rows: FigureRequest['rows'], { axis, split }: Roles) {
  const placed = rows.flatMap((row, index) => {
    const label = axis.labels[index] ?? (axis.type === 'name' ? nameless : undefined);
    const group = split ? (split.labels[index] ?? nameless) : '';
    return label === undefined ? [] : [{ label, group, row }];
  });
  const keyOf = (label: string, group: string) => JSON.stringify([label, group]);
  const rowAt = new Map(placed.map(({ label, group, row }) => [keyOf(label, group), row]));
  const left = rows.length - placed.length;
  const text = `Not drawn: ${countNoun(left, 'row')} without ${axis.name}.`;
  const warnings: Warning[] = left > 0 ? [{ code: 'not_drawn', text }] : [];
  return {
    labels: [...new Set(placed.map(({ label }) => label))],
    // Sorted: a statement without ORDER BY gives its rows in another order each time.
    groups: [...new Set(placed.map(({ group }) => group))].sort(),
    valueAt(label: string, group: string, measure: string) {
      const value = rowAt.get(keyOf(label, group))?.[measure];
      // `|| 0` turns -0 into 0.
      return isNumeric(value) ? Number(value) || 0 : null;
    },
    /** A label that comes twice in a group. */
    twice: placed.find(({ label, group, row }) => rowAt.get(keyOf(label, group)) !== row)?.label,
    warnings,
  };
}

function arrange(
  { labels, groups, valueAt }: Cells,
  { axis, isScale, measures: [measure] }: Roles,
  { kind = 'auto', isOrdered = false, notes }: FigureRequest,
): { labels: readonly string[]; kind: Figure['kind'] } {
  if (axis.type !== 'name') {
    const inTime = labels.toSorted();
    const isCourse = [inTime, inTime.toReversed()].some((it) => `${it}` === `${labels}`);
    if (isOrdered && !isCourse && kind !== 'line') return { labels, kind: 'bars' };
    const course = completeCourse(axis.type, inTime, notes.period);
    return { labels: course, kind: kind === 'auto' ? 'line' : kind };
  }
  const sizeOf = (label: string) => {
    const values = groups.map((group) => valueAt(label, group, measure?.name ?? ''));
    return isScale ? -Number(label) : values.reduce<number>((sum, it) => sum + (it ?? 0), 0);
  };
  const bySize = labels.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return { labels: isOrdered ? labels : bySize, kind: kind === 'auto' ? 'bars' : kind };
}

/** Every day, week or month of the period and the labels, unless they are one day of each week or quarter. */
function completeCourse(
  type: BucketSize,
  labels: readonly string[],
  period: FigureNotes['period'],
): readonly string[] {
  // A week or a month counts from its first day.
  const days = labels.map((label) => addDays(label, 0));
  const [first = '', last = first] = [days[0], days.at(-1)];
  const isWeekly = days.length > 2 && days.every((day) => weekdayOf(day) === weekdayOf(first));
  const isQuarterly = days.length > 1 && days.every((day) => startOf('quarter', day) === day);
  if (type === 'day' && (isWeekly || isQuarterly)) return labels;
  const { from, to } = period ?? { from: first, to: last };
  const span = { from: from < first ? from : first, to: to > last ? to : last };
  const course = buckets(span, type, maxLabels).map(({ bucket }) => bucket);
  return course.length <= maxLabels ? course : labels;
}

/** The words for the units that are known: as it is called in figures, as it is said, and others. */
const units = [
  ['euro', 'euros', 'eur', '€'],
  ['percent', 'percentages', 'percentage', '%'],
  ['count', 'counts', 'aantal'],
];

function sayUnit(unit = 'numbers of no known unit'): string {
  return units.find(([known]) => known === unit)?.[1] ?? unit;
}

/** The one unit of all columns: the one asked for, unless they are known to be of another; or why there is none. */
function commonUnit(
  { rows, unit: argument = '' }: FigureRequest,
  measures: readonly ResultColumn[],
): { name?: string | undefined; warnings: Warning[]; refusal?: string } {
  const [known] = units.find((words) => words.includes(argument.trim().toLowerCase())) ?? [];
  const requested = known ?? (argument.trim() || undefined);
  const columns = measures.map(({ name, unit: certain }) => {
    // The caller may name what is counted.
    const unit = certain === 'count' && !known ? (requested ?? certain) : (certain ?? requested);
    const numbers = rows.flatMap(({ [name]: cell }) => (isNumeric(cell) ? Number(cell) : []));
    const isShare = numbers.every((it) => Math.abs(it) <= 1) && !numbers.every(Number.isInteger);
    return { name: quote(name), unit, isUnclear: unit === 'percent' && !certain && isShare };
  });
  const [{ name = '', unit = undefined } = {}, ...others] = columns;
  const unclear = columns.find(({ isUnclear }) => isUnclear);
  if (unclear) {
    const refusal = `${unclear.name} lies between 0 and 1 in every row. Select 100 times it where these are shares, or give no unit where they are percentages.`;
    return { warnings: [], refusal };
  }
  const other = others.find((column) => column.unit !== unit);
  if (other) {
    const orGive = unit && other.unit ? '' : ', or give unit where both are of one';
    const refusal = `${name} holds ${sayUnit(unit)} and ${other.name} ${sayUnit(other.unit)}, which one scale cannot show. Draw each in a figure of its own${orGive}.`;
    return { warnings: [], refusal };
  }
  const names = columns.map((column) => column.name).join(', ');
  const text = `The numbers of ${names} are ${sayUnit(unit)}, not ${sayUnit(requested)}.`;
  const isOther = requested !== undefined && requested !== unit;
  return { name: unit, warnings: isOther ? [{ code: 'other_unit', text }] : [] };
}

function refuse(
  { columns, rows }: FigureRequest,
  { axis, split, measures }: Roles,
  { labels, groups, twice }: Cells,
): string | undefined {
  const name = quote(axis.name);
  if (rows.length === 0)
    return 'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.';
  if (measures.length === 0) {
    const listed = columns.map((it) => `${quote(it.name)} (${quote(it.type)})`).join(', ');
    return `There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are ${listed}. Select the days or names first and the numbers after them, such as SELECT name, sum(amount).`;
  }
  if (twice !== undefined) {
    const within = split ? ` with the same ${quote(split.name)}` : '';
    return `${name} "${quote(twice)}" is in more than one row${within}, and nothing here adds rows up by itself. Add them up in the statement (GROUP BY), or select a second column that parts them, such as the shop.`;
  }
  if (groups.length * measures.length > maxSeries) {
    const values = split ? `${groups.length} values of ${quote(split.name)} and ` : '';
    return `A figure tells at most ${maxSeries} series apart, and here are ${values}${countNoun(measures.length, 'column')} of numbers. Select fewer of them, or add the small ones up as one.`;
  }
  if (labels.length > maxLabels)
    return `${name} has ${labels.length} different values, and a figure shows at most ${maxLabels}. Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group days by week or month.`;
  return undefined;
}
