/** What a caller says about days (a word, two dates, one date) and the range of days it stands for. */
import {
  addDays,
  addMonths,
  amsterdamDay,
  type Day,
  endOf,
  isDay,
  startOf,
  timezone,
} from './calendar.ts';
import { InputError } from './errors.ts';
import { quote } from './text.ts';

/** The words that stand for a period. `this_*` ends today, `last_N_days` ends yesterday. */
export const periodWords = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'this_quarter',
  'last_quarter',
  'this_year',
  'last_year',
  'last_7_days',
  'last_30_days',
  'last_90_days',
] as const;

export type PeriodWord = (typeof periodWords)[number];

/** Days from `from` up to and including `to`, in `timezone`; `given` is what the caller said. */
export interface Period {
  from: Day;
  to: Day;
  timezone: typeof timezone;
  /** Such as `last_week`, `yesterday` or `2026-11-01..yesterday`. */
  given: string;
}

/** What a caller may say: a word, or a first day with or without a last one. */
export interface PeriodInput {
  period?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** What the parameters are called, for the error texts; one that is left out is not on offer. */
export interface PeriodNames {
  period?: string;
  from: string;
  to?: string;
}

/**
 * The days that a caller asked for. `to` alone is refused, `from` alone is one day, and so is a
 * range with days in the future refused when all of it lies there; partly is let through, as asked.
 * @throws InputError naming the parameter, what came, what is accepted and an example.
 */
export function resolvePeriod(
  { period, from, to }: PeriodInput,
  nowMs: number,
  names: PeriodNames = { period: 'period', from: 'from', to: 'to' },
): Period {
  if (period !== undefined) {
    const word = names.period ?? 'period';
    if (from === undefined && to === undefined) return wordPeriod(period, nowMs, word);
    throw new InputError(
      `${word} and ${from === undefined ? names.to : names.from} came together. Give either ${word} or ${rangeNames(names)}, not both.`,
      word,
    );
  }
  if (from === undefined) throw missingFrom(to, nowMs, names);
  const first = resolveDay(from, nowMs, names.from, names.period);
  const last = to === undefined ? first : resolveDay(to, nowMs, names.to ?? 'to', names.period);
  const said = (text: string) => text.trim().toLowerCase();
  const given = to === undefined ? said(from) : `${said(from)}..${said(to)}`;
  if (first > last) {
    throw new InputError(
      `${names.from} (${first}) comes after ${names.to} (${last}). Give the earlier day as ${names.from}.`,
      names.from,
    );
  }
  refuseFuture(first, last, nowMs, names);
  return { from: first, to: last, timezone, given };
}

/**
 * The day meant by `YYYY-MM-DD`, `today` or `yesterday`.
 * @throws InputError naming the parameter, what came, what is accepted and an example.
 */
export function resolveDay(
  text: string,
  nowMs: number,
  parameter: string,
  periodParameter?: string,
): Day {
  const said = text.trim().toLowerCase();
  const today = amsterdamDay(nowMs);
  if (said === 'today') return today;
  if (said === 'yesterday') return addDays(today, -1);
  if (isDay(said)) return said;
  if (periodParameter !== undefined && isPeriodWord(said)) {
    throw new InputError(
      `${parameter}: "${said}" is a period, not a day. Give it as ${periodParameter}: "${said}" and leave ${parameter} out.`,
      parameter,
    );
  }
  const looksLikeDay = /^\d{4}-\d\d-\d\d$/.test(said);
  throw new InputError(
    `${parameter}: "${quote(text)}" ${looksLikeDay ? 'is a day that does not exist' : 'is not a day'}. Give YYYY-MM-DD, today or yesterday, for example ${parameter}: "${today}".`,
    parameter,
  );
}

/** Whether `text` is one of {@link periodWords}, in lower case. */
export function isPeriodWord(text: string): text is PeriodWord {
  return periodWords.some((word) => word === text);
}

/** The days of a period in words: `2026-11-19`, or `2026-11-01 to 2026-11-19`. */
export function sayDays({ from, to }: Pick<Period, 'from' | 'to'>): string {
  return from === to ? from : `${from} to ${to}`;
}

/** Whether every day of the period is over, so that its figures no longer grow by the hour. */
export function isClosed(period: Period, nowMs: number): boolean {
  return period.to < amsterdamDay(nowMs);
}

/** The first and last day that a period word stands for at the instant `nowMs`. */
export function daysOfWord(word: PeriodWord, nowMs: number): { from: Day; to: Day } {
  const today = amsterdamDay(nowMs);
  const yesterday = addDays(today, -1);
  const whole = (unit: 'week' | 'month' | 'quarter' | 'year', day: Day) => ({
    from: startOf(unit, day),
    to: endOf(unit, day),
  });
  switch (word) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: yesterday, to: yesterday };
    case 'this_week':
      return { from: startOf('week', today), to: today };
    case 'last_week':
      return whole('week', addDays(today, -7));
    case 'this_month':
      return { from: startOf('month', today), to: today };
    case 'last_month':
      return whole('month', addMonths(today, -1));
    case 'this_quarter':
      return { from: startOf('quarter', today), to: today };
    case 'last_quarter':
      return whole('quarter', addMonths(today, -3));
    case 'this_year':
      return { from: startOf('year', today), to: today };
    case 'last_year':
      return whole('year', addMonths(today, -12));
    case 'last_7_days':
      return { from: addDays(today, -7), to: yesterday };
    case 'last_30_days':
      return { from: addDays(today, -30), to: yesterday };
    case 'last_90_days':
      return { from: addDays(today, -90), to: yesterday };
  }
}

function wordPeriod(text: string, nowMs: number, parameter: string): Period {
  const word = text.trim().toLowerCase();
  if (isPeriodWord(word)) return { ...daysOfWord(word, nowMs), timezone, given: word };
  throw new InputError(
    `${parameter}: "${quote(text)}" is not a period. Give one of ${periodWords.join(', ')}.`,
    parameter,
  );
}

function missingFrom(to: string | undefined, nowMs: number, names: PeriodNames): InputError {
  const example = `${names.from}: "${amsterdamDay(nowMs)}"`;
  if (to !== undefined) {
    return new InputError(
      `${names.to} came without ${names.from}. Give the first day too, for example ${example}.`,
      names.from,
    );
  }
  const orWord = names.period ? `${names.period}: "yesterday", or ` : '';
  return new InputError(
    `${names.period ?? names.from} is missing: say which days, for example ${orWord}${example}.`,
    names.period ?? names.from,
  );
}

function refuseFuture(from: Day, to: Day, nowMs: number, names: PeriodNames): void {
  const today = amsterdamDay(nowMs);
  if (from <= today) return;
  const asked = from === to ? `${from} lies` : `${from} to ${to} lies wholly`;
  throw new InputError(
    `${names.from}: ${asked} in the future; today is ${today} in Amsterdam. Ask for days up to today.`,
    names.from,
  );
}

function rangeNames({ from, to }: PeriodNames): string {
  return to === undefined ? from : `${from} and ${to}`;
}
