/** Single days that explain why figures differ: holidays, days without trade. */
import { buckets, type Day, type Days, lengthOf, weekdayOf } from '../../core/calendar.ts';
import { type Holiday, holidaysIn } from '../../core/holidays.ts';
import type { Warning } from '../../core/message.ts';
import { zero } from '../../core/money.ts';
import { type DayReport, daysWithin } from '../endpoint/day-reports.ts';
import { readFacts } from '../reference/facts.ts';
import { turnoverMessages } from './messages.ts';
import { daysOf, type Question, type Span } from './question.ts';
import type { Readings } from './readings.ts';
import { type TurnoverPart, wholeTurnover } from './split-turnover.ts';

/**
 * Warns of holidays on one side of a comparison. Against several earlier periods, these are the holidays of the period
 * that most of the others lack.
 */
export function holidayWarnings(
  spans: readonly (Span & { counted: readonly Days[] })[],
): Warning[] {
  const sides = spans.map(({ period, reference, counted }) => {
    const others = (reference ? [reference] : counted).map(holidaysIn);
    const own = holidaysIn(period);
    const isMissing = ({ name }: Holiday) =>
      others.filter((holidays) => hasName(holidays, name)).length * 2 < others.length;
    const isExtra = ({ name }: Holiday) => reference !== undefined && !hasName(own, name);
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

/** The days of an explained week and of the eight before it. */
const maxExplainedDays = 63;

/**
 * The days to read one by one, by a report each: every day of an explained comparison, otherwise at most two weeks, of
 * the periods that lack half a day's turnover compared with the best one.
 */
export function singleDays(
  { args, call }: Question,
  spans: readonly Span[],
  readings: Readings,
): Day[] {
  const sides = spans.flatMap(({ period, reference }) =>
    reference ? [period, reference] : period,
  );
  const all = spans.flatMap(daysOf);
  if (args.explain) {
    const days = daysWithin(all, call.nowMs, maxExplainedDays);
    return days.length > 0 ? days : daysWithin(sides, call.nowMs, maxExplainedDays);
  }
  // The cost of a statement is known before it is read.
  if (call.statementDeadline) return [];
  const facts = all.map((days) => readings.on(days).reports.flatMap((report) => report.facts));
  const values = wholeTurnover(facts) ?? [];
  const perDay = new Map(all.map((days, at) => [days, (values[at] ?? zero).div(lengthOf(days))]));
  const perDayOf = (days: Days) => perDay.get(days) ?? zero;
  const [best = zero] = [...perDay.values()].sort((a, b) => b.cmp(a));
  const doubtful = sides
    .filter((days) => perDayOf(days).lte(best.times(1 - 0.5 / lengthOf(days))))
    .sort((a, b) => perDayOf(a).cmp(perDayOf(b)));
  const days = new Set<Day>();
  for (const side of doubtful) {
    const ofSide = daysWithin([side], call.nowMs);
    if (days.size + ofSide.length <= maxDoubtfulDays) for (const day of ofSide) days.add(day);
  }
  return [...days];
}

const maxDoubtfulDays = 14;

/**
 * The days of a period, each with its turnover and that of the same day of every other period. Empty if weekdays differ
 * or a day was not read.
 */
export function dayParts(
  periods: readonly Days[],
  reports: readonly Pick<DayReport, 'day' | 'payload'>[],
  shops: ReadonlySet<number> | undefined,
): TurnoverPart[] {
  const payloadByDay = new Map(reports.map(({ day, payload }) => [day, payload]));
  const kindOf = (days: Days) => `${lengthOf(days)} ${weekdayOf(days.from)}`;
  const isAlike = new Set(periods.map(kindOf)).size === 1;
  const days = isAlike ? periods.map((period) => buckets(period, 'day')) : [];
  const payloads = days.flat().map(({ bucket }) => payloadByDay.get(bucket));
  if (payloads.includes(undefined)) return [];
  const values = wholeTurnover(payloads.map(readFacts), shops);
  if (!values) return [];
  const [own = []] = days;
  return own.map(({ bucket: day }, at) => ({
    part: `${weekdayOf(day).slice(0, 3)} ${day}`,
    day,
    values: days.map((_, nth) => values[nth * own.length + at] ?? zero),
  }));
}
