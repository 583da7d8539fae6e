/** What is said beside the figures of an answer: of which days they are, what each is, and what to know of them. */
import { isDeepStrictEqual } from 'node:util';
import { amsterdamDay, cutBuckets, cutWarnings, type Day, type Days } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { distinctWarnings, type Message, type Warning } from '../../core/message.ts';
import { plain } from '../../core/money.ts';
import { periodWarnings, sayDays } from '../../core/periods.ts';
import { quote } from '../../core/text.ts';
import type { AnswerContext, DayNote, MessagesByName } from '../answer.ts';
import { internalOrders } from '../endpoint/findings.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Comparison, FilledSpan } from './compare.ts';
import { fewestEarlier } from './earlier-periods.ts';
import type { Explanation } from './explain.ts';
import { isTurnover, orderCount } from './measures.ts';
import type { CountedPeriods } from './messages.ts';
import { daysOf, type Question, unlikePeriods } from './question.ts';

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
  const hidden = shops.filter(({ id }) => !entries.some(({ subject }) => subject.id === id));
  const misplaced = await Promise.all(
    hidden.map(({ id }) => misplacedIds(services.reference, { shop_id: id }, call.signal)),
  );
  const contexts = readings.all.flatMap(({ reports }) => reports.map((it) => it.answer.context));
  // What a report says of its own figures is not about the rows here.
  const { definitions: _, ...oldest } = contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const usual = describeUsual(question, figures);
  const { latest, count } = dayNotesIn(figures.notes, spans.flatMap(daysOf));
  const internal = measures.chosen.has(orderCount)
    ? await internalOrders(services, call)
    : undefined;
  const turnover = services.survey.known('reported_internal')?.value;
  const showsTurnover = [...measures.chosen].some(isTurnover);
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
      ...usual?.definitions,
      ...definitionsOf(question, figures),
      ...(await coveredSubjects(question, figures)),
      ...(count > latest.length && {
        notes: { code: 'latest_notes', shown: latest.length, count } as const,
      }),
    },
    warnings: warningsOf(question, figures, [...(usual?.warnings ?? []), ...misplaced.flat()]),
    usual: usual && { ...usual.usual, middle: explained?.middle },
    summary: [
      ...(usual?.summary ?? []),
      ...(explained?.summary ?? []),
      ...(internal ? [{ code: 'order_count', internal, turnover } as const] : []),
      ...(!internal && turnover && showsTurnover
        ? [{ code: 'turnover_internal', internal: turnover } as const]
        : []),
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
  // Whether payments balance is of no concern where none are shown.
  const hasPayments = [...measures.chosen].some((name) => name.startsWith('direct_paid.'));
  const ofReports = [...spans.map((span) => span.period), ...references]
    .flatMap((days) => readings.on(days).reports)
    .flatMap(({ location: { name }, answer: { context } }) =>
      (context.warnings ?? [])
        .filter(({ code }) => hasPayments || code !== 'balance_differs')
        .map((warning) => (name ? { ...warning, about: name } : warning)),
    );
  const hasFigures = readings.all.some(({ figures }) => figures.length > 0);
  return distinctWarnings([
    ...periodWarnings(period, call.nowMs, latest?.reference ?? latest?.earlier?.periods[0]),
    ...references.flatMap((days) => periodWarnings(days, call.nowMs)),
    ...(size ? cutWarnings(cutBuckets(period, size)) : []),
    ...unlikePeriods(spans),
    ...ofReports,
    ...measures.warnings,
    ...(unread ? [unread] : []),
    ...others,
    ...(hasFigures || readings.shops ? [] : [{ code: 'no_rows', by } as const]),
  ]);
}

function definitionsOf({ args }: Question, { spans, entries }: Comparison): MessagesByName {
  const isCompared = spans.some((span) => span.reference) || args.against === 'usual';
  const definitions = entries.flatMap(({ measure, definition }) => {
    const isOfPoints = isCompared && isPercentage(measure);
    const message = isOfPoints ? ({ code: 'percentage_points' } as const) : definition;
    return message ? [[measure, message] as const] : [];
  });
  return Object.fromEntries(definitions);
}

