import { setImmediate } from 'node:timers/promises';
import { amsterdamIso } from '../core/calendar.ts';
import { fieldOf, isLinkName } from '../core/column-name.ts';
import { hasCode } from '../core/errors.ts';
import { groupBy } from '../core/group-by.ts';
import { numberIn } from '../core/json.ts';
import { distinctWarnings, type Warning, type WarningCode } from '../core/warning.ts';
import type { Answer, FinishedAnswer, FinishedContext } from './answer.ts';
import type { ToolDefinition } from './define-tool.ts';
import { readRows } from './read-rows.ts';
import { type Labels, labelPayload, spaceOf } from './reference/reference.ts';
import { resultUri } from './results/store.ts';
import { type ColumnProfile, maxProfiles, profileColumns } from './rows/column-profile.ts';
import {
  type Columns,
  inexactColumns,
  type Row,
  readColumns,
  readingColumns,
  requireColumn,
  rowsAtOnce,
  sayInexact,
  selectFields,
} from './rows/rows.ts';
import type { Services } from './services.ts';

/** The most that one answer may hold, in characters of text and of JSON. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** An answer with the names of its ids: how many of its rows are shown is still to be decided. */
export interface NamedAnswer {
  answer: Answer;
  labels: Labels;
  warnings: readonly Warning[];
  columns: Columns;
  /** The first columns of all rows; a row that lacks one leaves a hole. */
  described: Columns;
  /** The first rows, as many as JSON could hold, and the length of each as compact JSON. */
  page: readonly Row[];
  lengths: readonly number[];
  result?: NonNullable<FinishedContext['result']>;
}

/** The columns that a caller named. */
export function namedColumns({ toolCall }: Answer): string[] {
  const { fields = [] } = toolCall.arguments;
  return [fields].flat().map(String);
}

/** Reads the names of an answer's ids, and keeps its rows where they are to be kept or are more than JSON holds. */
export async function nameAnswer(
  services: Services,
  answer: Answer,
  signal?: AbortSignal,
): Promise<NamedAnswer> {
  const { refusal, rows = [], unlabelled = [] } = answer;
  const chosen = chooseColumns(answer, rows);
  const lengths = lengthsWithin(chosen.slice(0, answer.showAtMost), limits.json);
  const fitting = chosen.slice(0, lengths.length);
  const ofFitting = readColumns(fitting);
  // A line has a character for each of its columns, and one more.
  const page = fitting.slice(0, Math.ceil(limits.text / (ofFitting.size + 1)));
  const columns = page.length < fitting.length ? readColumns(page) : ofFitting;
  const described = page.length < rows.length ? await describedColumns(chosen) : columns;
  // A profile names the ids of all rows; what lies deeper in a row is named where the row is shown.
  const idValues = [...columns, ...described].flatMap(([name, cells]) => {
    const idField = fieldOf(name);
    const seen = spaceOf(idField) ? cells : cells.slice(0, page.length);
    return unlabelled.includes(name) ? [] : [{ [idField]: seen }];
  });
  const payload = { ...answer.payload, ...(refusal !== undefined && { refusal }) };
  const { labels, warnings } = await labelPayload(services, [payload, idValues], signal);
  const inexact = sayInexact([...new Set(page.flatMap(inexactColumns))]);
  const named = {
    ...{ answer: { ...answer, payload }, columns, described, page, lengths, labels },
    warnings: [...warnings, ...inexact],
  };
  return answer.keep || page.length < rows.length ? keepRows(services, named) : named;
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
export async function keepRows({ results }: Services, named: NamedAnswer): Promise<NamedAnswer> {
  const { answer, described, warnings } = named;
  const { toolCall, context, rest, rows = [], sliceOf } = answer;
  if (named.result || sliceOf || rows.length === 0) return named;
  const profile: ColumnProfile[] = [];
  for (const column of profileColumns(described)) {
    profile.push(column);
    if (rows.length > rowsAtOnce) await setImmediate();
  }
  try {
    const kept = await results.keep(rows, { ...toolCall, context, ...(rest && { rest }) });
    const result = {
      ...{ id: kept.id, uri: resultUri(kept), rows: rows.length },
      expires_at: amsterdamIso(kept.expiresAtMs),
      columns: namedColumns(answer).length > 0 ? profile : profile.filter(isTelling),
    };
    return { ...named, result };
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    const text = `The rows could not be kept: ${error.message}`;
    return { ...named, warnings: [...warnings, { code: 'not_kept', text }] };
  }
}

/** Decides all that an answer says about so many of its rows: what is missing and how to get it, warnings. */
export function finishAnswer(
  { input }: Pick<ToolDefinition, 'input'>,
  { hasTool }: Pick<Services, 'hasTool'>,
  { answer, labels, warnings, page, result }: NamedAnswer,
  shown = page.length,
): FinishedAnswer {
  const { noun = 'rows', payload, rows } = answer;
  const { warnings: found = [], ...facts } = answer.context;
  const all = gatherWarnings([...found, ...warnings]);
  const context = {
    ...facts,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(all.length > 0 && { warnings: all }),
  };
  if (rows === undefined) return { noun, payload, context };
  return {
    ...{ noun, payload, rows: page.slice(0, shown) },
    total: numberIn(payload.total) || rows.length,
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
    const from = (sliceOf ? numberIn(payload.start) : 0) + shown;
    const args = { result_id: resultId, ...narrowed, start: from };
    return { complete: false, next: { tool: readRows.tool, arguments: args } };
  }
  if (!isPaged) return { complete: false };
  const args = { ...others, ...narrowed, start: (numberIn(start) || 0) + shown };
  return { complete: false, next: { tool: toolCall.tool, arguments: args } };
}

/** How many rows were read, of how many; a feed that goes on does not tell. */
function readSoFar({ payload, rest, sliceOf }: Answer, rows: number) {
  const total = numberIn(payload.total);
  if (sliceOf) return { rows: total, ...(sliceOf.isWhole && { of: total }) };
  if (rest === undefined) return { rows, of: rows + (numberIn(payload.start) || 0) };
  return { rows, ...(total > rows && { of: total }) };
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

function chooseColumns(answer: Answer, rows: readonly Row[]): readonly Row[] {
  const { repeats = [] } = answer;
  const named = namedColumns(answer);
  for (const field of named) requireColumn(rows, field, 'fields');
  if (named.length > 0) return rows.map((row) => selectFields(row, named));
  if (repeats.length === 0) return rows;
  const isShown = ([name]: [string, unknown]) => !repeats.includes(name);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(isShown)));
}

function lengthsWithin(rows: readonly Row[], maxChars: number): number[] {
  const lengths: number[] = [];
  let left = maxChars;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    left -= length + 1;
    if (left < 0) break;
    lengths.push(length);
  }
  return lengths;
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
export function gatherWarnings(warnings: readonly Warning[]): Warning[] {
  const alike = groupBy(distinctWarnings(warnings), ({ code, text }) =>
    perCall.has(code) ? code : text,
  );
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
