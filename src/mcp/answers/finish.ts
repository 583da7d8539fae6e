import { setImmediate } from 'node:timers/promises';
import type { Answer, FinishedAnswer, FinishedContext } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { readRows } from '../../analysis/read-rows.ts';
import { type Labels, labelPayload, spaceOf } from '../../analysis/reference/reference.ts';
import { resultUri } from '../../analysis/results/store.ts';
import {
  type ColumnProfile,
  maxProfiles,
  profileColumns,
} from '../../analysis/rows/column-profile.ts';
import {
  type Columns,
  inexactWarnings,
  type Row,
  readColumns,
  readingColumns,
  requireColumn,
  rowsAtOnce,
  selectFields,
} from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { fieldOf, isLinkName } from '../../core/column-name.ts';
import { hasCode } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { toNumber } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import {
  distinctWarnings,
  type Warning,
  type WarningCode,
  type WrittenWarning,
} from '../../core/warning.ts';
import { modelReader, writeWarning } from './catalogue/catalogue.ts';
import type { Reader } from './catalogue/reader.ts';
import { addressHint, type TextTable, textTable } from './table.ts';
import { limits, writeText } from './text.ts';

/** The tool that was called, and what its answer is finished with. */
export interface FinishSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input'>;
  services: Services;
}

/** An answer with the names of its ids. */
interface LabelledAnswer {
  answer: Answer;
  labels: Labels;
  warnings: Warning[];
  /** The first rows, as many as JSON could hold. */
  page: readonly Row[];
  /** The first columns of all rows; a row that lacks one leaves a hole. */
  described: Columns;
  /** Where the rows are kept, once they are. */
  result?: NonNullable<FinishedContext['result']>;
}

/**
 * Decides all that an answer says: reads the names of its ids, shows as many rows as fit both channels, and keeps
 * the rows where they are to be kept or are more than are shown.
 * @returns the answer, and its rows as a table: all that could be shown, of which the answer has the first
 * @throws {InputError} for a requested column that no row has.
 */
export async function finishAnswer(
  { tool, services }: FinishSettings,
  answer: Answer,
  signal?: AbortSignal,
): Promise<{ finished: FinishedAnswer; table: TextTable }> {
  const { refusal, rows = [], unlabelled = [] } = answer;
  const chosen = chooseColumns(answer, rows);
  const { page, columns, rowLengths } = choosePage(chosen.slice(0, answer.showAtMost));
  const described = page.length < rows.length ? await describedColumns(chosen) : columns;
  // A profile names the ids of all rows; what lies deeper in a row is named where the row is shown.
  const idValues = [...columns, ...described].flatMap(([name, cells]) => {
    const idField = fieldOf(name);
    const seen = spaceOf(idField) ? cells : cells.slice(0, page.length);
    return unlabelled.includes(name) ? [] : [{ [idField]: seen }];
  });
  const payload = {
    ...answer.payload,
    ...(refusal && { refusal: modelReader(services.hasTool).say(refusal) }),
  };
  const { labels, warnings: unnamed } = await labelPayload(services, [payload, idValues], signal);
  const labelled: LabelledAnswer = {
    ...{ answer: { ...answer, payload }, labels, page, described },
    warnings: [...(answer.context.warnings ?? []), ...unnamed, ...inexactWarnings(page)],
  };
  if (answer.keep || page.length < rows.length) await keepRows(services, labelled);
  const table = textTable({
    ...{ columns, labels, addressHint: addressHint(tool) },
    requested: requestedColumns(answer),
    isWritten: (name) => answer.written?.has(name.toLowerCase()) === true,
  });
  const lengths = table.lines.map((line, row) => ({
    text: line.length + 1,
    json: (rowLengths[row] ?? 0) + 1,
  }));
  const showRows = (count: number) => describeAnswer({ tool, services }, labelled, count);
  /** How many rows fit next to all else that an answer says. */
  const countFitting = (finished: FinishedAnswer) => {
    const { payload, context } = finished;
    const text = writeText(tool.tool, finished, table.text(1)).length - (lengths[0]?.text ?? 0);
    const json = JSON.stringify({ ...payload, data: [], context }).length;
    const room = { text: limits.text - margin - text, json: limits.json - margin - json };
    return fitRows(lengths, room);
  };
  const whole = showRows(page.length);
  if (lengths.length === 0 || countFitting(whole) === lengths.length)
    return { finished: whole, table };
  // What is cut is kept, and to say so takes room, too.
  await keepRows(services, labelled);
  const count = Math.min(page.length - 1, countFitting(showRows(0)));
  return { finished: showRows(count), table };
}