/** Of how many shops or locations there are rows, for callers who may have the list: what a reader asks next. */
async function coveredSubjects(
  { services, by, call }: Question,
  { spans, entries, readings: { shops } }: Comparison,
): Promise<MessagesByName> {
  if (by !== 'shop' && by !== 'location') return {};
  const listed = await services.reference.listForDisplay(by, call.signal).catch(() => undefined);
  if (listed === undefined) return {};
  const ids = new Set(entries.map(({ subject }) => subject.id));
  const rows = listed.filter(({ id }) => ids.has(id)).length;
  const total = shops?.length ?? listed.length;
  // Who named shops knows that there are others.
  if (shops && rows === total) return {};
  const hasGaps = spans.some(({ cells }) => cells.some(({ current }) => current === null));
  return { [`${by}s`]: { code: 'rows_of_subjects', rows, total, hasGaps } };
}

/** By which earlier periods a figure is usual, which do not count, and where figures lie among them. */
function describeUsual({ by, args, call }: Question, { spans, main }: Comparison) {
  const [first, ...others] = spans;
  if (!first?.earlier) return undefined;
  const { counted, earlier, period } = first;
  const isOne = others.length === 0 && !args.expected;
  const isTotal = by === 'total';
  const isAlike = others.every((it) => isDeepStrictEqual(it.earlier?.like, earlier.like));
  const like = isAlike ? earlier.like : ({ code: 'like_each' } as const);
  const periods = { like, counted: counted.length, of: earlier.periods.length };
  const [latest, oldest] = [counted.at(0), counted.at(-1)];
  const days = latest && oldest && { from: oldest.from, to: latest.to };
  const all = spans.flatMap(({ excluded }) => excluded);
  const excluded = [...new Map(all.map((it) => [sayDays(it), it])).values()];
  const few = spans.filter((span) => span.counted.length < fewestEarlier).length;
  const definition: Message = args.expected
    ? { code: 'median_of_weekdays', measure: main, before: period.from }
    : isOne
      ? { code: 'median_of_earlier', ...periods, days }
      : { code: 'median_of_each', like };
  const summary: Message[] = [
    ...(isOne && isTotal ? figureAmongEarlier(first, main, periods) : []),
    ...(args.expected ? [daysOutside(spans, main, isTotal, amsterdamDay(call.nowMs))] : []),
    ...(excluded.length > 0 ? [{ code: 'not_counted', excluded } as const] : []),
  ];
  const tooFew = { few, of: spans.length, earlier: isOne ? periods : undefined };
  const warnings: Warning[] = [
    ...(few > 0 ? [{ code: 'too_few_periods', ...tooFew } as const] : []),
    ...(isTotal ? [] : [{ code: 'medians_of_parts' } as const]),
  ];
  return {
    definitions: { [args.expected ? 'expected' : 'reference']: definition },
    usual: {
      like,
      periods: isOne ? counted : undefined,
      left_out: excluded.length > 0 ? excluded : undefined,
    },
    summary,
    warnings,
  };
}

function figureAmongEarlier({ cells }: FilledSpan, main: string, earlier: CountedPeriods) {
  const { standing, current } = cells.find(({ measure }) => measure === main) ?? {};
  if (!standing || !current) return [];
  const { median, low, high, count, rank } = standing;
  const sides = { median: plain(median), low: plain(low), high: plain(high) };
  const figure = { current: plain(current), ...sides, count, rank: rank ?? 1 };
  return [{ code: 'figure_among_earlier', measure: main, figure, earlier } as const];
}

function daysOutside(
  spans: readonly FilledSpan[],
  main: string,
  isByDay: boolean,
  today: Day,
): Message {
  const judged = spans.flatMap(({ period, cells }) =>
    cells.flatMap(({ measure, current, standing, subject: { name } }) => {
      // A day that is not over is not judged.
      if (measure !== main || !current || !standing || period.to >= today) return [];
      const isBelow = current.lt(standing.low);
      const side = isBelow ? ('below' as const) : current.gt(standing.high) && ('above' as const);
      return [side ? { day: period.from, name, side } : undefined];
    }),
  );
  const outside = judged.flatMap((it) => it ?? []);
  return { code: 'days_outside', judged: judged.length, isByDay, outside };
}

/** The latest fifty notes of the days that were read, each of 200 characters at most, and how many there are. */
export function dayNotesIn(
  notes: readonly DayNote[],
  periods: readonly Days[],
): { latest: DayNote[]; count: number } {
  const isRead = ({ day }: DayNote) => periods.some(({ from, to }) => from <= day && day <= to);
  const read = notes.filter(isRead).toSorted((a, b) => b.day.localeCompare(a.day));
  const latest = read.slice(0, 50).map((it) => ({ ...it, note: quote(it.note, 200) }));
  return { latest, count: read.length };
}
