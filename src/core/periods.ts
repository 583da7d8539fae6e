/** What a caller says about days (a word, two dates, one date) and the range of days it stands for. */
import {
  addDays,
  amsterdamDay,
  amsterdamIso,
  type Day,
  isDay,
  startOf,
  timezone,
} from './calendar.ts';
import { InputError } from './errors.ts';
import { nearest } from './nearest.ts';
import { daysOfWord, periodWords } from './period-words.ts';
import { quoted } from './text.ts';

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
