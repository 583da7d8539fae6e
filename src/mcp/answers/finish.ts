/** Rows as both channels have them: named, as many as fit, the others kept. */
import { setImmediate } from 'node:timers/promises';
import type { FinishedContext, RowsAnswer, ToolCall } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { readRows } from '../../analysis/read-rows.ts';
import { labelPayload, spaceOf } from '../../analysis/reference/reference.ts';
import { resultUri } from '../../analysis/results/store.ts';
import {
  type ColumnProfile,
  maxProfiles,
  profileColumns,
} from '../../analysis/rows/column-profile.ts';
import { type Columns, type Row, readColumns, readingColumns } from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { fieldOf, isLinkName } from '../../core/column-name.ts';
import { hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { dataLine, neutralise, neutralJson, serverLine } from '../../core/text.ts';
import { finishContext, warningMessages } from './context.ts';
import { describeMissing, headline, sayExplained, sayFacts, sayNext } from './facts.ts';
import {
  blockTable,
  chooseColumns,
  clockOf,
  namesColumnsBy,
  requestedColumns,
  textTable,
  writeTable,
} from './table.ts';

/** The most that one answer may hold, in characters of text and of JSON. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** The tool that was called, and what its answer is finished with. */
export interface FinishSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input'>;
  services: Services;
  signal?: AbortSignal | undefined;
  /** Whether kept rows outlive the answer, so that it may name their result. @default true */
  hasResults?: boolean;
}

/** Rows of which everything is decided, in both channels. */
export interface FinishedRows {
  payload: JsonObject;
  rows: readonly Row[];
  context: FinishedContext;
  text: string;
}

/**
 * Decides all that rows say: reads the names of their ids, shows as many as fit both channels, and keeps the others.
 * @throws {InputError} for a requested column that no row has.
 */
export async function finishRows(
  settings: FinishSettings,
  answer: RowsAnswer,
): Promise<FinishedRows> {
  const page = await readPage(settings, answer);
  const { length } = page.rows;
  const layOutKept = async () =>
    layOut(settings, answer, page, await keepRows(settings, answer, page));
  const isKept = answer.keep || length < answer.rows.length;
  const first = isKept ? await layOutKept() : layOut(settings, answer, page, {});
  if (length === 0 || first.fitting(length) === length) return first.show(length);
  // What is cut is kept, and to say so takes room, too.
  const cut = isKept ? first : await layOutKept();
  return cut.show(Math.min(length - 1, cut.fitting(0)));
}

/** The first rows that either channel could hold, as a table with names. */
async function readPage({ tool, services, signal }: FinishSettings, answer: RowsAnswer) {
  const { rows: all, wanted, refusal, ofStatement, blocks } = answer;
  const requested = requestedColumns(answer);
  const chosen = chooseColumns(answer);
  const { rows, columns, rowLengths } = choosePage(chosen.slice(0, wanted?.count));
  const described = rows.length < all.length ? await describedColumns(chosen) : columns;
  // A profile names the ids of all rows; what lies deeper in a row is named where the row is shown.
  const idValues = [...columns, ...described].flatMap(([name, cells]) => {
    const idField = fieldOf(name);
    const seen = spaceOf(idField) ? cells : cells.slice(0, rows.length);
    return ofStatement?.misnamed.includes(name) ? [] : [{ [idField]: seen }];
  });
  const payload: JsonObject = { ...answer.payload, ...(refusal && { refusal }) };
  const { labels, warnings } = await labelPayload(services, [payload, idValues], signal);
  const input = {
    labels,
    requested,
    namedBy: namesColumnsBy(tool),
    isMentioned: (name: string) => ofStatement?.mentioned.has(name.toLowerCase()) === true,
  };
  const table = blocks
    ? blockTable(rows, { by: blocks.by, ends: endsOf(answer) }, input)
    : textTable({ ...input, columns });
  const lengths = table.lines.map((line, row) => ({
    text: line.length + 1,
    json: (rowLengths[row] ?? 0) + 1,
  }));
  return {
    rows,
    described,
    payload,
    labels,
    table,
    lengths,
    warnings,
  };
}

