/** Reads the figures that a question is about, chooses among them, and puts those of each period together. */
import type { Days } from '../../core/calendar.ts';
import { resolvePeriod } from '../../core/periods.ts';
import type { NotedDays } from '../services.ts';
import { fillSpan, keyOf } from './cells.ts';
import { chooseMeasures, orderMeasuresOf, turnoverWithVat } from './measures.ts';
import type { Question } from './question.ts';
import { countsOrders, hasTrade, type Readings, readPeriods } from './readings.ts';
import { daysOf, type Span, spansOf } from './spans.ts';

/** The figures of all spans. */
export type Comparison = Awaited<ReturnType<typeof compareFigures>>;

/** What a question asks for: `entries` are the figures that have a row, `main` the measure that sentences are about. */
export async function compareFigures(question: Question) {
  const { services, args, by, size, call } = question;
  const spans = spansOf(args, call.nowMs, size);
  const days = spans.flatMap(daysOf);
  const none: NotedDays = { notes: [] };
  const [readings, { notes, unread }] = await Promise.all([
    readPeriods(question, days),
    days.length > spans.length ? services.statements.days().catch(() => none) : none,
  ]);
  const figures = readings.all.flatMap((reading) => reading.figures);
  const read = figures.map(({ measure }) => measure);
  const ofOrders = countsOrders(services, by) ? orderMeasuresOf(read) : [];
  const measures = chooseMeasures([...new Set([...ofOrders, ...read])], question);
  const shown = figures.filter(({ measure }) => measures.chosen.has(measure));
  const entries = [...new Map(shown.map((figure) => [keyOf(figure), figure])).values()];
  const withVat = turnoverWithVat(read) ?? '';
  const main = (measures.chosen.has(withVat) ? withVat : [...measures.chosen][0]) ?? '';
  const trade = {
    hasTrade: (it: Days) => hasTrade(readings.of(it)),
    ...{ notes, firstDay: await firstDayFor(question, spans, readings) },
  };
  return {
    ...{ period: resolvePeriod(args, call.nowMs), readings, measures, entries, main },
    ...{ notes, unread },
    spans: spans.map((span) => fillSpan(span, entries, readings, trade, question)),
  };
}

/** The first day with orders: looked for where an earlier period has no trade, else as far as it is known. */
async function firstDayFor(
  { services: { survey }, call }: Question,
  spans: readonly Span[],
  readings: Readings,
) {
  const earlier = spans.flatMap((span) => span.earlier?.periods ?? []);
  const found = earlier.every((days) => hasTrade(readings.of(days)))
    ? survey.known('first_day')
    : await survey.behaviour('first_day', call.signal);
  return found?.value;
}
