import { amsterdamIso } from '../core/calendar.ts';
import { hasCode } from '../core/errors.ts';
import { type JsonObject, numberIn } from '../core/json.ts';
import type { Answer, AnswerContext, FinishedAnswer, FinishedContext, NextCall } from './answer.ts';
import type { ToolDefinition } from './define-tool.ts';
import { readRows } from './read-rows.ts';
import { type Labels, labelPayload } from './reference/reference.ts';
import type { KeptResult } from './results/store.ts';
import type { ColumnProfile } from './rows/column-profile.ts';
import { type Row, readColumns, selectFields } from './rows/rows.ts';
import type { Services } from './services.ts';

/** The most that one answer may hold, in characters of text and of JSON. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** The first rows of an answer, as many as JSON could hold. */
export interface PageRows {
  /** The values of each column, by its dotted name. */
  columns: ReadonlyMap<string, readonly unknown[]>;
  /** How long each row is as compact JSON. */
  lengths: readonly number[];
  labels: Labels;
  /** Columns that the caller named by `fields`. */
  named: readonly string[];
  /** The SQL that gave the rows. */
  statement: unknown;
}

/** How many of the rows fit, given what the answer is with so many of them. */
export type Fit = (describe: (shown: number) => FinishedAnswer) => number;

/**
 * Decides all that an answer says about its payload: names of ids, how many rows are shown, whether
 * they are kept, what is missing and how to get it, warnings.
 *
 * @param write writes the rows that may be shown, once
 */
export async function finishAnswer(
  services: Services,
  tool: Pick<ToolDefinition, 'input'>,
  answer: Answer,
  write: (rows: PageRows) => Fit,
  signal?: AbortSignal,
): Promise<FinishedAnswer> {
  const { context, noun = 'rows', refusal, sliceOf } = answer;
  if (answer.rows === undefined) {
    const { payload } = answer;
    const { labels, warnings } = await labelPayload(services, payload, signal);
    return { noun, payload, context: say(context, labels, warnings) };
  }
  const payload: JsonObject = { ...answer.payload, ...(refusal !== undefined && { refusal }) };
  const rows = chooseColumns(answer, answer.rows);
  const wanted = rows.slice(0, answer.showAtMost);
  const lengths = lengthsWithin(wanted, limits.json);
  const named = namedFields(answer);
  const { sql: statement } = answer.asked.arguments;
  const columns = readColumns(wanted.slice(0, lengths.length));
  const { labels, warnings } = await labelPayload(
    services,
    [payload, byField(columns, answer)],
    signal,
  );
  const countShown = write({ columns, lengths, labels, named, statement });
  let kept: KeptResult | undefined;

  const describe = (shown: number): FinishedAnswer => ({
    noun,
    payload,
    rows: wanted.slice(0, shown),
    total: sliceOf?.length ?? numberOr(payload.total, rows.length),
    ...(refusal !== undefined && { refusal }),
    context: {
      ...say(context, labels, warnings),
      ...completeness(tool, services, answer, { count: rows.length, shown, kept }),
      read: readSoFar(answer),
      ...(kept && { result: describeResult(kept, named) }),
    },
  });

  async function keep(): Promise<void> {
    const origin = { ...answer.asked, context, ...(answer.rest && { rest: answer.rest }) };
    try {
      kept = await services.results.keep(answer.rows ?? [], origin);
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      warnings.push(`The rows could not be kept: ${error.message}`);
      return;
    }
    const listed = new Map(
      kept.columns.map(({ name, values = {} }) => [name, Object.keys(values)]),
    );
    const others = await labelPayload(services, byField(listed, answer), signal);
    for (const [field, names] of Object.entries(others.labels))
      labels[field] = { ...names, ...labels[field] };
  }

  const canKeep = sliceOf === undefined && rows.length > 0;
  const isKept = canKeep && (answer.keep === true || lengths.length < rows.length);
  if (isKept) await keep();
  let shown = countShown(describe);
  if (canKeep && !isKept && shown < rows.length) {
    await keep();
    shown = countShown(describe);
  }
  return describe(shown);
}

/** The context with names and warnings; empty ones are left out. */
function say(
  { warnings: own = [], ...context }: AnswerContext,
  labels: Labels,
  more: readonly string[],
): FinishedContext {
  const warnings = gatherWarnings([...own, ...more]);
  return {
    ...context,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The columns that the caller named by `fields`, if any. */
function namedFields({ asked }: Answer): readonly string[] {
  const { fields } = asked.arguments;
  return Array.isArray(fields) ? fields.map(String) : [];
}

function chooseColumns(answer: Answer, rows: readonly Row[]): readonly Row[] {
  const fields = namedFields(answer);
  if (fields.length > 0) return selectFields(rows, fields);
  const { repeats = [] } = answer;
  if (repeats.length === 0) return rows;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !repeats.includes(name))),
  );
}

