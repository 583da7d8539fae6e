import type { FinishedAnswer, FinishedContext, TableUse } from '../../analysis/answer.ts';
import { readColumns } from '../../analysis/rows/rows.ts';
import { amsterdamClock } from '../../core/calendar.ts';
import { isRecord, type JsonObject, toText } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import {
  countNoun,
  dataLine,
  listFirst,
  neutralise,
  neutralJson,
  quote,
  sayCount,
  serverLine,
} from '../../core/text.ts';
import { profileLines, textTable } from './table.ts';

/** The most that one answer may hold, in characters of text and of JSON. */
export const limits = { text: 24_000, json: 60_000 } as const;

/**
 * An answer as text that is cheap to read: what it is, the rows or the object, then what to know about it.
 * @param table the rows shown, as text
 */
export function writeText(tool: string, finished: FinishedAnswer, table: string): string {
  const { context, rows, payload } = finished;
  const { count: _, total: __, start: ___, limit: ____, refusal, explained, ...envelope } = payload;
  const { definitions = {}, ...undefinedFigures } = context;
  const lines = [
    headline(tool, finished),
    dataLine(neutralise(toText(refusal))),
    ...summaryLines(context).map(serverLine),
    ...resolvedLines(rows ? context : undefinedFigures).map(serverLine),
    ...(rows ? [table] : objectLines(payload, context)),
    // What figures of an object mean is said once they have been read.
    ...(rows ? [] : entryLines(definitions).map(serverLine)),
    ...explainedLines(explained),
    ...(rows && Object.keys(envelope).length > 0 ? [neutralJson(envelope)] : []),
    ...[
      ...tableLines(context),
      ...resultLines(context),
      ...moreLines(context),
      ...(context.complete === false ? [restLine(context, rows?.length ?? 0)] : []),
      ...warningLines(context),
    ].map(serverLine),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** What the answer is, of which days and how fresh. */
export function headline(tool: string, { noun, context, rows, total }: FinishedAnswer): string {
  const { period, reference_period: reference, source, account, cached } = context;
  const about = [
    ...(rows === undefined ? [] : [countPhrase(rows.length, total, noun) + sayOrder(context)]),
    ...(period === undefined ? [] : [periodPhrase(period)]),
    ...(reference === undefined ? [] : [`against ${periodPhrase(reference)}`]),
    `as of ${sayAsOf(context)}${cached ? ' (cached)' : ''}`,
    ...(account === undefined ? [] : [`account: ${account}`]),
    ...(source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
  ];
  return `${tool}: ${about.join('; ')}`;
}

/** When it was read; of tables that were read at different times, when the first of them was. */
function sayAsOf({ as_of, tables = [] }: FinishedContext): string {
  const isOldest = tables.some((table) => table.as_of !== as_of);
  return `${sayMoment(as_of)}${isOldest ? ' (oldest part)' : ''}`;
}

function sayMoment(iso: string): string {
  return amsterdamClock(iso) ?? iso;
}

function countPhrase(shown: number, total: number | undefined, noun: string): string {
  if (shown === 0) return total ? `${sayCount(total)} ${noun}, none shown` : `no ${noun}`;
  const all = total !== undefined && total !== shown ? ` of ${sayCount(total)}` : '';
  // `shops` -> `shop`, `matches` -> `match`.
  const counted = (total ?? shown) === 1 ? noun.replace(/(?<=ch|sh|x)es$|s$/, '') : noun;
  return `${sayCount(shown)}${all} ${counted}`;
}

function sayOrder({ sorted }: FinishedContext): string {
  if (sorted === undefined) return '';
  const by = neutralise(sorted.by);
  if (sorted.first === 'a') return `, by ${by}`;
  return sorted.first === 'z' ? `, by ${by} descending` : `, ${sorted.first} ${by} first`;
}

function periodPhrase(period: Period): string {
  const { from, to, given } = period;
  const days = sayDays(period);
  return given === days || given === `${from}..${to}` ? days : `${days} (${given})`;
}

const maxNotes = 6;

/** The summary of the figures, and the notes of the business on their days on one line. */
export function summaryLines({ summary = [], notes = [] }: FinishedContext): string[] {
  const quoted = notes.slice(0, maxNotes).map(({ day, note, shop_id: shop }) => {
    const where = shop === undefined ? '' : ` (shop ${shop})`;
    return `${day}${where} ${quote(note, 200)}`;
  });
  const more = notes.length > maxNotes ? `; and ${notes.length - maxNotes} more` : '';
  const line = quoted.length > 0 ? [`Notes: ${quoted.join('; ')}${more}`] : [];
  return [...summary.map(neutralise), ...line];
}

/** What the parts of a difference are. */
export const explainedHeading =
  'The difference of turnover incl. VAT in parts; each view adds up to it';

function explainedLines(explained: unknown): string[] {
  const rows = Array.isArray(explained) ? explained.filter(isRecord) : [];
  if (rows.length === 0) return [];
  return [serverLine(`${explainedHeading}.`), textTable({ columns: readColumns(rows) }).text()];
}

/** What the arguments meant. */
export function resolvedLines(context: FinishedContext): string[] {
  const { resolved = {}, since, left_open = {}, definitions = {}, empty_days: empty } = context;
  return [
    ...Object.entries(resolved).map(([name, { given, id, name: called, note }]) => {
      const has = name.endsWith('_id') ? 'is' : 'has the id';
      const meant =
        called === given
          ? `${name} ${neutralise(given)} ${has} ${id}`
          : `${name} "${neutralise(given)}" is ${neutralise(called)} (${id})`;
      return note === undefined ? meant : `${meant}, ${neutralise(note)}`;
    }),
    ...(since && since.given !== since.instant
      ? [`since "${neutralise(since.given)}" is ${sayMoment(since.instant)}`]
      : []),
    ...entryLines({ ...left_open, ...definitions }),
    ...(empty ? [empty.text] : []),
  ];
}

function entryLines(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).map(([name, text]) => `${name} ${text}`);
}

/** An object as compact JSON, and the names of ids that it does not give itself. */
function objectLines(payload: JsonObject, { labels = {}, resolved = {} }: FinishedContext) {
  const json = neutralJson(withClock(payload));
  const most = limits.text - 4000;
  const cut = `Cut: ${most} of ${json.length} characters; structuredContent has all of it. Ask for less: one location or a shorter period.`;
  const legend = Object.entries(labels).flatMap(([idField, names]) => {
    const isKnown = ([id, name]: [string, string]) =>
      String(resolved[idField]?.id) === id || json.includes(neutralJson(name));
    const unknown = Object.entries(names).filter((pair) => !isKnown(pair));
    const pairs = unknown.map(([id, name]) => `${id} ${neutralise(name)}`);
    return pairs.length > 0 ? [dataLine(`${idField}: ${pairs.join(', ')}`)] : [];
  });
  return [...(json.length <= most ? [json] : [json.slice(0, most), serverLine(cut)]), ...legend];
}

function withClock(value: unknown): unknown {
  if (typeof value === 'string') return amsterdamClock(value) ?? value;
  if (Array.isArray(value)) return value.map(withClock);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withClock(inner)]));
}

