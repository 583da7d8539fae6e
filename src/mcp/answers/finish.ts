import { setImmediate } from 'node:timers/promises';
import type { FinishedContext, RowsAnswer, ToolCall } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { exportRows } from '../../analysis/export-rows.ts';
import { readRows } from '../../analysis/read-rows.ts';
import { labelPayload, spaceOf } from '../../analysis/reference/reference.ts';
import { type ResultStore, resultUri } from '../../analysis/results/store.ts';
import {
  type ColumnProfile,
  maxProfiles,
  profileColumns,
  readColumnsInTurns,
} from '../../analysis/rows/column-profile.ts';
import { type Row, readColumns } from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { fieldOf, isLinkName } from '../../core/column-name.ts';
import { hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import { dataLine, neutralise, neutralJson, sentences, serverLine } from '../../core/text.ts';
import { finishContext, warningMessages } from './context.ts';
import {
  describeMissing,
  explainedHeading,
  headline,
  sayFacts,
  sayKept,
  sayNext,
  sayWarning,
} from './facts.ts';
import {
  blockTable,
  chooseColumns,
  clockOf,
  namesColumnsBy,
  requestedColumns,
  textTable,
  writeTable,
} from './table.ts';

/** Maximum size of one answer, in characters of text and of JSON. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** The tool that was called, and the services that finish its answer. */
export interface FinishSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input'>;
  services: Services;
  signal?: AbortSignal | undefined;
  /** Whether kept rows outlive the answer, so that it may name their result. @default true */
  hasResults?: boolean;
}

/** Characters reserved for the sentence about rows that are not shown, without the next call. */
const missingRoom = 500;

/**
 * Names ids, keeps the rows if they do not all fit, and shows as many as fit both channels.
 * @throws {InputError} for a requested column that no row has.
 */
export async function finishRows(settings: FinishSettings, answer: RowsAnswer) {
  const { tool, hasResults } = settings;
  const page = await readPage(settings, answer);
  const { rows, payload, table, lengths, facts } = page;
  const { summary, meant, tables, more, warnings } = sayFacts(facts, hasResults);
  const counts = { total: toNumber(payload.total) || answer.rows.length, noun: answer.noun };
  const write = (shown: number, tableText: string, keptLines: readonly string[], missing = '') =>
    [
      headline(tool.tool, facts, { ...counts, shown }),
      typeof payload.refusal === 'string' ? dataLine(neutralise(payload.refusal)) : '',
      ...[...summary, ...meant].map(serverLine),
      tableText,
      ...payloadLines(answer, payload),
      ...[...tables, ...keptLines, ...more, missing, ...warnings].filter(Boolean).map(serverLine),
    ]
      .filter(Boolean)
      .join('\n');
  const reserved = missingRoom + JSON.stringify(answer.toolCall).length;
  const overhead = write(rows.length, writeTable(table, 1), []).length - (lengths[0]?.text ?? 0);
  const room = {
    text: limits.text - reserved - overhead,
    json: limits.json - reserved - JSON.stringify({ ...payload, context: facts }).length,
  };
  const isWhole = rows.length === answer.rows.length && fitRows(lengths, room) === rows.length;
  const kept = answer.keep || !isWhole ? await keepRows(settings, answer, page) : nothingKept;
  const shown = fitRows(lengths, {
    text: room.text - kept.lines.map(serverLine).join('\n').length,
    json: room.json - (kept === nothingKept ? 0 : JSON.stringify(kept.facts).length),
  });
  const context: FinishedContext = { ...facts, ...kept.facts };
  const { missing, ...rest } = restOf(settings, answer, context, shown);
  const isAll = rest.complete && shown === rest.read.rows;
  const text = write(shown, writeTable(table, shown, isAll), kept.lines, missing);
  return { payload, rows: rows.slice(0, shown), text, context: { ...context, ...rest } };
}

