import { cutBuckets, cutWarnings, type Days } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { holidaysIn } from '../../core/holidays.ts';
import { groupBy } from '../../core/json.ts';
import { distinctWarnings, type Warning } from '../../core/message.ts';
import { type Decimal, plain, sayAmount } from '../../core/money.ts';
import { type Period, periodWarnings, sayDays } from '../../core/periods.ts';
import { listFirst, quote } from '../../core/text.ts';
import type { AnswerContext, DayNote, TextsByName } from '../answer.ts';
import { daysWithoutTrade } from '../endpoint/day-reports.ts';
import { misplacedIds } from '../reference/resolve.ts';
import { type Comparison, comparedColumns, type FilledSpan } from './compare.ts';
import {
  type CountedPeriods,
  compareValues,
  countLike,
  type Excluded,
  fewestEarlier,
  referenceOf,
} from './earlier-periods.ts';
import type { Explanation } from './explain.ts';
import { orderCount, whole } from './measures.ts';
import { turnoverMessages } from './messages.ts';
import { daysOf, type Question } from './question.ts';
import { holidayWarnings, unlikePeriods } from './unlike-periods.ts';

/** Makes the context of an answer: days, definitions, warnings, notes and sentences. */
export async function describeFigures(
  question: Question,
  figures: Comparison,
  explained: Explanation | undefined,
): Promise<Partial<AnswerContext>> {
  const { services, args, places, call } = question;
  const { spans, readings, measures, entries } = figures;
  const { location, shops = [] } = places;
  const [shop, ...otherShops] = shops;
  const hidden = shops.filter(({ id }) => !entries.some(({ subject }) => subject.id === id));
  const misplaced = await Promise.all(
    hidden.map(({ id }) => misplacedIds(services.reference, { shop_id: id }, call.signal)),
  );
  const contexts = readings.all.flatMap(({ reports }) =>
    reports.map(({ answer }) => answer.context),
  );
  // Definitions of a report are about its own figures, not about these rows.
  const { definitions: _, ...oldest } = contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b));
  const usual = describeUsual(question, figures);
  // Notes of periods that do not count tell why.
  const days = question.spans.flatMap(daysOf);
  const notes = latestNotes([...figures.notes, ...holidayNotes(days)], days);
  return {
    ...oldest,
    period: figures.period,
    reference_period: wholeReference(spans),
    resolved: {
      ...(location?.resolved && { location_id: location.resolved }),
      // The rows name shops, if there are several.
      ...(shop?.resolved && otherShops.length === 0 && { shop_id: shop.resolved }),
    },
    // A caller who chose measures knows that there are others.
    more: measures.others.length > 0 && !args.measures ? { measures: measures.others } : undefined,
    definitions: {
      ...usual?.definitions,
      ...definitionsOf(figures),
      ...(await coveredSubjects(question, figures)),
    },
    warnings: warningsOf(question, figures, [
      ...places.warnings,
      ...(usual?.warnings ?? []),
      ...misplaced.flat(),
    ]),
    usual: usual?.usual,
    summary: [...(usual?.summary ?? []), ...(explained?.summary ?? [])],
    notes: notes.length > 0 ? notes : undefined,
  };
}

function warningsOf(
  { by, places, size, spans: asked, call }: Question,
  { period, spans, readings, singles, measures, main, unread }: Comparison,
  others: readonly Warning[],
): Warning[] {
  const references = spans.flatMap((span) => referenceOf(span) ?? []);
  // A balance that differs matters only if payments are shown.
  const hasPayments = [...measures.chosen].some((name) => name.startsWith('direct_paid.'));
  const reportWarnings = [...spans.map((span) => span.period), ...references]
    .flatMap((days) => readings.on(days).reports)
    .flatMap(({ location: { name }, answer: { context } }) =>
      (context.warnings ?? [])
        .filter(({ code }) => hasPayments || code !== 'balance_differs')
        .map((warning) => (name ? { ...warning, about: name } : warning)),
    );
  const hasFigures = readings.all.some(({ figures }) => figures.length > 0);
  return distinctWarnings([
    ...periodWarnings(period, call.nowMs, asked.at(-1)?.others[0]),
    ...references.flatMap((days) => periodWarnings(days, call.nowMs)),
    ...(size ? cutWarnings(cutBuckets(period, size)) : []),
    ...unlikePeriods(spans, main),
    ...holidayWarnings(spans),
    ...reportWarnings,
    ...daysWithoutTrade(singles),
    ...measures.warnings,
    ...(unread ? [unread] : []),
    ...others,
    ...(hasFigures || places.shops ? [] : [turnoverMessages.no_rows({ by })]),
  ]);
}

/** The days that all spans together are compared with. */
function wholeReference(spans: Comparison['spans']): Period | undefined {
  const references = spans.flatMap((span) => referenceOf(span) ?? []);
  const [first, last] = [references.at(0), references.at(-1)];
  return first && last && { ...first, to: last.to };
}

function definitionsOf({ spans, entries }: Comparison): TextsByName {
  const isCompared = spans.some((span) => comparedColumns(span).length > 0);
  const definitions = entries.flatMap(({ measure, definition }) => {
    const isOfPoints = isCompared && isPercentage(measure);
    const text = isOfPoints
      ? 'is a percentage: its difference is in percentage points'
      : definition;
    return text ? [[measure, text] as const] : [];
  });
  const totals = entries.filter(({ subject }) => subject === whole);
  const added = totals.filter(({ isSum }) => isSum).map(({ measure }) => measure);
  const sums = added.length > 0 ? `, of ${added.join(', ')} the sum of the rows` : '';
  const total =
    added.length === totals.length ? 'is the sum of the rows' : `is the report's own${sums}`;
  return { ...Object.fromEntries(definitions), ...(totals.length > 0 && { total }) };
}