/** The rows that end the blocks of others. */
export function endsOf({ payload, blocks }: RowsAnswer): Row[] {
  return (blocks?.ends ?? []).flatMap((name) => payload[name] ?? []).filter(isRecord);
}

type Page = Awaited<ReturnType<typeof readPage>>;

interface Kept {
  result?: NonNullable<FinishedContext['result']>;
  warning?: Warning;
}

/** What the headline says. */
const countNames = ['count', 'total', 'start', 'limit'];

/** For what is a little longer with more rows, such as the number of a row to go on from. */
const margin = 100;

function layOut(
  { tool, services, hasResults = true }: FinishSettings,
  answer: RowsAnswer,
  { rows, described, payload, labels, table, lengths, warnings: ofPage }: Page,
  { result, warning }: Kept,
) {
  const { context, noun, rows: all, sliceOf, toolCall, blocks } = answer;
  const warnings = [...(context.warnings ?? []), ...ofPage, ...(warning ? [warning] : [])];
  const clock = clockOf(described);
  const facts = { ...finishContext({ ...context, warnings }, labels), clock, result };
  const lines = sayFacts(facts, hasResults);
  const { refusal, explained, ...others } = payload;
  const inTable = [...countNames, ...(blocks?.ends ?? [])];
  const envelope = Object.entries(others).filter(([name]) => !inTable.includes(name));
  const above = [
    ...(typeof refusal === 'string' ? [dataLine(neutralise(refusal))] : []),
    ...[...lines.summary, ...lines.meant].map(serverLine),
  ];
  const below = [
    ...explainedLines(explained, sayExplained(context)),
    ...(envelope.length > 0 ? [neutralJson(Object.fromEntries(envelope))] : []),
    ...[...lines.tables, ...lines.kept, ...lines.more].map(serverLine),
  ];
  const total = toNumber(payload.total) || all.length;
  const isPaged = 'start' in tool.input.shape;
  const isReadable = hasResults && services.hasTool(readRows.tool);
  const resultId = isReadable ? (result?.id ?? sliceOf?.resultId) : undefined;
  const named = hasResults ? result : undefined;
  const isAll = toolCall.arguments.all === true && toolCall.arguments.limit === undefined;

  /** @param written so many rows, where only the length of all else is asked for */
  function show(shown: number, written = shown): FinishedRows {
    const read = readSoFar(answer);
    const { complete, next } = completeness(answer, shown, { resultId, isPaged });
    const counts = { shown, total, noun };
    const lacking = { next, read, result: named, warnings: facts.warnings };
    const { incomplete, text: missing } = describeMissing(lacking, shown, isAll);
    const partial = { ...(!complete && { incomplete }), ...(next && { next }) };
    const then = next ? ` ${sayNext(next)}` : '';
    const isWhole = written !== shown || (shown === read.rows && complete);
    const text = [
      headline(tool.tool, facts, counts),
      ...above,
      writeTable(table, written, isWhole),
      ...below,
      ...[complete ? '' : missing + then, ...lines.warnings].filter(Boolean).map(serverLine),
    ].filter((line) => line !== '');
    return {
      payload,
      rows: rows.slice(0, shown),
      text: text.join('\n'),
      context: { ...facts, complete, ...partial, read },
    };
  }
  return {
    show,
    /** How many rows fit next to all that is said where so many are shown. */
    fitting(shown: number): number {
      const { context, text } = show(shown, 1);
      return fitRows(lengths, {
        text: limits.text - margin - text.length + (lengths[0]?.text ?? 0),
        json: limits.json - margin - JSON.stringify({ ...payload, data: [], context }).length,
      });
    },
  };
}

function explainedLines(explained: unknown, heading: string): string[] {
  const rows = Array.isArray(explained) ? explained.filter(isRecord) : [];
  if (rows.length === 0) return [];
  const table = textTable({ columns: readColumns(rows) });
  return [serverLine(`${heading}.`), writeTable(table)];
}

/** How long a row is in each channel, its end included; and how much room there is for rows. */
export type Lengths = Readonly<Record<keyof typeof limits, number>>;

