/** Resolves periods as callers write them: a word, a date, or two dates. */
import {
  addDays,
  amsterdamDay,
  amsterdamIso,
  bucketOf,
  type Day,
  type Days,
  endOf,
  isDay,
  startOf,
  timezone,
  unitsBefore,
} from './calendar.ts';
import { InputError } from './errors.ts';
import { type MessageOfRoom, messagesOf, type Warning } from './message.ts';
import { nearest } from './nearest.ts';
import { quoted, sayArgument, sentences } from './text.ts';

export const periodMessages = messagesOf({
  day_not_over: ({ today, time, isBesideWholeDays }: Unfinished) =>
    `Today (${today}) is not over: its figures run up to ${time} Amsterdam time${isBesideWholeDays ? ', against whole days' : ''}.`,
  in_future: ({ days }: { days: Days }) =>
    `In the future: ${sayDays(days)}. The request includes these days; expect no figures there yet.`,
  period_and_days: (_: { argument: string }) =>
    'period: it was given together with from or to. Give either period, or from and to.',
  days_missing: ({
    argument,
    firstDay,
    today,
  }: Record<'argument' | 'firstDay' | 'today', string>) =>
    `${argument} is missing. Say which days, for example ${[
      ...(argument === 'period' ? [sayArgument('period', 'yesterday')] : []),
      sayArgument(firstDay, today),
    ].join(' or ')}.`,
  not_a_period: ({ argument, given, nearest, today }: UnreadPeriod) =>
    sentences(
      `${argument}: ${quoted(given)} is not a period.`,
      nearest && `Did you mean ${nearest}?`,
      `Give one of ${periodWords.join(', ')} (any N: last_14_days, last_8_weeks, last_3_months), a day, week or month such as ${today}, ${bucketOf(today, 'week')} or ${bucketOf(today, 'month')}, or a range such as ${startOf('month', today)}..${today}.`,
    ),
  not_a_day: ({ argument, given, today }: Record<'argument' | 'given' | 'today', string>) => {
    const hint = argument === 'date' ? '' : '; a word such as last_week is a period';
    return `${argument}: ${quoted(given)} is no day of the calendar. Give YYYY-MM-DD, today or yesterday, for example ${sayArgument(argument, today)}${hint}.`;
  },
  days_reversed: ({ argument, days: { from, to } }: { argument: string; days: Days }) =>
    `${argument}: ${from} comes after ${to}. Give the earlier day first.`,
  days_in_future: ({ argument, days, today }: { argument: string; days: Days; today: Day }) =>
    `${argument}: ${sayDays(days)} lies in the future; today is ${today} in Amsterdam. Ask for days up to today.`,
});

type PeriodMessage = MessageOfRoom<typeof periodMessages>;

interface Unfinished {
  today: Day;
  /** By Amsterdam's clock: `14:05`. */
  time: string;
  /** Whether its figures are compared with those of whole days. */
  isBesideWholeDays?: boolean | undefined;
}

interface UnreadPeriod {
  argument: string;
  given: string;
  nearest?: string | undefined;
  today: Day;
}

export interface Period extends Days {
  timezone: typeof timezone;
  /** The caller's words: `last_week`, `yesterday`, `2026-11-01..yesterday`. */
  given: string;
}

/** Either `period` (a word, a day or a range), or `from` with or without `to`. */
export type PeriodInput = { [Part in 'period' | 'from' | 'to']?: string | undefined };

/** Names of the arguments in error texts. */
type Names = Partial<Record<'period', string>> & Record<'from' | 'to', string>;

const usualNames: Names = { period: 'period', from: 'from', to: 'to' };

/**
 * The days that a caller asked for. `from` alone is one day; `to` alone is refused, and so is a period that lies
 * wholly in the future.
 * @throws InputError naming the argument, its value, the values accepted and an example
 */
export function resolvePeriod(input: PeriodInput, nowMs: number, names = usualNames): Period {
  const { period, from, to } = input;
  const today = amsterdamDay(nowMs);
  if (period !== undefined) {
    if ((from ?? to) === undefined) return namedPeriod(period, today);
    throw refusal(periodMessages.period_and_days({ argument: 'period' }));
  }
  if (from !== undefined) return daysFrom(from, to, today, names);
  const argument = names.period ?? names.from;
  throw refusal(periodMessages.days_missing({ argument, firstDay: names.from, today }));
}

/** `2026-11-19`, or `2026-11-01 to 2026-11-19`. */
export function sayDays({ from, to }: Days): string {
  return from === to ? from : `${from} to ${to}`;
}

export function periodOf({ from, to }: Days): Period {
  return { from, to, timezone, given: sayDays({ from, to }) };
}

/**
 * Warns of a period that is not over.
 * @param comparedDays the days that it is compared with
 */
