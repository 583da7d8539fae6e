/** Compares the figures of a question with their references, and makes rows of them. */
import type { Days } from '../../core/calendar.ts';
import { isOfParts, isPercentage } from '../../core/column-name.ts';
import { groupBy } from '../../core/json.ts';
import { type Decimal, plain, zero } from '../../core/money.ts';
import { resolvePeriod } from '../../core/periods.ts';
import type { DayNote } from '../answer.ts';
import { hasTrade } from '../endpoint/findings.ts';
import type { Row } from '../rows/rows.ts';
import type { NotedDays } from '../services.ts';
import {
  type ComparedPeriods,
  type ComparedValues,
  chooseEarlier,
  compareValues,
  unusualOn,
} from './earlier-periods.ts';
import {
  addUp,
  chooseMeasures,
  orderCount,
  orderMeasuresOf,
  type TurnoverFigure,
  turnoverOn,
  whole,
} from './measures.ts';
import { daysOf, type Question, type Span } from './question.ts';
import { canCountOrders, type Readings, readPeriods, readSingleDays } from './readings.ts';

export type Comparison = Awaited<ReturnType<typeof compareFigures>>;

export type FilledSpan = ReturnType<typeof fillSpan>;

/** Each of `entries` becomes a row; sentences are about the measure `main`. */
export async function compareFigures(question: Question) {
  const { services, args, by, call, spans } = question;
  const days = spans.flatMap(daysOf);
  const none: NotedDays = { notes: [] };
  const [readings, { notes, unread }] = await Promise.all([
    readPeriods(question, days),
    days.length > spans.length ? services.statements.days().catch(() => none) : none,
  ]);
  const singles = await readSingleDays(question, readings);
  const figures = readings.all.flatMap((reading) => reading.figures);
  const read = figures.map(({ measure }) => measure);
  const orderMeasures = canCountOrders(question, by) ? orderMeasuresOf(read) : [];
  const measures = chooseMeasures([...new Set([...orderMeasures, ...read])], question);
  const chosen = figures.filter(({ measure }) => measures.chosen.has(measure));
  const all = [...new Map(chosen.map((figure) => [keyOf(figure), figure])).values()];
  const parts = all.filter(({ subject }) => subject !== whole);
  // A single row needs no total.
  const hasSeveral = new Set(parts.map(({ subject }) => subject.id)).size > 1;
  const entries = hasSeveral ? all : parts;
  const withVat = turnoverOn('_wt', read) ?? '';
  const main = (measures.chosen.has(withVat) ? withVat : [...measures.chosen][0]) ?? '';
  return {
    period: resolvePeriod(args, call.nowMs),
    readings,
    singles,
    measures,
    entries,
    main,
    notes,
    unread,
    spans: spans.map((span) => fillSpan(span, entries, readings, notes, question)),
  };
}

function keyOf({ measure, subject }: TurnoverFigure): string {
  return JSON.stringify({ measure, id: subject.id });
}

/** Makes a cell for each figure. Against `usual`, `others` keeps only the earlier periods that count. */
function fillSpan(
  span: Span,
  entries: readonly TurnoverFigure[],
  readings: Readings,
  notes: readonly DayNote[],
  { by, size }: Question,
) {
  const isUsual = span.like !== undefined;
  const hasTradeOn = (days: Days) =>
    readings.on(days).reports.some(({ answer }) => hasTrade(answer.payload));
  const { counted: others, excluded } = isUsual
    ? chooseEarlier(span.others, hasTradeOn, notes)
    : { counted: span.others, excluded: [] };
  // A figure that a bucket lacks is zero there.
  const zeros = isUsual ? 'all' : size && 'empty';
  const finderFor = (days: Days) => figureFinder(readings.on(days).figures, zeros);
  const findCurrent = finderFor(span.period);
  const finders = others.map((days) => ({ days, find: finderFor(days) }));
  const unusual = isUsual ? notes : [];
  const cells = entries.map((entry) => {
    const { measure, subject } = entry;
    const shop = (by === 'shop' && subject.id) || undefined;
    const values = finders.flatMap(({ days, find }) =>
      unusualOn(days, unusual, shop) ? [] : (find(entry) ?? []),
    );
    return cellOf({ measure, subject }, findCurrent(entry), values);
  });
  return { ...span, others, excluded, unusual, cells };
}

