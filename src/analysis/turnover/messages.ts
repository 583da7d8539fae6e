/** Refusals of questions about turnover, and warnings about their figures. */
import { type BucketSize, type Days, lengthOf, weekdayOf } from '../../core/calendar.ts';
import type { Holiday } from '../../core/holidays.ts';
import { messagesOf } from '../../core/message.ts';
import { sayDays } from '../../core/periods.ts';
import { countNoun, listFirst, quote, sayArgument, sayCount, sentences } from '../../core/text.ts';
import type { FactSplit } from '../reference/facts.ts';
import { type CountedPeriods, countLike, fewestEarlier } from './earlier-periods.ts';

interface UnknownMeasure {
  tool: string;
  by: FactSplit;
  name: string;
  nearest?: string | undefined;
}

interface UnlikePeriods {
  period: Days & { given: string };
  reference: Days;
  /** How many of how many buckets are unlike; `period` is the first of them. */
  buckets?: { unlike: number; of: number } | undefined;
  /** A figure divided by the days of each, to the cent. */
  perDay?: Record<'measure' | 'current' | 'reference', string> | undefined;
}

/** Holidays that a period has and its reference lacks, and the other way round. */
type OneSidedHolidays = Record<'period' | 'reference', readonly Holiday[]>;

interface TooFewPeriods {
  few: number;
  of: number;
  earlier?: CountedPeriods | undefined;
}

export const turnoverMessages = messagesOf({
  // Questions that are refused
  shops_by_shop: ({ by }: { by: FactSplit }) =>
    `shop_id gives turnover ${sayArgument('by', 'shop')}, not ${sayArgument('by', by)}: leave one of the two out.`,
  explain_needs_reference:
    'explain needs a reference: give against, such as "usual" or "week_earlier".',
  two_references: 'against and against_from came together. Give one of the two.',
  too_many_buckets: ({ size, max }: { size: BucketSize; max: number }) =>
    `the period has more than ${max} buckets of a ${size}, the most that are read at once. Give a shorter period or a larger bucket.`,
  no_usual_of_period: ({ days, max }: { days: Days; max: number }) =>
    `${sayArgument('against', 'usual')} takes a calendar month or quarter, whole or from its first day on, or at most ${max} days; ${sayDays(days)} has ${lengthOf(days)}. Give such a period, or ${sayArgument('against', 'year_earlier')}.`,
  too_many_calls: (it: { calls: number; periods: number; each: number; max: number }) =>
    `this takes up to ${countNoun(it.calls, 'platform call')} (${countNoun(it.periods, 'period')}, ${it.each} for each), and ${sayCount(it.max)} is the most (COMMERCE_QUERY_MAX_CALLS). Nothing of it was read. Ask for fewer days, a larger bucket, or one location.`,

  // Measures
  unknown_measure: sayUnknownMeasure,
  unknown_measures: (it: UnknownMeasure & { measures: readonly string[] }) =>
    sentences(
      sayUnknownMeasure(it),
      `There are ${it.measures.slice(0, 30).join(', ')}.`,
      it.by !== 'total' && 'The report splits some measures only: without by there are more.',
    ),
  no_rows: ({ by }: { by: FactSplit }) => `The report carries no figures by ${by}.`,

  // Periods that are compared
  not_like_for_like: ({ period, reference, buckets, perDay }: UnlikePeriods) => {
    const where = buckets ? ` in ${buckets.unlike} of ${buckets.of} buckets, such as` : '';
    return sentences(
      `Not like for like${where}: ${period.given} is ${sayUnlike(period, reference)}.`,
      perDay && `A day of each: ${perDay.measure} ${perDay.current} against ${perDay.reference}.`,
    );
  },
  holidays_on_one_side: ({ period, reference }: OneSidedHolidays) => {
    const sides = Object.entries({ period, reference }).flatMap(([side, holidays]) =>
      holidays.length > 0 ? [`${sayHolidays(holidays)} in the ${side}`] : [],
    );
    return `Holidays on one side only: ${sides.join('; ')}.`;
  },
  too_few_periods: ({ few, of, earlier }: TooFewPeriods) => {
    const buckets = `${few} of ${countNoun(of, 'bucket')} have fewer than ${fewestEarlier}`;
    return `Too few earlier periods to call anything usual: ${earlier ? countLike(earlier) : buckets}.`;
  },
  medians_of_parts: 'Medians of parts do not add up to the median of the whole.',
});

function sayUnknownMeasure({ tool, by, name, nearest }: UnknownMeasure): string {
  return sentences(
    `${tool}: no measure${by === 'total' ? '' : ` by ${by}`} is called "${quote(name)}".`,
    nearest && `Did you mean ${nearest}?`,
  );
}

function sayHolidays(holidays: readonly Holiday[]): string {
  return listFirst(
    holidays.map(({ day, name }) => `${name} (${day})`),
    8,
  );
}

function sayUnlike(days: Days, reference: Days): string {
  const [count, other] = [lengthOf(days), lengthOf(reference)];
  return count === other
    ? `${sayWeekdays(days)} against ${sayWeekdays(reference)}`
    : `${count} days against ${other} in ${sayDays(reference)}`;
}

function sayWeekdays({ from, to }: Days): string {
  const first = weekdayOf(from);
  const count = lengthOf({ from, to });
  if (count > 7) return `${count} days from ${first}`;
  return count === 1 ? first : `${first} to ${weekdayOf(to)}`;
}