export function periodWarnings({ from, to }: Days, nowMs: number, comparedDays?: Days): Warning[] {
  const today = amsterdamDay(nowMs);
  const time = amsterdamIso(nowMs).slice('2026-11-20T'.length, '2026-11-20T14:05'.length);
  const warnings: Warning[] = [];
  const isBesideWholeDays = comparedDays && comparedDays.to < today;
  if (from <= today && today <= to)
    warnings.push(periodMessages.day_not_over({ today, time, isBesideWholeDays }));
  if (to > today) {
    const days = { from: from > today ? from : addDays(today, 1), to };
    warnings.push(periodMessages.in_future({ days }));
  }
  return warnings;
}

function namedPeriod(given: string, today: Day): Period {
  const word = normalise(given);
  const days = daysOfWord(word, today);
  if (days) {
    refuseFuture(days, today, 'period');
    return { ...days, timezone, given: bucketForm.test(word) ? word.toUpperCase() : word };
  }
  const [, from, to] = rangeForm.exec(word) ?? [];
  if (from) return daysFrom(from, to, today, { from: 'period', to: 'period' });
  const meant = nearest(word, periodWords);
  throw refusal(periodMessages.not_a_period({ argument: 'period', given, nearest: meant, today }));
}

function daysFrom(first: string, last: string | undefined, today: Day, names: Names): Period {
  const from = readDay(first, today, names.from);
  const to = last === undefined ? from : readDay(last, today, names.to);
  if (from > to)
    throw refusal(periodMessages.days_reversed({ argument: names.from, days: { from, to } }));
  refuseFuture({ from, to }, today, names.from);
  const given = last === undefined ? normalise(first) : `${normalise(first)}..${normalise(last)}`;
  return { from, to, timezone, given };
}

function refuseFuture({ from, to }: Days, today: Day, argument: string): void {
  if (from > today)
    throw refusal(periodMessages.days_in_future({ argument, days: { from, to }, today }));
}

function readDay(given: string, today: Day, name: string): Day {
  const day = normalise(given);
  const meant = isDay(day) ? day : dayOfWord(day, today);
  if (meant) return meant;
  throw refusal(periodMessages.not_a_day({ argument: name, given, today }));
}

function refusal(reason: Exclude<PeriodMessage, Warning>): InputError {
  return new InputError(reason, reason.argument);
}

/** Lower case, with Dutch days (`22-11-2026`) turned into ISO ones. */
function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/(?<!\d)(\d\d?)-(\d\d?)-(\d{4})(?!\d)/g, (_, day, month, year) =>
      [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    );
}

const units = ['week', 'month', 'quarter', 'year'] as const;

/** `last_monday` to `last_sunday`: the latest such day before today. */
const weekdayWords = ['mon', 'tues', 'wednes', 'thurs', 'fri', 'satur', 'sun'].map(
  (name) => `last_${name}day`,
);

/** `2026-11-01`, or `2026-11-01..yesterday`. */
const dayForm = `(today|yesterday|${weekdayWords.join('|')}|\\d{4}-\\d\\d-\\d\\d)`;
const rangeForm = new RegExp(`^${dayForm}(?:\\.\\.${dayForm})?$`);

/**
 * `this_*` ends today, `last_N_days` ends yesterday, `last_N_weeks` and `last_N_months` are whole ones.
 * {@link daysOfWord} takes any N.
 */
export const periodWords = [
  'today',
  'yesterday',
  ...units.flatMap((unit) => [`this_${unit}`, `last_${unit}`]),
  ...weekdayWords,
  'last_7_days',
  'last_30_days',
  'last_90_days',
];

function dayOfWord(word: string, today: Day): Day | undefined {
  if (word === 'today') return today;
  if (word === 'yesterday') return addDays(today, -1);
  const weekday = weekdayWords.indexOf(word);
  if (weekday === -1) return undefined;
  const day = addDays(startOf('week', today), weekday);
  return day < today ? day : addDays(day, -7);
}

/** A month or an ISO week in lower case: `2026-10`, `2026-w44`. */
const bucketForm = /^\d{4}-w?\d\d$/;

/** The days that a period word, a month or a week means. @param word in lower case */
export function daysOfWord(word: string, today: Day): Days | undefined {
  const day = dayOfWord(word, today);
  if (day) return { from: day, to: day };
  if (bucketForm.test(word)) {
    const label = word.toUpperCase();
    const unit = label.includes('W') ? 'week' : 'month';
    const from = startOf(unit, label);
    // No year has a month 13, and few have a week 53.
    const doesExist = isDay(from) && bucketOf(from, unit) === label;
    return doesExist ? { from, to: endOf(unit, from) } : undefined;
  }
  for (const unit of units) {
    if (word === `this_${unit}`) return { from: startOf(unit, today), to: today };
    if (word === `last_${unit}`) return unitsBefore(today, 1, unit);
  }
  const [, count, counted] = /^last_([1-9]\d{0,3})_(days|weeks|months)$/.exec(word) ?? [];
  const unit = (['day', 'week', 'month'] as const).find((unit) => counted === `${unit}s`);
  return unit && unitsBefore(today, Number(count), unit);
}