/** How long the compact JSON of each of the first rows is, of as many as stay within `maxChars`. */
function lengthsWithin(rows: readonly Row[], maxChars: number): number[] {
  const lengths: number[] = [];
  let chars = 0;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    chars += length + 1;
    if (chars > maxChars) break;
    lengths.push(length);
  }
  return lengths;
}

/** Values of columns under the name of their field, the way labels are looked for. */
function byField(
  columns: ReadonlyMap<string, readonly unknown[]>,
  { unlabelled = [] }: Answer,
): JsonObject[] {
  return [...columns]
    .filter(([name]) => !unlabelled.includes(name))
    .map(([name, values]) => ({ [name.slice(name.lastIndexOf('.') + 1)]: values }));
}

/** Whether rows exist that are not shown, and the call that gets them. */
function completeness(
  { input }: Pick<ToolDefinition, 'input'>,
  { hasTool }: Services,
  { rest, sliceOf, asked, isTop, showAtMost }: Answer,
  { count, shown, kept }: { count: number; shown: number; kept: KeptResult | undefined },
): { complete: boolean; next?: NextCall } {
  const isAll = shown === count || (isTop === true && shown === showAtMost);
  if (isAll && rest === undefined) return { complete: true };
  if (shown === count) return { complete: false, ...(rest?.next && { next: rest.next }) };
  const resultId = kept?.id ?? sliceOf?.resultId;
  const { fields, start, all: _, ...others } = asked.arguments;
  if (resultId !== undefined && hasTool(readRows.tool)) {
    const same = { result_id: resultId, ...(fields !== undefined && { fields }) };
    const from = (sliceOf?.start ?? 0) + shown;
    return { complete: false, next: { tool: readRows.tool, arguments: { ...same, start: from } } };
  }
  // A list that is not paged, or a feed, cannot go on from a row: the rest is in the kept result.
  if (!('start' in input.shape)) return { complete: false };
  const from = numberOr(start, 0) + shown;
  const same = { ...others, ...(fields !== undefined && { fields }) };
  return { complete: false, next: { tool: asked.tool, arguments: { ...same, start: from } } };
}

/** A feed that goes on does not tell how many rows there are. */
function readSoFar({
  payload,
  rows = [],
  rest,
  sliceOf,
}: Answer): NonNullable<FinishedContext['read']> {
  if (sliceOf !== undefined)
    return { rows: sliceOf.length, ...(sliceOf.isWhole && { of: sliceOf.length }) };
  const start = numberOr(payload.start, 0);
  if (rest === undefined) return { rows: rows.length, of: rows.length + start };
  const total = numberIn(payload.total);
  return { rows: rows.length, ...(total > rows.length && { of: total }) };
}

function describeResult(
  { id, uri, rows, expiresAtMs, columns }: KeptResult,
  fields: readonly string[],
): NonNullable<FinishedContext['result']> {
  const expires_at = amsterdamIso(expiresAtMs);
  return { id, uri, rows: rows.length, expires_at, columns: tellingColumns(columns, fields) };
}

/** The profiles of the columns that were named, or else of all but addresses, hashes and constant flags. */
function tellingColumns(
  columns: readonly ColumnProfile[],
  fields: readonly string[],
): readonly ColumnProfile[] {
  if (fields.length > 0)
    return columns.filter(({ name }) =>
      fields.some((field) => name === field || name.startsWith(`${field}.`)),
    );
  return columns.filter(({ name, type, values = {}, empty }) => {
    const isConstantFlag = type === 'boolean' && Object.keys(values).length === 1 && !empty;
    return !isConstantFlag && !/(^|[._])(url|uri|link|href|hash|checksum|uuid)$/i.test(name);
  });
}

function numberOr(value: unknown, otherwise: number): number {
  const number = numberIn(value);
  return Number.isFinite(number) ? number : otherwise;
}

/** Most warnings that one answer bears. */
const maxWarnings = 6;

/** How many alike are listed one by one. */
const maxAlike = 2;

/**
 * Warnings as an answer bears them: each once, many alike (the same words about other numbers and
 * names) as the first with their number, six at most.
 */
export function gatherWarnings(warnings: readonly string[]): string[] {
  const alike = new Map<string, string[]>();
  for (const warning of new Set(warnings)) {
    if (warning === '') continue;
    const words = warning.replace(/"[^"]*"|[\d.,-]*\d/g, '#');
    alike.set(words, [...(alike.get(words) ?? []), warning]);
  }
  const gathered = [...alike.values()].flatMap((group) =>
    group.length <= maxAlike
      ? group
      : [`${group[0]} (${group.length - 1} more are like this one.)`],
  );
  if (gathered.length <= maxWarnings) return gathered;
  const left = gathered.length - maxWarnings + 1;
  return [
    ...gathered.slice(0, maxWarnings - 1),
    `${left} more warnings of other kinds are not shown: ask for fewer days, or for one location or shop, to see them.`,
  ];
}
