/** What is said beside the figures of an answer: of which days they are, what each is, and what to know of them. */
import { cutBuckets, cutWarnings } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { periodWarnings } from '../../core/periods.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import type { AnswerContext, MessagesByName } from '../answer.ts';
import { internalOrders, reportedInternal } from '../endpoint/findings.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Comparison } from './compare.ts';
import type { Explanation } from './explain.ts';
import { orderCount, type TurnoverFigure } from './measures.ts';
import type { Question } from './question.ts';
import type { Report } from './readings.ts';
import { daysOf, unlikePeriods } from './spans.ts';
import { dayNotesIn } from './standing.ts';
import { describeUsual } from './usual.ts';

/** The context of an answer. */
export async function describeFigures(
  question: Question,
  figures: Comparison,
  explained: Explanation | undefined,
): Promise<Partial<AnswerContext>> {
  const { services, args, size, call } = question;
  const { spans, readings, measures, entries } = figures;
  const { location, shops = [] } = readings;
  const [shop, ...otherShops] = shops;
  const isShown = (id: number) => entries.some(({ subject }) => subject.id === id);
  const misplaced = await Promise.all(
    shops
      .filter(({ id }) => !isShown(id))
      .map(({ id }) => misplacedIds(services.reference, { shop_id: id }, call.signal)),
  );
  const contexts = readings.all.flatMap(({ reports }) => reports.map((it) => it.answer.context));
  // What a report says of its own figures is not about the rows here.
  const { definitions: _, ...oldest } = contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const usual = describeUsual(spans, question, figures.main);
  const { latest, count } = dayNotesIn(figures.notes, spans.flatMap(daysOf));
  const internal = measures.chosen.has(orderCount)
    ? await internalOrders(services, call)
    : undefined;
  const turnover = reportedInternal(services);
  const isCompared = spans.some((span) => span.reference) || args.against === 'usual';
  return {
    ...oldest,
    period: figures.period,
    reference_period: size ? undefined : spans[0]?.reference,
    resolved: {
      ...(location?.resolved && { location_id: location.resolved }),
      // Rows name several.
      ...(shop?.resolved && otherShops.length === 0 && { shop_id: shop.resolved }),
    },
    // Who named measures knows that there are others.
    more: measures.others.length > 0 && !args.measures ? { measures: measures.others } : undefined,
    definitions: {
      ...usual.definitions,
      ...Object.fromEntries(entries.flatMap((entry) => definitionOf(entry, isCompared))),
      ...(await coveredSubjects(question, figures)),
      ...(count > latest.length && {
        notes: { code: 'latest_notes', shown: latest.length, of: count } as const,
      }),
    },
    warnings: warningsOf(question, figures, [...usual.warnings, ...misplaced.flat()]),
    usual: usual.usual && { ...usual.usual, middle: explained?.middle },
    summary: [
      ...usual.summary,
      ...(explained?.summary ?? []),
      ...(internal ? [{ code: 'order_count', internal, turnover } as const] : []),
    ],
    notes: count > 0 ? latest : undefined,
  };
}

function warningsOf(
  { by, size, call }: Question,
  { period, spans, readings, measures, unread }: Comparison,
  others: readonly Warning[],
): Warning[] {
  const latest = spans.at(-1);
  const references = spans.flatMap(({ reference }) => reference ?? []);
  const hasPayments = [...measures.chosen].some((name) => name.startsWith('direct_paid.'));
  const reports = [...spans.map((span) => span.period), ...references].flatMap(
    (days) => readings.of(days).reports,
  );
  const hasFigures = readings.all.some(({ figures }) => figures.length > 0);
  return distinctWarnings([
    ...periodWarnings(period, call.nowMs, latest?.reference ?? latest?.earlier?.periods[0]),
    ...references.flatMap((days) => periodWarnings(days, call.nowMs)),
    ...(size ? cutWarnings(cutBuckets(period, size)) : []),
    ...unlikePeriods(spans),
    ...reports.flatMap((report) => warningsOfReport(report, hasPayments)),
    ...measures.warnings,
    ...(unread ? [unread] : []),
    ...others,
    ...(hasFigures || readings.shops ? [] : [{ code: 'no_rows', by } as const]),
  ]);
}

/** Whether the payments of a report balance is of no concern where none are shown. */
function warningsOfReport({ location, answer }: Report, hasPayments: boolean): Warning[] {
  const { warnings = [] } = answer.context;
  return warnings
    .filter(({ code }) => hasPayments || code !== 'balance_differs')
    .map((warning) => (location.name ? { ...warning, about: location.name } : warning));
}

function definitionOf({ measure, definition }: TurnoverFigure, isCompared: boolean) {
  const isOfPoints = isCompared && isPercentage(measure);
  const message = isOfPoints ? ({ code: 'percentage_points' } as const) : definition;
  return message ? [[measure, message] as const] : [];
}

/**
 * Of how many shops or locations there are rows: whether that is all of them is what a reader asks next. Only for
 * callers who may have the list.
 */
async function coveredSubjects(
  { services, by, call }: Question,
  { spans, entries, readings: { shops } }: Comparison,
): Promise<MessagesByName> {
  if (by !== 'shop' && by !== 'location') return {};
  const listed = await services.reference.listForDisplay(by, call.signal).catch(() => undefined);
  if (listed === undefined) return {};
  const ids = new Set(entries.map(({ subject }) => subject.id));
  const rows = listed.filter(({ id }) => ids.has(id)).length;
  const of = shops?.length ?? listed.length;
  // Who named shops knows that there are others.
  if (shops && rows === of) return {};
  const hasGaps = spans.some(({ cells }) => cells.some(({ current }) => current === null));
  return { [`${by}s`]: { code: 'rows_of_subjects', rows, of, hasGaps } };
}