/** Tells how many of the key's shops or locations have rows; nothing to callers who may not read the list. */
async function coveredSubjects(
  { services, by, places: { shops }, call }: Question,
  { entries }: Comparison,
): Promise<TextsByName> {
  if (by !== 'shop' && by !== 'location') return {};
  const listed = await services.reference.listIfOpen(by, call.signal);
  if (listed === undefined) return {};
  const ids = new Set(entries.map(({ subject }) => subject.id));
  const rows = listed.filter(({ id }) => ids.has(id)).length;
  const total = shops?.length ?? listed.length;
  // A caller who chose shops knows that there are others.
  if (shops && rows === total) return {};
  const others = rows === total ? '' : '; the report has none of the others';
  return { [`${by}s`]: `${rows} of ${total} of this key${others}` };
}

/** Tells which earlier periods define what is usual, which do not count, and how the figures rank among them. */
function describeUsual({ by }: Question, { spans, main }: Comparison) {
  const [first, ...otherSpans] = spans;
  if (first?.like === undefined) return undefined;
  const isOne = otherSpans.length === 0;
  const isTotal = by === 'total';
  const isAlike = otherSpans.every(({ like }) => like === first.like);
  const like = isAlike ? first.like : 'earlier periods like each';
  const counted = first.others.map(({ from, to }) => ({ from, to }));
  const periods = { like, counted: counted.length, of: counted.length + first.excluded.length };
  const [latest, oldest] = [counted.at(0), counted.at(-1)];
  const range = latest && oldest ? `, ${sayDays({ from: oldest.from, to: latest.to })}` : '';
  const all = spans.flatMap(({ excluded }) => excluded);
  const excluded = [...new Map(all.map((period) => [sayDays(period), period])).values()];
  const few = spans.filter(({ others }) => others.length < fewestEarlier).length;
  const tooFew = { few, of: spans.length, earlier: isOne ? periods : undefined };
  const which = isOne ? countLike(periods) + range : like;
  return {
    definitions: {
      reference: `is the exact median of ${which}, low and high the lowest and the highest; rank counts from below, 1 is lower than all`,
    },
    usual: {
      like,
      periods: isOne ? counted : undefined,
      left_out: excluded.length > 0 ? excluded : undefined,
    },
    summary: [
      ...(isOne && isTotal ? figureAmongEarlier(first, main, periods) : []),
      ...(excluded.length > 0 ? [sayExcluded(excluded)] : []),
    ],
    warnings: [
      ...(few > 0 ? [turnoverMessages.too_few_periods(tooFew)] : []),
      ...(isTotal ? [] : [turnoverMessages.medians_of_parts()]),
    ],
  };
}

function figureAmongEarlier({ cells }: FilledSpan, main: string, earlier: CountedPeriods) {
  const { current, reference, low, high, of, rank } =
    cells.find(({ measure }) => measure === main) ?? compareValues(null, []);
  if (!current || !reference || !low || !high || of < fewestEarlier) return [];
  const write = (value: Decimal) => (main === orderCount ? String(plain(value)) : sayAmount(value));
  const usual = `usual ${write(reference)} (median of ${countLike(earlier)}, ${write(low)} to ${write(high)})`;
  const place = rank ? sayRank(rank, of) : 'as in all of these';
  return [`${main} ${write(current)}; ${usual}: ${place}.`];
}

/** The standing among all, the current one included: `lowest of 9`, `2nd highest of 9`. */
export function sayRank(rank: number, earlier: number): string {
  const all = earlier + 1;
  const fromAbove = all + 1 - rank;
  if (rank === fromAbove) return `in the middle of ${all}`;
  const [nth, end] = rank < fromAbove ? [rank, 'lowest'] : [fromAbove, 'highest'];
  const ordinal = ['', '2nd ', '3rd '][nth - 1] ?? `${nth}th `;
  return `${ordinal}${end} of ${all}`;
}

function sayExcluded(excluded: readonly Excluded[]): string {
  const reasons = [...groupBy(excluded, ({ reason }) => reason)].map(
    ([reason, periods]) => `${listFirst(periods.map(sayDays), 4)} (${reason})`,
  );
  return `Not counted: ${reasons.join('; ')}.`;
}

function holidayNotes(periods: readonly Days[]): DayNote[] {
  const ends = periods.flatMap(({ from, to }) => [from, to]).sort();
  const all = { from: ends[0] ?? '', to: ends.at(-1) ?? '' };
  return holidaysIn(all).map(({ day, name }) => ({ day, note: name }));
}

/** The latest fifty notes of the days that were read, each of 200 characters at most. */
export function latestNotes(notes: readonly DayNote[], periods: readonly Days[]): DayNote[] {
  const isRead = ({ day }: DayNote) => periods.some(({ from, to }) => from <= day && day <= to);
  const read = notes.filter(isRead).toSorted((a, b) => b.day.localeCompare(a.day));
  return read.slice(0, 50).map((note) => ({ ...note, note: quote(note.note, 200) }));
}