/** For what is a little longer with more rows, such as the number of a row to go on from. */
const margin = 100;

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

/** The columns that a caller requested; none where any will do. */
export function requestedColumns({ toolCall }: Answer): string[] {
  const { fields = [] } = toolCall.arguments;
  return [fields].flat().map(String);
}

/**
 * Rows of an answer with the requested columns, or as they are where none was requested.
 * @throws {InputError} for a requested column that no row has.
 */
export function selectRequested(answer: Answer, rows: readonly Row[]): readonly Row[] {
  const requested = requestedColumns(answer);
  for (const name of requested) requireColumn(rows, name, 'fields');
  return requested.length > 0 ? rows.map((row) => selectFields(row, requested)) : rows;
}

function chooseColumns(answer: Answer, rows: readonly Row[]): readonly Row[] {
  const { repeats = [] } = answer;
  const selected = selectRequested(answer, rows);
  if (selected !== rows || repeats.length === 0) return selected;
  const isShown = ([name]: [string, unknown]) => !repeats.includes(name);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(isShown)));
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
  return { page, columns: page.length < fitting.length ? readColumns(page) : columns, rowLengths };
}

async function describedColumns(rows: readonly Row[]): Promise<Columns> {
  const reading = readingColumns(rows, maxProfiles);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await setImmediate();
  }
}

/** Keeps the rows of an answer, unless they are kept already; that they are too many is a warning. */
async function keepRows({ results }: Services, labelled: LabelledAnswer): Promise<void> {
  const { answer, described } = labelled;
  const { toolCall, context, rest, rows = [], sliceOf } = answer;
  if (labelled.result || sliceOf || rows.length === 0) return;
  const profile: ColumnProfile[] = [];
  for (const column of profileColumns(described)) {
    profile.push(column);
    if (rows.length > rowsAtOnce) await setImmediate();
  }
  try {
    const kept = await results.keep(rows, { ...toolCall, context, ...(rest && { rest }) });
    labelled.result = {
      ...{ id: kept.id, uri: resultUri(kept), rows: rows.length },
      expires_at: amsterdamIso(kept.expiresAtMs),
      columns: requestedColumns(answer).length > 0 ? profile : profile.filter(isTelling),
    };
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    const text = `The rows could not be kept: ${error.message}`;
    labelled.warnings.push({ code: 'not_kept', text });
  }
}

/** All that an answer says about so many of its rows: what is missing and how to get it, warnings. */
function describeAnswer(
  { tool: { input }, services: { hasTool } }: FinishSettings,
  { answer, labels, warnings, page, result }: LabelledAnswer,
  shown: number,
): FinishedAnswer {
  const { noun = 'rows', payload, rows } = answer;
  const reader = modelReader(hasTool);
  const gathered = gatherWarnings(warnings, reader);
  const context = {
    ...writeContext(answer.context, reader),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(gathered.length > 0 && { warnings: gathered }),
  };
  if (rows === undefined) return { noun, payload, context };
  return {
    ...{ noun, payload, rows: page.slice(0, shown) },
    total: toNumber(payload.total) || rows.length,
    context: {
      ...context,
      ...completeness(answer, shown, {
        resultId: hasTool(readRows.tool) ? (result?.id ?? answer.sliceOf?.resultId) : undefined,
        // A list that is not paged, or a feed, cannot go on from a row.
        isPaged: 'start' in input.shape,
      }),
      read: readSoFar(answer, rows.length),
      ...(result && { result }),
    },
  };
}

