/** What a caller says about days (a word, two dates, one date) and the range of days it stands for. */
import type { Days } from './buckets.ts';
import {
  addDays,
  addMonths,
  amsterdamDay,
  amsterdamIso,
  type CalendarUnit,
  type Day,
  endOf,
  isDay,
  startOf,
  timezone,
} from './calendar.ts';
import { InputError } from './errors.ts';
import { nearest } from './nearest.ts';
import { quoted } from './text.ts';
import { parseTimestamp, readTimestamp } from './timestamps.ts';

/** Days from `from` up to and including `to`, in `timezone`; `given` is what the caller said. */
export interface Period {
  from: Day;
  to: Day;
  timezone: typeof timezone;
  /** Such as `last_week`, `yesterday` or `2026-11-01..yesterday`. */
  given: string;
}

/** What a caller may say: a word, a day or a range as `period`, or a first day with or without a last one. */
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
    if (from === undefined && to === undefined) return namedPeriod(period, nowMs, word);
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
  if (periodParameter !== undefined && daysOfWord(said, nowMs)) {
    throw new InputError(
      `${parameter}: "${said}" is a period, not a day. Give it as ${periodParameter}: "${said}" and leave ${parameter} out.`,
      parameter,
    );
  }
  const looksLikeDay = /^\d{4}-\d\d-\d\d$/.test(said);
  throw new InputError(
    `${parameter}: ${quoted(text)} ${looksLikeDay ? 'is a day that does not exist' : 'is not a day'}. Give YYYY-MM-DD, today or yesterday, for example ${parameter}: "${today}".`,
    parameter,
  );
}

/** The days of a period in words: `2026-11-19`, or `2026-11-01 to 2026-11-19`. */
export function sayDays({ from, to }: Pick<Period, 'from' | 'to'>): string {
  return from === to ? from : `${from} to ${to}`;
}

/** Whether every day of the period is over, so that its figures no longer grow by the hour. */
export function isClosed(period: Period, nowMs: number): boolean {
  return period.to < amsterdamDay(nowMs);
}

/** What an analyst must know before using figures over a period that is not over: sentences. */
export function periodWarnings({ from, to }: Period, nowMs: number): string[] {
  const today = amsterdamDay(nowMs);
  const time = amsterdamIso(nowMs).slice('2026-11-20T'.length, '2026-11-20T14:05'.length);
  const warnings: string[] = [];
  if (from <= today && today <= to) {
    warnings.push(`Today (${today}) is not over: its figures run up to ${time} Amsterdam time.`);
  }
  if (to > today) {
    const first = from > today ? from : addDays(today, 1);
    const future = first === to ? `${to} lies` : `${first} to ${to} lie`;
    warnings.push(`${future} in the future: asked as given, expect no figures there yet.`);
  }
  return warnings;
}

function namedPeriod(text: string, nowMs: number, parameter: string): Period {
  const said = text.trim().toLowerCase();
  const days = daysOfWord(said, nowMs);
  if (days) return { ...days, timezone, given: said };
  const [first = '', last, ...more] = said.split('..');
  const isRange = last !== undefined && more.length === 0;
  const isDays = [first, last ?? first].every((part) => isDay(part) || daysOfWord(part, nowMs));
  if (isDays && more.length === 0)
    return resolvePeriod({ from: first, ...(isRange && { to: last }) }, nowMs, {
      from: parameter,
      to: parameter,
    });
  const meant = nearest(said, periodWords);
  throw new InputError(
    `${parameter}: ${quoted(text)} is not a period. ${meant ? `Did you mean ${meant}? ` : ''}Give ${sayPeriods(nowMs)}.`,
    parameter,
  );
}

/** What a period may be, with examples. */
function sayPeriods(nowMs: number): string {
  const today = amsterdamDay(nowMs);
  const range = `${startOf('month', today)}..${today}`;
  return `one of ${periodWords.join(', ')} (any N: last_14_days, last_8_weeks, last_3_months), a day such as ${today}, or a range such as ${range}`;
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

/**
 * Words that stand for a period. `this_*` ends today, `last_N_days` ends yesterday, `last_N_weeks`
 * and `last_N_months` are whole ones; {@link daysOfWord} knows them for any N.
 */
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

/** The first and last day that a word in small letters means at the instant `nowMs`, if any. */
export function daysOfWord(word: string, nowMs: number): Days | undefined {
  const today = amsterdamDay(nowMs);
  const yesterday = addDays(today, -1);
  switch (word) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: yesterday, to: yesterday };
  }
  const [, side, count, unit] = /^(this|last)_(?:([1-9]\d{0,3})_)?([a-z]+?)s?$/.exec(word) ?? [];
  if (side === 'last' && count !== undefined) return lastOf(Number(count), unit, word, today);
  if (count !== undefined || !isUnit(unit) || word.endsWith('s')) return undefined;
  if (side === 'this') return { from: startOf(unit, today), to: today };
  return wholeBefore(unit, 1, today);
}

function isUnit(word: string | undefined): word is CalendarUnit {
  return word === 'week' || word === 'month' || word === 'quarter' || word === 'year';
}

/** The days of `last_8_weeks`. */
function lastOf(count: number, unit: string | undefined, word: string, today: Day) {
  if (!word.endsWith('s')) return undefined;
  if (unit === 'day') return { from: addDays(today, -count), to: addDays(today, -1) };
  return unit === 'week' || unit === 'month' ? wholeBefore(unit, count, today) : undefined;
}

/** So many whole weeks, months, quarters or years, the last one that is over among them. */
function wholeBefore(unit: CalendarUnit, count: number, today: Day): Days {
  const first = startOf(unit, today);
  const months = { month: 1, quarter: 3, year: 12 };
  const from =
    unit === 'week' ? addDays(first, -7 * count) : addMonths(first, -months[unit] * count);
  return { from, to: endOf(unit, addDays(first, -1)) };
}

/**
 * What to send as `since` to a change feed (docs/platform.md#change-feeds). A period word becomes its
 * first day, a day stays a day (the platform reads it as Amsterdam midnight), a timestamp keeps its offset,
 * and one without an offset is Amsterdam time. A clock reading that occurs twice in October is the
 * earlier of the two, so that no change is missed; one that March skips is an hour later by the clock.
 * @throws InputError when it is none of these, or lies in the future.
 */
export function resolveSince(text: string, nowMs: number, parameter = 'since'): string {
  const said = text.trim();
  const word = said.toLowerCase();
  const days = daysOfWord(word, nowMs);
  if (days) return days.from;
  const parsed = parseTimestamp(said);
  const moment = readTimestamp(said);
  if (!parsed || !moment) {
    const example = amsterdamIso(nowMs);
    throw new InputError(
      `${parameter}: ${quoted(text)} is not a moment. Give YYYY-MM-DD, an ISO 8601 time such as "${example}" (without an offset it is Amsterdam time), or one of ${periodWords.join(', ')}.`,
      parameter,
    );
  }
  const { day, time, offset } = parsed;
  if (moment.ms > nowMs) {
    throw new InputError(
      `${parameter}: "${said}" lies in the future; it is now ${amsterdamIso(nowMs)} in Amsterdam. Give a moment in the past, for example ${parameter}: "${amsterdamDay(nowMs)}".`,
      parameter,
    );
  }
  if (!time) return day;
  return offset ? `${day}T${time}${offset}` : amsterdamIso(moment.ms);
}
