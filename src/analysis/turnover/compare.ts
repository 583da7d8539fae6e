/** Compares the figures of a question with their references, and makes rows of them. */
import type { Days } from '../../core/calendar.ts';
import { isOfParts, isPercentage } from '../../core/column-name.ts';
import { groupBy } from '../../core/json.ts';
import { type Decimal, percent, plain, zero } from '../../core/money.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { readDayReports } from '../endpoint/day-reports.ts';
import { hasTrade } from '../endpoint/findings.ts';
import type { Row } from '../rows/rows.ts';
import type { NotedDays } from '../services.ts';
import { chooseEarlier, standingOf, type Trade, unusualOn } from './earlier-periods.ts';
import {
  chooseMeasures,
  orderCount,
  orderMeasuresOf,
  type TurnoverFigure,
  turnoverWithVat,
  whole,
} from './measures.ts';
import { daysOf, type Question, type Span } from './question.ts';
import { countsOrders, type Readings, readPeriods } from './readings.ts';
import { singleDays } from './telling-days.ts';

export type Comparison = Awaited<ReturnType<typeof compareFigures>>;

export type FilledSpan = ReturnType<typeof fillSpan>;

type Cell = FilledSpan['cells'][number];

/** Each of `entries` becomes a row; sentences are about the measure `main`. */
export async function compareFigures(question: Question) {
  const { services, args, by, call, spans } = question;
  const days = spans.flatMap(daysOf);
  const none: NotedDays = { notes: [] };
  const [readings, { notes, unread }] = await Promise.all([
    readPeriods(question, days),
    days.length > spans.length ? services.statements.days().catch(() => none) : none,
  ]);
  const { location } = question.places;
  const input = location ? { location_id: String(location.id) } : {};
  const singles = await readDayReports(
    services,
    input,
    call,
    singleDays(question, spans, readings),
  );
  const figures = readings.all.flatMap((reading) => reading.figures);
  const read = figures.map(({ measure }) => measure);
  const orderMeasures = countsOrders(services, by) ? orderMeasuresOf(read) : [];
  const measures = chooseMeasures([...new Set([...orderMeasures, ...read])], question);
  const chosen = figures.filter(({ measure }) => measures.chosen.has(measure));
  const all = [...new Map(chosen.map((figure) => [keyOf(figure), figure])).values()];
  const parts = all.filter(({ subject }) => subject !== whole);
  // A single row needs no total.
  const hasSeveral = new Set(parts.map(({ subject }) => subject.id)).size > 1;
  const entries = hasSeveral ? all : parts;
  const withVat = turnoverWithVat(read) ?? '';
  const main = (measures.chosen.has(withVat) ? withVat : [...measures.chosen][0]) ?? '';
  const hasTradeOn = (days: Days) =>
    readings.on(days).reports.some(({ answer }) => hasTrade(answer.payload));
  const trade = { hasTrade: hasTradeOn, notes };
  return {
    period: resolvePeriod(args, call.nowMs),
    readings,
    singles,
    measures,
    entries,
    main,
    notes,
    unread,
    spans: spans.map((span) => fillSpan(span, entries, readings, trade, question)),
  };
}

function keyOf({ measure, subject }: TurnoverFigure): string {
  return JSON.stringify({ measure, id: subject.id });
}

