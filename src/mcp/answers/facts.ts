import type { DayNote, FinishedContext, ToolCall, WrittenTableUse } from '../../analysis/answer.ts';
import { amsterdamClock } from '../../core/calendar.ts';
import { isRecord } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import {
  countNoun,
  listFirst,
  neutralise,
  neutralJson,
  quote,
  sayArgument,
  sayCount,
  sentences,
  singular,
} from '../../core/text.ts';
import { profileLines } from './table.ts';

/** The first line of an answer: its tool, count of rows, days, and when its rows were read. */
export function headline(
  tool: string,
  context: FinishedContext,
  rows?: { shown: number; total: number; noun: string },
): string {
  const { period, reference_period: reference, source, account, cached, tables = [] } = context;
  const about = [
    rows && countRows(rows) + sayOrder(context),
    period && sayPeriod(period),
    reference && `against ${sayPeriod(reference)}`,
    // Each table of a statement says for itself whether it was cached.
    `as of ${sayMoment(context.as_of)}${cached && tables.length === 0 ? ' (cached)' : ''}`,
    account && `account: ${account}`,
    source === 'sandbox' && 'source: sandbox, invented figures',
  ];
  return `${tool}: ${about.filter(Boolean).join('; ')}`;
}

/**
 * The facts of an answer in words, a line each, by subject.
 * @param hasResults whether the reader can ask for kept rows by the id of their result
 */
export function sayFacts(context: FinishedContext, hasResults = true) {
  const { summary = [], notes = [], resolved = {}, since, left_open, definitions } = context;
  const { empty_days: empty, tables = [], more = {}, warnings = [] } = context;
  return {
    summary: [...summary.map(neutralise), ...(notes.length > 0 ? [sayDayNotes(notes)] : [])],
    /** Meanings of arguments (given or left out) and of figures. */
    meant: [
      ...Object.entries(resolved).map(([argument, name]) => sayName(argument, name)),
      ...(since && since.given !== since.instant
        ? [`since "${neutralise(since.given)}" is ${sayMoment(since.instant)}, Amsterdam time`]
        : []),
      ...entryLines({ ...left_open, ...definitions }),
      ...(empty ? [neutralise(empty.text)] : []),
    ],
    tables:
      tables.length > 0
        ? [`Read ${tables.map((use) => sayTable(use, hasResults)).join('; ')}.`]
        : [],
    /** Further values on the platform, by the argument that asks for them. */
    more: Object.entries(more).map(([argument, values]) => sayMore(argument, values)),
    warnings: warnings.map(sayWarning),
  };
}

export function sayWarning({ text }: Pick<Warning, 'text'>): string {
  return `Warning: ${neutralise(text)}`;
}

/** A person may want a file of so many rows. */
const manyRows = 100;

/**
 * Kept rows and the profile of their columns; each profile line begins with `- `, as no row does.
 * @param hasFiles whether the reader can have the rows as a file
 */
export function sayKept(
  { id, rows, expires_at: end, columns }: NonNullable<FinishedContext['result']>,
  labels: FinishedContext['labels'],
  { hasResults = true, hasFiles = false },
): string[] {
  const count = countNoun(rows, 'row');
  const heading = hasResults
    ? `Kept as ${id}: ${count} until ${sayMoment(end)}. Over all of them:`
    : `Over all ${count}:`;
  const file = `All ${count} as a file: export_rows ${neutralJson({ result_id: id })}`;
  return [
    heading,
    ...profileLines(columns, labels).map((line) => `- ${line}`),
    ...(hasResults && hasFiles && rows > manyRows ? [file] : []),
  ];
}

/** A line for each named text, neutralised because kept results come from Redis. */
export function entryLines(texts: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(texts).map(([name, text]) => neutralise(`${name} ${text}`));
}

/**
 * Whether rows are missing because they were not read or because they do not fit. The text is empty where a warning
 * already names the tables that were cut.
 */
export function describeMissing(
  { next, read, result, warnings }: Pick<FinishedContext, 'next' | 'read' | 'result' | 'warnings'>,
  shown: number,
  isAll = false,
): { incomplete: NonNullable<FinishedContext['incomplete']>; text: string } {
  const { rows = shown, of: total } = read ?? {};
  if (total === undefined || rows < total) {
    const exist = total === undefined ? 'more exist' : `${sayCount(total)} exist`;
    if (warnings?.some((warning) => 'why' in warning && warning.why === 'table_cut'))
      return { incomplete: 'rows_not_read', text: '' };
    const text = `Not read whole: ${countNoun(rows, 'row')} ${rows === 1 ? 'was' : 'were'} read, ${exist}; sums over them are not totals.`;
    return { incomplete: 'rows_not_read', text };
  }
  const text = sentences(
    `Read whole${result ? `, kept as ${result.id}` : ''}; ${sayCount(shown)} of ${countNoun(rows, 'row')} shown.`,
    next === undefined && 'Ask for fewer days or fields to see the others.',
    isAll && `With ${sayArgument('limit', 0)} the profile comes alone.`,
  );
  return { incomplete: 'rows_not_shown', text };
}