/** What a statement read, in one line: which tables, of which days, how many rows, whole or not. */
export function tableLines({ tables = [] }: Pick<FinishedContext, 'tables'>): string[] {
  return tables.length > 0 ? [`Read ${tables.map(sayTable).join('; ')}.`] : [];
}

function sayTable(use: TableUse): string {
  const { table, period, reference_period: reference, arguments: args } = use;
  // The periods say the days better.
  const days = [
    ...(period ? ['period', 'from', 'to', 'date'] : []),
    ...(reference ? ['against', 'against_from', 'against_to'] : []),
  ];
  const named = Object.entries(args)
    .filter(([name, value]) => value !== '' && (!days.includes(name) || Array.isArray(value)))
    .slice(0, 4)
    .map(([name, value]) => `${name} ${sayValue(value)}`);
  const about = [
    ...(period ? [sayDays(period)] : []),
    ...(reference ? [`against ${sayDays(reference)}`] : []),
    ...named,
    ...entryLines(use.left_open ?? {}),
  ];
  const facts = [
    countNoun(use.rows, 'row'),
    use.complete ? 'whole' : 'not whole: more exist',
    ...(use.empty_days ? [use.empty_days.text] : []),
    use.cached ? `kept since ${sayMoment(use.as_of)}` : countNoun(use.calls, 'call'),
    ...(use.kept ? [sayKept(use.kept)] : []),
    ...(use.result ? [use.result] : []),
  ];
  const called = about.length > 0 ? `${table} (${about.join(', ')})` : table;
  return `${called}: ${facts.join(', ')}`;
}

/** An argument: of a long list, how many values there are. */
function sayValue(value: unknown): string {
  if (isRecord(value)) return neutralJson(value);
  const values = Array.isArray(value) ? value : String(value).split(',');
  if (values.length > 12) return countNoun(values.length, 'value');
  return neutralise(values.length > 1 ? `[${values.join(', ')}]` : String(value));
}

/** Payments and shipments need not move an order's stamp, so it says how old they may be. */
function sayKept({ orders, of, since }: NonNullable<TableUse['kept']>): string {
  const read = since === undefined ? '' : ` and read since ${since.slice(0, 16).replace('T', ' ')}`;
  return `lines of ${sayCount(orders)} of ${sayCount(of)} orders kept${read}`;
}

/** Kept rows and their profile, whose lines begin as no row and no other line does. */
function resultLines({ result, labels }: FinishedContext): string[] {
  if (result === undefined) return [];
  const { id, rows, expires_at, columns } = result;
  return [
    `Kept as ${id}: ${countNoun(rows, 'row')} until ${sayMoment(expires_at)}. Over all of them:`,
    ...profileLines(columns, labels).map((line) => `- ${line}`),
  ];
}

const maxMore = 20;

/** What the platform also gives, by the argument that asks for it. */
export function moreLines({ more = {} }: FinishedContext): string[] {
  return Object.entries(more).map(([argument, values]) => {
    return `Also there, by ${argument}: ${listFirst(values.map(neutralise), maxMore)}`;
  });
}

function restLine(context: FinishedContext, shown: number): string {
  const { tool, arguments: args } = context.next ?? {};
  return sayRest(context, shown) + (tool ? ` Next: ${tool} ${neutralJson(args)}` : '');
}

/** What of the rows is not here: rows that were read and are not shown, or rows that were not read. */
export function sayRest({ next, read, result }: FinishedContext, shown: number): string {
  const { rows = shown, of } = read ?? {};
  if (of !== undefined && rows >= of) {
    const kept = result === undefined ? '' : `, kept as ${result.id}`;
    const how = next === undefined ? ' Ask for fewer days or fields to see the others.' : '';
    return `Read whole${kept}; ${sayCount(shown)} of ${countNoun(rows, 'row')} shown.${how}`;
  }
  const all = of === undefined ? 'more exist' : `${sayCount(of)} exist`;
  const were = rows === 1 ? 'was' : 'were';
  return `Not read whole: ${countNoun(rows, 'row')} ${were} read, ${all}; totals over them are not totals.`;
}

/** What a reader must not miss. */
export function warningLines({ warnings = [] }: Pick<FinishedContext, 'warnings'>): string[] {
  return warnings.map(({ text }) => `Warning: ${neutralise(text)}`);
}