/** The rows that would fit an answer without other text, as a table with names. */
async function readPage({ tool, services, signal }: FinishSettings, answer: RowsAnswer) {
  const { rows: all, wanted, refusal, statementColumns, blocks } = answer;
  const requested = requestedColumns(answer);
  const chosen = chooseColumns(answer);
  const rowLengths = jsonLengths(chosen.slice(0, wanted?.count));
  const rows = chosen.slice(0, rowLengths.length);
  const columns = readColumns(rows);
  const hasMore = rows.length < all.length;
  const described = hasMore ? await readColumnsInTurns(chosen, maxProfiles) : columns;
  // Ids of all rows are named in the profile of a column; deeper ids only where their row is shown.
  const idValues = [...columns, ...(hasMore ? described : [])].flatMap(([name, cells]) => {
    const idField = fieldOf(name);
    const seen = spaceOf(idField) ? cells : cells.slice(0, rows.length);
    return statementColumns?.misnamed.includes(name) ? [] : [{ [idField]: seen }];
  });
  const payload: JsonObject = { ...answer.payload, ...(refusal && { refusal }) };
  const named = await labelPayload(services, [payload, idValues], signal);
  const input = {
    labels: named.labels,
    requested,
    namedBy: namesColumnsBy(tool),
    isMentioned: (name: string) => statementColumns?.mentioned.has(name.toLowerCase()) === true,
  };
  const table = blocks
    ? blockTable(rows, { by: blocks.by, ends: endsOf(answer) }, input)
    : textTable({ ...input, columns });
  const lengths = table.lines.map((line, row) => ({
    text: line.length + 1,
    json: rowLengths[row] ?? 0,
  }));
  const facts = { ...finishContext(answer.context, named), clock: clockOf(described) };
  return { rows, described, payload, table, lengths, facts };
}

/** The rows that stand below blocks of other rows. */
export function endsOf({ payload, blocks }: RowsAnswer): Row[] {
  return (blocks?.ends ?? []).flatMap((name) => payload[name] ?? []).filter(isRecord);
}

type Page = Awaited<ReturnType<typeof readPage>>;

/** Which rows are missing when so many are shown, and the call that gets them. */
function restOf(
  { tool, services, hasResults = true }: FinishSettings,
  answer: RowsAnswer,
  { result, warnings }: FinishedContext,
  shown: number,
) {
  const { rows, rest, wanted, sliceOf, toolCall } = answer;
  const read = readSoFar(answer);
  const isReadable = hasResults && services.hasTool(readRows.tool);
  const resultId = isReadable ? (result?.id ?? sliceOf?.resultId) : undefined;
  const isAsWanted = wanted?.count === 0 || (wanted?.isTop && shown === wanted.count);
  const isShown = shown === rows.length || isAsWanted;
  if (isShown && rest === undefined) return { complete: true, read, missing: '' };
  // Unpaged lists and feeds cannot go on from a row.
  const isPaged = 'start' in tool.input.shape;
  const next = isShown ? rest?.next : (resultId || isPaged) && callAfter(answer, shown, resultId);
  const { all, limit } = toolCall.arguments;
  const { incomplete, text } = describeMissing(
    { next: next || undefined, read, result: hasResults ? result : undefined, warnings },
    shown,
    all === true && limit === undefined,
  );
  const missing = sentences(text, next && sayNext(next));
  return { complete: false, incomplete, ...(next && { next }), read, missing };
}

function callAfter(
  { toolCall, sliceOf, payload }: RowsAnswer,
  shown: number,
  resultId: string | undefined,
): ToolCall {
  const { fields, start, all: _, ...others } = toolCall.arguments;
  const narrowed = fields === undefined ? {} : { fields };
  const startOf = (value: unknown) => (toNumber(value) || 0) + shown;
  if (resultId === undefined)
    return { tool: toolCall.tool, arguments: { ...others, ...narrowed, start: startOf(start) } };
  const from = startOf(sliceOf && payload.start);
  return { tool: readRows.tool, arguments: { result_id: resultId, ...narrowed, start: from } };
}