/** Makes a cell for each figure of any period; null where the span or its reference lacks the figure. */
function fillSpan(
  span: Span,
  entries: readonly TurnoverFigure[],
  readings: Readings,
  trade: Trade,
  { by, args, size }: Question,
) {
  const { period, reference, earlier } = span;
  const { counted, excluded } = chooseEarlier(earlier?.periods ?? [], trade);
  // A figure that a bucket lacks is zero there.
  const zeros = earlier ? 'all' : size && 'empty';
  const finderFor = (days: Days) => figureFinder(readings.on(days).figures, zeros);
  const [now, then] = [finderFor(period), reference && finderFor(reference)];
  const before = counted.map((days) => ({ days, find: finderFor(days) }));
  const cells = entries.map((entry) => {
    const { measure, subject } = entry;
    const shop = (by === 'shop' && subject.id) || undefined;
    const usual = before.filter(({ days }) => !unusualOn(days, trade.notes, shop));
    const current = now(entry);
    const values = usual.flatMap(({ find }) => find(entry) ?? []);
    const standing = standingOf(current, values);
    const compared = args.against === 'usual' ? standing?.median : then?.(entry);
    return { measure, subject, current, reference: compared ?? null, standing };
  });
  return { ...span, counted, excluded, cells };
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

function valuesOf({ measure, current, reference, standing }: Cell) {
  const write = (value: Decimal | null | undefined) => (value ? plain(value) : null);
  const both = current && reference;
  return {
    current: write(current),
    reference: write(reference),
    low: write(standing?.low),
    high: write(standing?.high),
    of: standing?.count ?? 0,
    rank: standing?.rank ?? null,
    difference: write(both && current.minus(reference)),
    percent: write(both && !isPercentage(measure) ? percent(current, reference) : null),
  };
}

type ValueName = keyof ReturnType<typeof valuesOf>;

function comparedNames({ reference, earlier }: Span): readonly ValueName[] {
  const isUsual = earlier !== undefined;
  if (!reference && !isUsual) return [];
  const standing = isUsual ? (['low', 'high', 'of', 'rank'] as const) : [];
  return ['reference', ...standing, 'difference', 'percent'];
}

/** A row for each figure, by measure, or for each total; a figure that a period lacks is null, never 0. */
export function rowPerFigure(span: FilledSpan, isTotal = false): Row[] {
  const names = comparedNames(span);
  const cells = span.cells.filter(({ subject }) => (subject === whole) === isTotal);
  const blocks = groupBy(cells, ({ measure }) => measure);
  return [...blocks.values()].flat().map((cell) => {
    const values = valuesOf(cell);
    const compared = Object.fromEntries(names.map((name) => [name, values[name]]));
    return { measure: cell.measure, ...cell.subject, current: values.current, ...compared };
  });
}

/** A row for each measure of each group, its ids added up; none for percentages, nor if all ids are of one group. */
export function rowPerGroup(span: FilledSpan, groups: ReadonlyMap<number, string>): Row[] {
  const grouped = span.cells.flatMap((cell) => {
    const name = groups.get(cell.subject.id ?? 0);
    return name === undefined || isPercentage(cell.measure) ? [] : [{ ...cell, subject: { name } }];
  });
  if (span.earlier || new Set(grouped.map(({ subject }) => subject.name)).size < 2) return [];
  const add = (cells: readonly Cell[], side: 'current' | 'reference') =>
    cells.reduce<Decimal | null>((sum, { [side]: value }) => value?.plus(sum ?? 0) ?? sum, null);
  const cells = groupBy(grouped, ({ measure, subject }) => JSON.stringify([measure, subject.name]));
  const sums = [...cells.values()].map((group) => {
    return { ...group[0], current: add(group, 'current'), reference: add(group, 'reference') };
  });
  return rowPerFigure({ ...span, cells: sums });
}

/** A row for each id. Measures are columns, nested under the names of references and differences. */
export function rowPerId(span: FilledSpan): Row[] {
  const { period, cells } = span;
  const names = comparedNames(span);
  return [...groupBy(cells, ({ subject }) => String(subject.id)).values()].map((idCells): Row => {
    const values = idCells.map((cell) => [cell.measure, valuesOf(cell)] as const);
    const column = (name: ValueName) =>
      Object.fromEntries(values.map(([measure, written]) => [measure, written[name]]));
    return {
      bucket: period.given,
      from: period.from,
      to: period.to,
      ...idCells[0].subject,
      ...column('current'),
      ...Object.fromEntries(names.map((name) => [name, column(name)])),
    };
  });
}
