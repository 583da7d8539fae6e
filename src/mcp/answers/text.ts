/** What of an answer is said in which order, as text that is cheap to read: the words are in the catalogue. */
import type { DayNote, FinishedContext, ToolCall, WrittenTableUse } from '../../analysis/answer.ts';
import { amsterdamClock } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Message, MessageOf } from '../../core/message.ts';
import { dataLine, neutralise, neutralJson, serverLine } from '../../core/text.ts';
import type { Reader } from './catalogue/reader.ts';

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

/** What the facts of an answer say in words, by what they are about; each text is a line. */
export function sayFacts(context: FinishedContext, { say }: Reader) {
  const { summary = [], notes = [], resolved = {}, since, left_open, definitions } = context;
  const { empty_days: empty, tables = [], more = {}, warnings = [] } = context;
  const meant: Message[] = Object.entries(resolved).map(([argument, it]) => {
    return { code: 'name_meant', argument, ...it };
  });
  if (since && since.given !== since.instant) meant.push({ code: 'since_meant', ...since });
  return {
    summary: [
      ...summary.map(neutralise),
      ...(notes.length > 0 ? [say({ code: 'day_notes', notes })] : []),
    ],
    /** What the arguments meant, those that were left out too, and the figures. */
    meant: [
      ...meant.map(say),
      ...entryLines({ ...left_open, ...definitions }),
      ...(empty ? [empty.text] : []),
    ],
    /** What a statement read. */
    tables: tables.length > 0 ? [say({ code: 'tables_read', tables })] : [],
    /** What the platform also gives, by the argument that asks for it. */
    more: Object.entries(more).map(([argument, values]) =>
      say({ code: 'more_there', argument, values }),
    ),
    warnings: warnings.map(({ text }) => `Warning: ${neutralise(text)}`),
  };
}

function entryLines(texts: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(texts).map(([name, text]) => `${name} ${text}`);
}

/** A record or a report as text, its figures explained once they have been read. */
export function recordText(
  tool: string,
  payload: JsonObject,
  context: FinishedContext,
  reader: Reader,
): string {
  const { definitions, ...others } = context;
  const { summary, meant, more, warnings } = sayFacts(others, reader);
  return [
    reader.say({ code: 'headline', tool, context }),
    ...[...summary, ...meant].map(serverLine),
    ...objectLines(payload, context, reader),
    ...[...entryLines(definitions), ...more, ...warnings].map(serverLine),
  ].join('\n');
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