/** How many of the first rows fit. */
export function fitRows(lengths: readonly Lengths[], room: Lengths): number {
  let { text, json } = room;
  const tooMany = lengths.findIndex((row) => {
    text -= row.text;
    json -= row.json;
    return text < 0 || json < 0;
  });
  return tooMany === -1 ? lengths.length : tooMany;
}

/** The first rows that either channel could hold without anything beside them, with their lengths as compact JSON. */
function choosePage(rows: readonly Row[]) {
  const rowLengths: number[] = [];
  let left: number = limits.json;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    left -= length + 1;
    if (left < 0) break;
    rowLengths.push(length);
  }
  const fitting = rows.slice(0, rowLengths.length);
  const columns = readColumns(fitting);
  // A line has a character for each of its columns, and one more.
  const page = fitting.slice(0, Math.ceil(limits.text / (columns.size + 1)));
  const isCut = page.length < fitting.length;
  return { rows: page, columns: isCut ? readColumns(page) : columns, rowLengths };
}

async function describedColumns(rows: readonly Row[]): Promise<Columns> {
  const reading = readingColumns(rows, maxProfiles);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await setImmediate();
  }
}

async function keepRows(
  { services: { results } }: FinishSettings,
  answer: RowsAnswer,
  { described }: Page,
): Promise<Kept> {
  const { toolCall, context, rest, rows, sliceOf } = answer;
  if (sliceOf || rows.length === 0) return {};
  const profile: ColumnProfile[] = [];
  for (const column of profileColumns(described)) {
    profile.push(column);
    await setImmediate();
  }
  try {
    const kept = await results.keep(rows, { ...toolCall, context, ...(rest && { rest }) });
    const isRequested = requestedColumns(answer).length > 0;
    const result = {
      id: kept.id,
      uri: resultUri(kept),
      csv: `${resultUri(kept)}.csv`,
      rows: rows.length,
      expires_at: amsterdamIso(kept.expiresAtMs),
      columns: isRequested ? profile : profile.filter(isTelling),
    };
    return { result };
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    return { warning: warningMessages.not_kept({ why: error.reason.text }) };
  }
}

function completeness(
  { rows, payload, rest, sliceOf, toolCall, wanted }: RowsAnswer,
  shown: number,
  { resultId, isPaged }: { resultId: string | undefined; isPaged: boolean },
): { complete: boolean; next?: ToolCall | undefined } {
  const isAsWanted = wanted?.count === 0 || (wanted?.isTop && shown === wanted.count);
  if (shown === rows.length || isAsWanted) return { complete: rest === undefined, ...rest };
  const { fields, start, all: _, ...others } = toolCall.arguments;
  const narrowed = fields === undefined ? {} : { fields };
  if (resultId !== undefined) {
    const from = (sliceOf ? toNumber(payload.start) : 0) + shown;
    const args = { result_id: resultId, ...narrowed, start: from };
    return { complete: false, next: { tool: readRows.tool, arguments: args } };
  }
  // A list that is not paged, or a feed, cannot go on from a row.
  if (!isPaged) return { complete: false };
  const args = { ...others, ...narrowed, start: (toNumber(start) || 0) + shown };
  return { complete: false, next: { tool: toolCall.tool, arguments: args } };
}

/** How many rows were read, of how many; a feed that goes on does not tell. */
function readSoFar({ payload, rest, sliceOf, rows: { length: rows } }: RowsAnswer) {
  const total = toNumber(payload.total);
  if (sliceOf) return { rows: total, of: sliceOf.isWhole ? total : undefined };
  if (rest === undefined) return { rows, of: rows + (toNumber(payload.start) || 0) };
  return { rows, of: total > rows ? total : undefined };
}

/** Addresses, checksums and flags that are the same in every row say nothing, unless they are named. */
function isTelling({ name, type, values = {} }: ColumnProfile): boolean {
  const isConstantFlag = type === 'boolean' && Object.keys(values).length === 1;
  return !isConstantFlag && !isLinkName(name);
}
