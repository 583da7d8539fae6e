import { InputError } from '../../core/errors.ts';
import { percentOf, plain, toDecimal } from '../../core/money.ts';
import { type Condition, filterRows } from './conditions.ts';
import { type Grouping, type Label, parseGrouping } from './groups.ts';
import { type Metric, parseMetric } from './metrics.ts';
import { type Row, unknownName } from './rows.ts';
import { parseSort, type SortKey, sortBy } from './sort.ts';

/** What to summarise, as `summarize_rows` takes it (DESIGN, section 2). */
export interface SummaryRequest {
  /** Columns, or `hour(col)`, `weekday(col)`, `day(col)`, `week(col)`, `month(col)`. */
  groupBy?: readonly string[] | undefined;
  /** @default ['count'] */
  metrics?: readonly string[] | undefined;
  where?: readonly Condition[] | undefined;
  /**
   * A group column or a metric, `-` in front for descending.
   * @default along time where the first group is a time, else by the first metric, greatest first
   */
  sort?: string | undefined;
  /** How many groups to show; the rest becomes one row. */
  top?: number | undefined;
}

/** Groups of rows with their figures. */
export interface Summary {
  /**
   * One row a group: its labels, its metrics, and `percent_of_total(...)` for counts and sums.
   * Past `top`, one last row labelled `other` holds all remaining rows, its figures made from them.
   */
  data: Row[];
  /** The metrics over all rows that passed `where`. */
  total: Row;
  /** How many rows passed `where`. */
  matched: number;
  /** How many groups there are. */
  groups: number;
  /** How many of them are in the row `other`. */
  otherGroups: number;
  warnings: string[];
}

/** What stands in the group columns of the row that holds the rest. */
const otherLabel = 'other';

/**
 * Groups and totals over rows, in decimal arithmetic. Rows without a value are a group of their own
 * with a null label. Every figure is made from the rows it covers: those of `other` and of the total
 * too, so averages and distinct counts are right there as well.
 * @throws InputError for an unknown column, metric or function, with what there is.
 */
export function summarizeRows(
  rows: readonly Row[],
  { groupBy = [], metrics = [], where = [], sort, top }: SummaryRequest,
  nowMs: number,
): Summary {
  const groupings = unique(groupBy.map((text) => parseGrouping(text, rows)));
  const asked = metrics.length === 0 ? ['count'] : metrics;
  const figures = unique(asked.map((text) => parseMetric(text, rows)));
  refuseSameNames(groupings, figures);
  const matched = filterRows(rows, where, nowMs);
  const total = figuresOver(matched, figures);
  const groups = groupRows(matched, groupings).map((group) => ({
    ...group,
    figures: figuresOver(group.rows, figures),
  }));
  const sorted = sortBy(groups, sortKeys(sort, groupings, figures, top), (column) => {
    const position = groupings.findIndex(({ name }) => name === column);
    const grouping = groupings[position];
    return grouping
      ? ({ labels }) => grouping.orderKey(labels[position] ?? null)
      : (group) => group.figures[column];
  });
  const shown: Group[] = sorted.slice(0, top);
  const rest = sorted.slice(shown.length).flatMap((group) => group.rows);
  const other = { labels: groupings.map(() => otherLabel), rows: rest };
  return {
    data: (rest.length > 0 ? [...shown, other] : shown).map((group) =>
      presentGroup(group, groupings, figures, total),
    ),
    total,
    matched: matched.length,
    groups: groups.length,
    otherGroups: groups.length - shown.length,
    warnings: [
      ...groupings.flatMap((grouping, position) =>
        grouping.warningsOn(
          groups.flatMap(({ labels, rows: own }) => (labels[position] === null ? own : [])),
        ),
      ),
      ...figures.flatMap((metric) => metric.warningsOn(matched)),
    ],
  };
}

interface Group {
  labels: Label[];
  rows: Row[];
}

function groupRows(rows: readonly Row[], groupings: readonly Grouping[]): Group[] {
  if (groupings.length === 0) return [{ labels: [], rows: [...rows] }];
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const labels = groupings.map((grouping) => grouping.labelOf(row));
    const key = JSON.stringify(labels.map((label) => (label === null ? null : String(label))));
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { labels, rows: [row] });
  }
  return [...groups.values()];
}

function presentGroup(
  { labels, rows }: Group,
  groupings: readonly Grouping[],
  metrics: readonly Metric[],
  total: Row,
): Row {
  const figures = figuresOver(rows, metrics);
  const shares = groupings.length === 0 ? [] : metrics.filter(({ isAdditive }) => isAdditive);
  return Object.fromEntries([
    ...groupings.map(({ name }, position) => [name, labels[position] ?? null]),
    ...Object.entries(figures),
    ...shares.map(({ name }) => [`percent_of_total(${name})`, share(figures[name], total[name])]),
  ]);
}

function figuresOver(rows: readonly Row[], metrics: readonly Metric[]): Row {
  return Object.fromEntries(metrics.map(({ name, over }) => [name, over(rows)]));
}

function share(part: unknown, whole: unknown): number | string | null {
  const [some, all] = [toDecimal(part), toDecimal(whole)];
  const percent = some && all ? percentOf(some, all) : null;
  return percent && plain(percent);
}

function sortKeys(
  sort: string | undefined,
  groupings: readonly Grouping[],
  metrics: readonly Metric[],
  top: number | undefined,
): SortKey[] {
  const byLabels = groupings.map(({ name }) => ({ column: name, isDescending: false }));
  const [metric] = metrics;
  const asked = parseSort(sort ?? '');
  const known = [...groupings.map(({ name }) => name), ...metrics.map(({ name }) => name)];
  for (const { column } of asked) {
    if (!known.includes(column)) throw unknownName(column, 'column', known, 'sort');
  }
  if (asked.length > 0) return [...asked, ...byLabels];
  if (!metric || (groupings[0]?.isTime && top === undefined)) return byLabels;
  return [{ column: metric.name, isDescending: true }, ...byLabels];
}

function unique<Part extends { name: string }>(parts: readonly Part[]): Part[] {
  return [...new Map(parts.map((part) => [part.name, part])).values()];
}

function refuseSameNames(groupings: readonly Grouping[], metrics: readonly Metric[]): void {
  const both = metrics.find(({ name }) => groupings.some((grouping) => grouping.name === name));
  if (!both) return;
  throw new InputError(
    `metrics: ${both.name} is a group column too, so the answer could not tell them apart. Choose another metric.`,
    'metrics',
  );
}