/** What a context says, in words; without its warnings. */
export function writeContext(
  { warnings: _, summary = [], definitions = {}, usual, more, ...facts }: Answer['context'],
  reader: Reader,
): Omit<FinishedContext, 'warnings'> {
  const write = (it: Message | string) => (typeof it === 'string' ? it : reader.say(it));
  const defined = Object.entries(definitions).map(([name, it]) => [name, write(it)] as const);
  return {
    ...facts,
    ...(summary.length > 0 && { summary: summary.map(write) }),
    ...(defined.length > 0 && { definitions: Object.fromEntries(defined) }),
    ...(more && { more }),
    ...(usual && {
      usual: {
        like: write(usual.like),
        ...(usual.periods && { periods: usual.periods }),
        ...(usual.left_out && {
          left_out: usual.left_out.map((it) => ({ ...it, reason: write(it.reason) })),
        }),
        ...(usual.middle && { middle: usual.middle }),
      },
    }),
  };
}

function completeness(
  { rows = [], payload, rest, sliceOf, toolCall, isTop, showAtMost }: Answer,
  shown: number,
  { resultId, isPaged }: { resultId: string | undefined; isPaged: boolean },
): Pick<FinishedContext, 'complete' | 'next'> {
  // Who asks for no rows, or for the first of all, has them.
  if (shown === rows.length || showAtMost === 0 || (isTop && shown === showAtMost))
    return { complete: rest === undefined, ...(rest?.next && { next: rest.next }) };
  const { fields, start, all: _, ...others } = toolCall.arguments;
  const narrowed = fields === undefined ? {} : { fields };
  if (resultId !== undefined) {
    const from = (sliceOf ? toNumber(payload.start) : 0) + shown;
    const args = { result_id: resultId, ...narrowed, start: from };
    return { complete: false, next: { tool: readRows.tool, arguments: args } };
  }
  if (!isPaged) return { complete: false };
  const args = { ...others, ...narrowed, start: (toNumber(start) || 0) + shown };
  return { complete: false, next: { tool: toolCall.tool, arguments: args } };
}

/** How many rows were read, of how many; a feed that goes on does not tell. */
function readSoFar({ payload, rest, sliceOf }: Answer, rows: number) {
  const total = toNumber(payload.total);
  if (sliceOf) return { rows: total, ...(sliceOf.isWhole && { of: total }) };
  if (rest === undefined) return { rows, of: rows + (toNumber(payload.start) || 0) };
  return { rows, ...(total > rows && { of: total }) };
}

/** Addresses, checksums and flags that are the same in every row say nothing, unless they are named. */
function isTelling({ name, type, values = {} }: ColumnProfile): boolean {
  const isConstantFlag = type === 'boolean' && Object.keys(values).length === 1;
  return !isConstantFlag && !isLinkName(name);
}

/** Most warnings that one answer bears, and how many alike are listed one by one. */
const [maxWarnings, maxAlike] = [6, 2];

/** What each of the many calls of a statement or a trend may say: many of one code are alike. */
const perCall: ReadonlySet<WarningCode> = new Set([
  'in_future',
  'all_zero',
  'balance_differs',
  'product_ids',
  'not_whole',
  'row_limit',
  'moved_while_reading',
  'repeated_rows',
]);

/** Warnings as an answer bears them: each once, many alike as the first with their number, six at most. */
export function gatherWarnings(warnings: readonly Warning[], reader: Reader): WrittenWarning[] {
  const written = distinctWarnings(warnings).map((warning) => writeWarning(warning, reader));
  const alike = groupBy(written, ({ code, text }) => (perCall.has(code) ? code : text));
  const gathered = [...alike.values()].flatMap((group) => {
    const [{ code, text }, ...others] = group;
    if (group.length <= maxAlike) return group;
    return [{ code, text: `${text} (${others.length} more are like this one.)` }];
  });
  if (gathered.length <= maxWarnings) return gathered;
  const shown = gathered.slice(0, maxWarnings - 1);
  const text = `${gathered.length - shown.length} more warnings of other kinds are not shown: ask for fewer days, or for one location or shop, to see them.`;
  return [...shown, { code: 'more_warnings', text }];
}