const countNames = ['count', 'total', 'start', 'limit'];

/** Members of the payload that neither the headline nor the table tells. */
function payloadLines({ blocks, context }: RowsAnswer, payload: JsonObject): string[] {
  const { refusal: _, explained, ...others } = payload;
  const inTable = [...countNames, ...(blocks?.ends ?? [])];
  const envelope = Object.entries(others).filter(([name]) => !inTable.includes(name));
  const parts = [explained ?? []].flat().filter(isRecord);
  return [
    ...(parts.length > 0
      ? [
          serverLine(`${explainedHeading(context)}.`),
          writeTable(textTable({ columns: readColumns(parts) })),
        ]
      : []),
    ...(envelope.length > 0 ? [neutralJson(Object.fromEntries(envelope))] : []),
  ];
}

/** Lengths of a row with its line end in each channel, or the room that is left there. */
export type Lengths = Readonly<Record<keyof typeof limits, number>>;

export function fitRows(lengths: readonly Lengths[], room: Lengths): number {
  let { text, json } = room;
  const tooMany = lengths.findIndex((row) => {
    text -= row.text;
    json -= row.json;
    return text < 0 || json < 0;
  });
  return tooMany === -1 ? lengths.length : tooMany;
}

/** Lengths of the first rows as compact JSON, as many as an answer without other text holds. */
function jsonLengths(rows: readonly Row[]): number[] {
  const lengths: number[] = [];
  let left: number = limits.json;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    left -= length + 1;
    if (left < 0) break;
    lengths.push(length + 1);
  }
  return lengths;
}

const nothingKept: { facts: Partial<FinishedContext>; lines: string[] } = { facts: {}, lines: [] };

async function keepRows(
  { services: { results, hasTool }, hasResults = true }: FinishSettings,
  answer: RowsAnswer,
  { described, facts: { labels, warnings = [] } }: Page,
): Promise<typeof nothingKept> {
  const { rows, sliceOf } = answer;
  const hasFiles = hasTool(exportRows.tool);
  if (sliceOf || rows.length === 0) return nothingKept;
  const profile: ColumnProfile[] = [];
  for (const column of profileColumns(described)) {
    profile.push(column);
    await setImmediate();
  }
  try {
    const kept = await keepAnswer(results, answer);
    const isRequested = requestedColumns(answer).length > 0;
    const result = {
      id: kept.id,
      uri: resultUri(kept),
      csv: `${resultUri(kept)}.csv`,
      rows: rows.length,
      expires_at: amsterdamIso(kept.expiresAtMs),
      columns: isRequested ? profile : profile.filter(isWorthProfile),
    };
    return { facts: { result }, lines: sayKept(result, labels, { hasResults, hasFiles }) };
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    const warning = warningMessages.not_kept({ why: error.reason.text });
    return { facts: { warnings: [...warnings, warning] }, lines: [sayWarning(warning)] };
  }
}

/** Keeps the rows of an answer with their origin. @throws {CommerceError} `too_large` */
export function keepAnswer(results: ResultStore, answer: RowsAnswer) {
  const { rows, toolCall, context, rest, statementColumns: { misnamed } = {} } = answer;
  return results.keep(rows, { ...toolCall, context, misnamed, ...(rest && { rest }) });
}

/** Rows read so far, and rows in all if the platform tells: a feed does not. */
function readSoFar({ payload, rest, sliceOf, rows: { length: rows } }: RowsAnswer) {
  const total = toNumber(payload.total);
  if (sliceOf) return { rows: total, of: sliceOf.isWhole ? total : undefined };
  if (rest === undefined) return { rows, of: rows + (toNumber(payload.start) || 0) };
  return { rows, of: total > rows ? total : undefined };
}

/** False for addresses, checksums, and flags with a single value. */
function isWorthProfile({ name, type, values = {} }: ColumnProfile): boolean {
  const isConstantFlag = type === 'boolean' && Object.keys(values).length === 1;
  return !isConstantFlag && !isLinkName(name);
}
