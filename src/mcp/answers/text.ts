/** What of an answer is said in which order, as text that is cheap to read: the words are in the catalogue. */
import type { DayNote, FinishedContext, ToolCall, WrittenTableUse } from '../../analysis/answer.ts';
import { readColumns } from '../../analysis/rows/rows.ts';
import { amsterdamClock } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Message, MessageOf } from '../../core/message.ts';
import { dataLine, neutralise, neutralJson, serverLine } from '../../core/text.ts';
import type { Reader } from './catalogue/reader.ts';
import { profileLines, textTable, writeTable } from './table.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** What the answer is, of which days and how fresh; of rows how many. */
    headline: {
      tool: string;
      rows?: { shown: number; total: number; noun: string } | undefined;
      context: FinishedContext;
    };
    name_meant: {
      argument: string;
      given: string;
      id: number;
      name: string;
      note?: string | undefined;
    };
    since_meant: { given: string; instant: string };
    empty_days: { count: number; days: readonly string[]; noun: string; isFiltered: boolean };
    day_notes: { notes: readonly DayNote[] };
    explained_parts: object;
    object_cut: { shown: number; of: number };
    tables_read: { tables: readonly WrittenTableUse[] };
    rows_kept: { id: string; rows: number; until: string };
    more_there: { argument: string; values: readonly string[] };
    rows_not_shown: {
      kept?: string | undefined;
      shown: number;
      rows: number;
      hasNext: boolean;
      /** The whole list was asked for, without a limit. */
      isAll?: true | undefined;
    };
    /** Rows that were not read: of how many, where that is known. */
    rows_not_read: { rows: number; of?: number | undefined };
    next_call: ToolCall;
  }
}

/** The most that one answer may hold, in characters of text and of JSON. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** The lines around the rows of an answer: those that are the same however many of its rows are shown. */
export function linesAround(
  context: FinishedContext,
  { count: _, total: __, start: ___, limit: ____, refusal, explained, ...envelope }: JsonObject,
  reader: Reader,
) {
  return {
    above: [
      ...(typeof refusal === 'string' ? [dataLine(neutralise(refusal))] : []),
      ...[...summaryLines(context, reader), ...resolvedLines(context, reader)].map(serverLine),
    ],
    below: [
      ...explainedLines(explained, reader),
      ...(Object.keys(envelope).length > 0 ? [neutralJson(envelope)] : []),
      ...tableLines(context, reader).map(serverLine),
    ],
    more: moreLines(context, reader).map(serverLine),
    end: warningLines(context).map(serverLine),
  };
}

/** A record or a report as text, its figures explained once they have been read. */
export function recordText(
  tool: string,
  payload: JsonObject,
  context: FinishedContext,
  reader: Reader,
): string {
  const { definitions, ...others } = context;
  return [
    reader.say({ code: 'headline', tool, context }),
    ...[...summaryLines(context, reader), ...resolvedLines(others, reader)].map(serverLine),
    ...objectLines(payload, context, reader),
    ...[...entryLines(definitions), ...moreLines(context, reader), ...warningLines(context)].map(
      serverLine,
    ),
  ].join('\n');
}

/** The summary of the figures, and the notes of the business on their days on one line. */
export function summaryLines(
  { summary = [], notes = [] }: FinishedContext,
  reader: Reader,
): string[] {
  const noted = notes.length > 0 ? [reader.say({ code: 'day_notes', notes })] : [];
  return [...summary.map(neutralise), ...noted];
}

/** What the arguments meant. */
export function resolvedLines(context: FinishedContext, reader: Reader): string[] {
  const { resolved = {}, since, left_open, definitions, empty_days: empty } = context;
  const meant: Message[] = Object.entries(resolved).map(([argument, it]) => {
    return { code: 'name_meant', argument, ...it };
  });
  if (since && since.given !== since.instant) meant.push({ code: 'since_meant', ...since });
  return [
    ...meant.map(reader.say),
    ...entryLines({ ...left_open, ...definitions }),
    ...(empty ? [empty.text] : []),
  ];
}

function entryLines(texts: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(texts).map(([name, text]) => `${name} ${text}`);
}

function explainedLines(explained: unknown, reader: Reader): string[] {
  const rows = Array.isArray(explained) ? explained.filter(isRecord) : [];
  if (rows.length === 0) return [];
  const table = textTable({ columns: readColumns(rows) });
  return [serverLine(`${reader.say({ code: 'explained_parts' })}.`), writeTable(table, reader)];
}

function objectLines(
  payload: JsonObject,
  { labels = {}, resolved = {} }: FinishedContext,
  reader: Reader,
) {
  const json = neutralJson(withClock(payload));
  const shown = limits.text - 4000;
  const legend = Object.entries(labels).flatMap(([idField, names]) => {
    const isKnown = ([id, name]: [string, string]) =>
      String(resolved[idField]?.id) === id || json.includes(neutralJson(name));
    const unknown = Object.entries(names).filter((pair) => !isKnown(pair));
    const pairs = unknown.map(([id, name]) => `${id} ${neutralise(name)}`);
    return pairs.length > 0 ? [dataLine(`${idField}: ${pairs.join(', ')}`)] : [];
  });
  if (json.length <= shown) return [json, ...legend];
  const cut = reader.say({ code: 'object_cut', shown, of: json.length });
  return [json.slice(0, shown), serverLine(cut), ...legend];
}

function withClock(value: unknown): unknown {
  if (typeof value === 'string') return amsterdamClock(value) ?? value;
  if (Array.isArray(value)) return value.map(withClock);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withClock(inner)]));
}

/** What a statement read, in one line: which tables, of which days, how many rows, whole or not. */
export function tableLines(
  { tables = [] }: Pick<FinishedContext, 'tables'>,
  reader: Reader,
): string[] {
  return tables.length > 0 ? [reader.say({ code: 'tables_read', tables })] : [];
}

/** Kept rows and their profile, whose lines begin as no row and no other line does. */
export function keptRowLines(
  { id, rows, expires_at: until, columns }: NonNullable<FinishedContext['result']>,
  labels: FinishedContext['labels'],
  reader: Reader,
): string[] {
  const profile = profileLines(columns, labels).map((line) => `- ${line}`);
  return [reader.say({ code: 'rows_kept', id, rows, until }), ...profile].map(serverLine);
}

/** What the platform also gives, by the argument that asks for it. */
export function moreLines({ more = {} }: FinishedContext, reader: Reader): string[] {
  return Object.entries(more).map(([argument, values]) =>
    reader.say({ code: 'more_there', argument, values }),
  );
}

/** What of the rows is not here: rows that were read and are not shown, or rows that were not read. */
export function restOf(
  { next, read, result }: Pick<FinishedContext, 'next' | 'read' | 'result'>,
  shown: number,
  isAll = false,
): MessageOf<'rows_not_read' | 'rows_not_shown'> {
  const { rows = shown, of } = read ?? {};
  if (of === undefined || rows < of) return { code: 'rows_not_read', rows, of };
  const hasNext = next !== undefined;
  return {
    code: 'rows_not_shown',
    kept: result?.id,
    shown,
    rows,
    hasNext,
    isAll: isAll || undefined,
  };
}

/** What a reader must not miss. */
export function warningLines({ warnings = [] }: Pick<FinishedContext, 'warnings'>): string[] {
  return warnings.map(({ text }) => `Warning: ${neutralise(text)}`);
}