export function sayNext({ tool, arguments: args }: ToolCall): string {
  return `Next: ${tool} ${neutralJson(args)}`;
}

/** An ISO 8601 moment by Amsterdam's clock, to the second. */
export function sayMoment(iso: string): string {
  return amsterdamClock(iso) ?? iso;
}

/** The heading of the parts that `explain` gives. */
export function explainedHeading({ usual }: { usual?: unknown }): string {
  return usual
    ? 'Turnover incl. VAT in parts, each beside its own usual'
    : 'The difference of turnover incl. VAT in parts; each view adds up to it';
}

const maxNotes = 6;

function sayDayNotes(notes: readonly DayNote[]): string {
  const quotes = notes.slice(0, maxNotes).map(({ day, note, shop_id: shop }) => {
    return `${day}${shop === undefined ? '' : ` (shop ${shop})`} ${quote(note, 200)}`;
  });
  const more = notes.length > maxNotes ? `; and ${notes.length - maxNotes} more` : '';
  return `Notes: ${quotes.join('; ')}${more}`;
}

function sayName(
  argument: string,
  { given, id, name, note }: NonNullable<FinishedContext['resolved']>[string],
): string {
  const has = argument.endsWith('_id') ? 'is' : 'has the id';
  const meant =
    name === given
      ? `${argument} ${neutralise(given)} ${has} ${id}`
      : `${argument} "${neutralise(given)}" is ${neutralise(name)} (${id})`;
  return note === undefined ? meant : `${meant}, ${neutralise(note)}`;
}

function sayMore(argument: string, values: readonly string[]): string {
  const hint = values.length > 6 ? ' in context.more; a part of a name is enough' : '';
  return `Also there, by ${argument}: ${listFirst(values.map(neutralise), 6)}${hint}`;
}

function countRows({ shown, total, noun }: { shown: number; total: number; noun: string }): string {
  if (shown === 0) return total > 0 ? `${sayCount(total)} ${noun}, none shown` : `no ${noun}`;
  const all = total !== shown ? ` of ${sayCount(total)}` : '';
  return `${sayCount(shown)}${all} ${total === 1 ? singular(noun) : noun}`;
}

function sayOrder({ sorted }: FinishedContext): string {
  if (sorted === undefined) return '';
  const by = neutralise(sorted.by);
  if (sorted.first === 'a') return `, by ${by}`;
  return sorted.first === 'z' ? `, by ${by} descending` : `, ${sorted.first} ${by} first`;
}

function sayPeriod(period: Period): string {
  const { from, to, given } = period;
  const days = sayDays(period);
  return given === days || given === `${from}..${to}` ? days : `${days} (${given})`;
}

function sayTable(use: WrittenTableUse, hasResults: boolean): string {
  const { table, period, reference_period: reference, arguments: args, left_open = {} } = use;
  // A period already names these days.
  const days = [
    ...(period ? ['period', 'from', 'to', 'date'] : []),
    ...(reference ? ['against', 'against_from', 'against_to'] : []),
  ];
  const about = [
    period && sayDays(period),
    reference && `against ${sayDays(reference)}`,
    ...Object.entries(args)
      .filter(([name, value]) => value !== '' && (!days.includes(name) || Array.isArray(value)))
      .slice(0, 4)
      .map(([name, value]) => `${name} ${sayValue(value)}`),
    ...Object.entries(left_open).map(([name, text]) => `${name} ${text}`),
  ].filter(Boolean);
  const facts = [
    countNoun(use.rows, 'row'),
    use.complete ? 'whole' : 'more exist',
    use.empty_days?.text,
    use.cached ? `kept since ${sayMoment(use.as_of)}` : countNoun(use.calls, 'call'),
    use.kept && sayKeptLines(use.kept),
    hasResults && use.result,
  ].filter(Boolean);
  return `${about.length > 0 ? `${table} (${about.join(', ')})` : table}: ${facts.join(', ')}`;
}

function sayValue(value: unknown): string {
  if (isRecord(value)) return neutralJson(value);
  const values = Array.isArray(value) ? value : String(value).split(',');
  if (values.length > 12) return countNoun(values.length, 'value');
  return neutralise(values.length > 1 ? `[${values.join(', ')}]` : String(value));
}

/** Payments and shipments may change without moving an order's stamp, so the text says how old they may be. */
function sayKeptLines({ orders, of, since }: NonNullable<WrittenTableUse['kept']>): string {
  const read = since === undefined ? '' : ` and read since ${since.slice(0, 16).replace('T', ' ')}`;
  return `lines of ${sayCount(orders)} of ${sayCount(of)} orders kept${read}`;
}
