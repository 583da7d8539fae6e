/** Decides how a result is drawn, by the shape of its rows; only the column names `low` and `high` have a meaning. */
import {
  addDays,
  addDuration,
  amsterdamDay,
  type BucketSize,
  bucketOf,
  buckets,
  cutBuckets,
  cutWarnings,
  readTimestamp,
  startOf,
  weekdayOf,
} from '../../core/calendar.ts';
import { cellText, columnType, isTimeType } from '../../core/column-type.ts';
import { ownValue } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { isNumeric } from '../../core/money.ts';
import type { AxisType, Figure, FigureNotes } from './figure.ts';
import { figureMessages, figureRefusals } from './messages.ts';

/** More labels on an axis, or more series, make no readable picture. */
const maxLabels = 400;
const maxSeries = 12;

/** A column of a result, with its type in DuckDB's words. */
export interface ResultColumn {
  name: string;
  type: string;
  /** The unit to which the statement truncates its days, if it does: `week`, `month`, `quarter`, ... */
  grain?: string | undefined;
  /** Whether its values add up over rows: sums and counts do, medians and percentages do not. */
  adds?: boolean | undefined;
  /** Whether its values belong to other days than those of the axis. */
  isEarlier?: boolean;
  /** Its unit, if that is certain. */
  unit?: 'count' | 'percent' | undefined;
}

/** A result, and the arguments of its figure. */
export interface FigureRequest {
  columns: readonly ResultColumn[];
  rows: readonly Readonly<Record<string, unknown>>[];
  /** The names of ids, by column: `{"shop_id": {"3": "Webshop"}}`. */
  labels?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  title?: string | undefined;
  /** @default 'auto': lines for a time axis, bars for names. */
  kind?: Figure['kind'] | 'auto' | undefined;
  /** The unit of the numbers. Nothing is concluded from the names of columns. */
  unit?: string | undefined;
  /** Whether the statement orders its rows. */
  isOrdered?: boolean | undefined;
  /** A column that the statement does not select, and in which rows with the same label may differ. */
  unshown?: string | undefined;
  notes: FigureNotes;
}

/** The figure of a result, or why there is none and what to change. */
export function decideFigure(request: FigureRequest): { figure: Figure } | { refusal: string } {
  const { rows, notes, title } = request;
  const roles = assignRoles(request);
  const { axis, split, measures, omitted, hasBand } = roles;
  const cells = collectCells(rows, roles);
  const { unit, refusal: unitRefusal } = decideUnit(measures, request);
  const refusal = refusalOf(request, roles, cells) ?? unitRefusal;
  if (refusal !== undefined) return { refusal };

  const { labels, kind } = arrange(cells, roles, request);
  const allCut = axis.type === 'name' || !notes.period ? [] : cutBuckets(notes.period, axis.type);
  const cut = allCut.filter(({ bucket }) => labels.includes(bucket));
  const adds = measures.filter((measure) => measure.adds).map(({ name }) => name);
  const earlier = measures.filter((measure) => measure.isEarlier).map(({ name }) => name);
  const valuesOf = (group: string, measure: string) =>
    labels.map((label) => cells.valueAt(label, group, measure));
  const [firstGroup = ''] = cells.groups;
  const figure: Figure = {
    v: 1,
    kind,
    title: title?.trim() || undefined,
    unit,
    axis: {
      name: axis.name,
      type: axis.type,
      labels,
      withRows: cells.labels.length < labels.length ? cells.labels.length : undefined,
      cut: listUnlessEmpty(cut),
    },
    split: split && { name: split.name, type: split.type },
    measures: measures.map(({ name }) => name),
    adds: listUnlessEmpty(adds),
    earlier: listUnlessEmpty(earlier),
    series: cells.groups.flatMap((group) =>
      measures.map(({ name: measure }) => {
        const ofGroup = measures.length > 1 ? `${group} · ${measure}` : group;
        return { name: split ? ofGroup : measure, values: valuesOf(group, measure) };
      }),
    ),
    band: hasBand
      ? { low: valuesOf(firstGroup, 'low'), high: valuesOf(firstGroup, 'high') }
      : undefined,
    omitted: listUnlessEmpty(omitted),
    notes: {
      ...notes,
      warnings: [...notes.warnings, ...cutWarnings(cut), ...cells.warnings],
    },
  };
  return { figure };
}

function listUnlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}

