/** Warnings about periods that are not alike: their length, their weekdays and their holidays. */
import { type Days, lengthOf, weekdayOf } from '../../core/calendar.ts';
import { isOfParts } from '../../core/column-name.ts';
import { type Holiday, holidaysIn } from '../../core/holidays.ts';
import type { Warning } from '../../core/message.ts';
import { type Decimal, sayAmount } from '../../core/money.ts';
import type { FilledSpan } from './compare.ts';
import { isWholeUnits, referenceOf } from './earlier-periods.ts';
import { turnoverMessages } from './messages.ts';
import type { Span } from './question.ts';

/**
 * Warns of the first period whose length or weekdays differ from its reference.
 * @param main the measure that is also given per day of each period if their lengths differ
 */
export function unlikePeriods(
  spans: readonly (Span & Pick<FilledSpan, 'cells'>)[],
  main: string,
): Warning[] {
  const unlike = spans.flatMap((span) => {
    const { from, to, given } = span.period;
    const reference = referenceOf(span);
    if (!reference || !isUnlike({ from, to }, reference)) return [];
    return { period: { from, to, given }, reference: { from: reference.from, to: reference.to } };
  });
  const [first] = unlike;
  if (!first) return [];
  const [span, ...otherSpans] = spans;
  const isOne = otherSpans.length === 0;
  const buckets = isOne ? undefined : { unlike: unlike.length, of: spans.length };
  const isOfLength = lengthOf(first.reference) === lengthOf(first.period);
  const perDay = span && isOne && !isOfLength ? figurePerDay(span.cells, first, main) : undefined;
  return [turnoverMessages.not_like_for_like({ ...first, buckets, perDay })];
}

function isUnlike(days: Days, reference: Days): boolean {
  const length = lengthOf(days);
  if (length !== lengthOf(reference)) return true;
  const isMonths = isWholeUnits('month', days) && isWholeUnits('month', reference);
  return !isMonths && length % 7 !== 0 && weekdayOf(days.from) !== weekdayOf(reference.from);
}

/** A measure divided by the days of each period; undefined for percentages, averages and split figures. */
function figurePerDay(
  cells: FilledSpan['cells'],
  { period, reference }: Record<'period' | 'reference', Days>,
  measure: string,
) {
  const cell = cells.find((each) => each.measure === measure && each.subject.id === undefined);
  if (!cell?.current || !cell.reference || isOfParts(measure)) return undefined;
  const perDay = (value: Decimal, days: Days) =>
    sayAmount(value.div(lengthOf(days)).toDecimalPlaces(2));
  return {
    measure,
    current: perDay(cell.current, period),
    reference: perDay(cell.reference, reference),
  };
}

/**
 * Warns of holidays on one side of a comparison. Against several earlier periods, these are the holidays of the period
 * that most of the others lack.
 */
export function holidayWarnings(spans: readonly Span[]): Warning[] {
  const sides = spans.map((span) => {
    const others = span.others.map(holidaysIn);
    const own = holidaysIn(span.period);
    const isMissing = ({ name }: Holiday) =>
      others.filter((holidays) => hasName(holidays, name)).length * 2 < others.length;
    const isExtra = ({ name }: Holiday) => span.like === undefined && !hasName(own, name);
    return { period: own.filter(isMissing), reference: others.flat().filter(isExtra) };
  });
  const period = sides.flatMap((side) => side.period);
  const reference = sides.flatMap((side) => side.reference);
  if (period.length + reference.length === 0) return [];
  return [turnoverMessages.holidays_on_one_side({ period, reference })];
}

function hasName(holidays: readonly Holiday[], name: string): boolean {
  return holidays.some((holiday) => holiday.name === name);
}