/** Percentages differ in points. */
function cellOf(
  entry: Pick<TurnoverFigure, 'measure' | 'subject'>,
  current: Decimal | null,
  others: readonly Decimal[],
) {
  const values = compareValues(current, others);
  return { ...entry, ...values, percent: isPercentage(entry.measure) ? null : values.percent };
}

/** @param zeros which missing figures are zero, except percentages and averages: `all`, or those of ids without figures */
function figureFinder(figures: readonly TurnoverFigure[], zeros: 'all' | 'empty' | undefined) {
  const values = new Map(figures.map((figure) => [keyOf(figure), figure.value]));
  // Orders are counted without the report, so they do not show that an id has figures in it.
  const reportFigures = figures.filter(({ measure }) => measure !== orderCount);
  const reported = new Set(reportFigures.map(({ subject }) => subject.id));
  return (entry: TurnoverFigure): Decimal | null => {
    const isZero = zeros === 'all' || (zeros === 'empty' && !reported.has(entry.subject.id));
    return values.get(keyOf(entry)) ?? (isZero && !isOfParts(entry.measure) ? zero : null);
  };
}

type ValueName = keyof ComparedValues;

/** The columns that a comparison has besides the current figures. */
export function comparedColumns({ others, like }: ComparedPeriods): readonly ValueName[] {
  if (like !== undefined)
    return ['reference', 'low', 'high', 'of', 'rank', 'difference', 'percent'];
  return others.length > 0 ? ['reference', 'difference', 'percent'] : [];
}

export function writeValue(value: ComparedValues[ValueName]): number | string | null {
  return typeof value === 'object' && value !== null ? plain(value) : value;
}

/** A row for each figure, by measure, or for each total; a figure that a period lacks is null, never 0. */
export function rowPerFigure(span: FilledSpan, isTotal = false): Row[] {
  const names: readonly ValueName[] = ['current', ...comparedColumns(span)];
  const cells = span.cells.filter(({ subject }) => (subject === whole) === isTotal);
  const blocks = groupBy(cells, ({ measure }) => measure);
  return [...blocks.values()].flat().map((cell) => {
    const values = names.map((name) => [name, writeValue(cell[name])] as const);
    return { measure: cell.measure, ...cell.subject, ...Object.fromEntries(values) };
  });
}

/** A row for each measure of each group, its ids added up; none for percentages, nor if all ids are of one group. */
export function rowPerGroup(span: FilledSpan, groups: ReadonlyMap<number, string>): Row[] {
  const grouped = span.cells.flatMap((cell) => {
    const name = groups.get(cell.subject.id ?? 0);
    return name === undefined || isPercentage(cell.measure) ? [] : [{ ...cell, subject: { name } }];
  });
  const isOne = new Set(grouped.map(({ subject }) => subject.name)).size < 2;
  if (span.like !== undefined || isOne) return [];
  const cells = groupBy(grouped, ({ measure, subject }) => JSON.stringify([measure, subject.name]));
  const sums = [...cells.values()].map((group) => {
    const add = (side: 'current' | 'reference') => {
      const values = group.flatMap((cell) => cell[side] ?? []);
      return values.length > 0 ? [addUp(values)] : [];
    };
    return cellOf(group[0], add('current')[0] ?? null, add('reference'));
  });
  return rowPerFigure({ ...span, cells: sums });
}

/** A row for each id. Measures are columns, nested under the names of references and differences. */
export function rowPerId(span: FilledSpan): Row[] {
  const { period, cells } = span;
  return [...groupBy(cells, ({ subject }) => String(subject.id)).values()].map((idCells): Row => {
    const column = (name: ValueName) =>
      Object.fromEntries(idCells.map((cell) => [cell.measure, writeValue(cell[name])]));
    return {
      bucket: period.given,
      from: period.from,
      to: period.to,
      ...idCells[0].subject,
      ...column('current'),
      ...Object.fromEntries(comparedColumns(span).map((name) => [name, column(name)])),
    };
  });
}