type Roles = ReturnType<typeof assignRoles>;

/**
 * The first column is the axis, and every column of numbers is drawn, ids excepted. Where the axis
 * occurs more than once, the next column without numbers splits the rows into series. Otherwise a
 * column with one value names the series, and names replace bare ids on the axis. Columns `low` and
 * `high` beside another measure are the band around it.
 */
function assignRoles(table: FigureRequest) {
  const { columns, rows, labels: named = {} } = table;
  const [first = { name: '', type: '' }, ...others] = columns;
  /** Numbers other than ids; on the axis, hours or years. */
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

/** Types of numbers; types of lists end in `]`. */
const numberType =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC|BIGNUM|VARINT)\b(?!.*\]$)/i;

type RowLabels = readonly (string | undefined)[];

function labelColumn(
  { name, grain }: ResultColumn,
  { rows, labels: named = {} }: FigureRequest,
): { name: string; type: AxisType; labels: RowLabels } {
  const cells = rows.map((row) => row[name]);
  const texts = cells.map((cell) => cellText(cell) || undefined);
  const names = ownValue(named, name);
  // `shop_id` shows the names of shops.
  if (names) return { name: name.replace(/_id$/, ''), type: 'name', labels: nameIds(texts, names) };
  const type = columnType(cells);
  if (isTimeType(type)) {
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

/** The unit of days that are all Mondays or firsts of months: the grain of the statement, or that of neighbouring days. */
function unitOfDays(labels: RowLabels, grain: string | undefined): BucketSize {
  const days = [...new Set(labels)].filter((day) => day !== undefined);
  const areNeighbours = (unit: BucketSize) =>
    days.some((day) => days.includes(addDuration(day, { [unit]: 1 })));
  const isUnit = (unit: BucketSize) =>
    days.every((day) => startOf(unit, day) === day) &&
    (grain === undefined ? areNeighbours(unit) : grain === unit);
  return (['month', 'week'] as const).find(isUnit) ?? 'day';
}

/** The names of ids, with their numbers if two share a name: `Bar (1)` and `Bar (3)`. */
function nameIds(ids: RowLabels, names: Readonly<Record<string, string>>): RowLabels {
  const named = ids.map((id) => names[id ?? ''] ?? id);
  const isClear = new Set(named).size === new Set(ids).size;
  return isClear ? named : ids.map((id, at) => id && `${named[at]} (${id})`);
}

type Cells = ReturnType<typeof collectCells>;

const nameless = '–';

function collectCells(rows: FigureRequest['rows'], { axis, split }: Roles) {
  const placedRows = rows.flatMap((row, index) => {
    const label = axis.labels[index] ?? (axis.type === 'name' ? nameless : undefined);
    const group = split ? (split.labels[index] ?? nameless) : '';
    return label === undefined ? [] : [{ label, group, row }];
  });
  const keyOf = (label: string, group: string) => JSON.stringify([label, group]);
  const rowAt = new Map(placedRows.map(({ label, group, row }) => [keyOf(label, group), row]));
  const undrawn = rows.length - placedRows.length;
  const notDrawn = figureMessages.not_drawn({ rows: undrawn, axis: axis.name });
  const warnings: Warning[] = undrawn > 0 ? [notDrawn] : [];
  return {
    labels: [...new Set(placedRows.map(({ label }) => label))],
    // Sorted: a statement without ORDER BY gives its rows in another order each time.
    groups: [...new Set(placedRows.map(({ group }) => group))].sort(),
    valueAt(label: string, group: string, measure: string) {
      const value = rowAt.get(keyOf(label, group))?.[measure];
      // `|| 0` turns -0 into 0.
      return isNumeric(value) ? Number(value) || 0 : null;
    },
    /** The first label that two rows share, with both rows. */
    sharedLabel: placedRows
      .map(({ label, group, row }) => ({ label, row, other: rowAt.get(keyOf(label, group)) }))
      .find(({ row, other }) => other !== row),
    warnings,
  };
}

function arrange(
  { labels, groups, valueAt }: Cells,
  { axis, isScale, measures: [measure] }: Roles,
  { kind = 'auto', isOrdered = false, notes }: FigureRequest,
): { labels: readonly string[]; kind: Figure['kind'] } {
  if (axis.type !== 'name') {
    const ascending = labels.toSorted();
    const isTimeline = [ascending, ascending.toReversed()].some((one) => `${one}` === `${labels}`);
    if (isOrdered && !isTimeline && kind !== 'line') return { labels, kind: 'bars' };
    const timeline = completeTimeline(axis.type, ascending, notes.period);
    return { labels: timeline, kind: kind === 'auto' ? 'line' : kind };
  }
  const sizeOf = (label: string) => {
    const values = groups.map((group) => valueAt(label, group, measure?.name ?? ''));
    return isScale ? -Number(label) : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  };
  const bySize = labels.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return { labels: isOrdered ? labels : bySize, kind: kind === 'auto' ? 'bars' : kind };
}

/** Completes labels to every day, week or month of the period, unless there is one day for each week or quarter. */
function completeTimeline(
  type: BucketSize,
  labels: readonly string[],
  period: FigureNotes['period'],
): readonly string[] {
  // The label of a week or month becomes its first day.
  const days = labels.map((label) => addDays(label, 0));
  const [first = '', last = first] = [days[0], days.at(-1)];
  const isWeekly = days.length > 2 && days.every((day) => weekdayOf(day) === weekdayOf(first));
  const isQuarterly = days.length > 1 && days.every((day) => startOf('quarter', day) === day);
  if (type === 'day' && (isWeekly || isQuarterly)) return labels;
  const { from, to } = period ?? { from: first, to: last };
  const span = { from: from < first ? from : first, to: to > last ? to : last };
  const timeline = buckets(span, type, maxLabels).map(({ bucket }) => bucket);
  return timeline.length <= maxLabels ? timeline : labels;
}

const unitWords: Readonly<Record<string, readonly string[]>> = {
  euro: ['euro', 'euros', 'eur', '€'],
  percent: ['percent', 'percentages', 'percentage', '%'],
  count: ['count', 'counts', 'aantal'],
};

function decideUnit(
  measures: readonly ResultColumn[],
  { unit: word = '', rows }: FigureRequest,
): { unit?: string | undefined; refusal?: string } {
  const text = word.trim();
  const standard = Object.keys(unitWords).find((unit) =>
    unitWords[unit]?.includes(text.toLowerCase()),
  );
  const requested = standard ?? (text || undefined);
  const columns = measures.map(({ name, unit: certain }) => {
    // The caller may name what is counted.
    const isNamed = certain === 'count' && standard === undefined;
    const unit = isNamed ? (requested ?? certain) : (certain ?? requested);
    return { name, unit, isGiven: certain === undefined };
  });
  const isShare = (name: string) => {
    const numbers = rows.flatMap(({ [name]: cell }) => (isNumeric(cell) ? Number(cell) : []));
    return numbers.every((number) => Math.abs(number) <= 1) && !numbers.every(Number.isInteger);
  };
  const unclear = columns.find(
    ({ name, unit, isGiven }) => unit === 'percent' && isGiven && isShare(name),
  );
  if (unclear) return { refusal: figureRefusals.sharesOrPercentages({ column: unclear.name }) };
  const [first, ...others] = columns;
  const other = others.find(({ unit }) => unit !== first?.unit);
  if (first && other) return { refusal: figureRefusals.twoUnits({ first, other }) };
  return { unit: first?.unit };
}

function refusalOf(
  { columns, rows, unshown }: FigureRequest,
  { axis, split, measures }: Roles,
  { labels, groups, sharedLabel }: Cells,
): string | undefined {
  if (rows.length === 0) return figureRefusals.noRows();
  if (measures.length === 0) return figureRefusals.noNumbers({ columns });
  if (sharedLabel !== undefined) {
    const { label, row, other = {} } = sharedLabel;
    const isNumber = (name: string) => measures.some((measure) => measure.name === name);
    const names = columns.map(({ name }) => name).filter((name) => !isNumber(name));
    const column = names.find((name) => cellText(row[name]) !== cellText(other[name])) ?? unshown;
    return figureRefusals.labelTwice({
      axis: axis.name,
      label,
      ...(split && { split: split.name }),
      ...(column !== undefined && { column }),
    });
  }
  if (groups.length * measures.length > maxSeries)
    return figureRefusals.tooManySeries({
      max: maxSeries,
      measures: measures.length,
      split: split && { name: split.name, values: groups.length },
    });
  if (labels.length > maxLabels)
    return figureRefusals.tooManyLabels({
      axis: axis.name,
      labels: labels.length,
      max: maxLabels,
    });
  return undefined;
}
