import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer, AnswerContext } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { readRows } from '../../analysis/read-rows.ts';
import { type Labels, labelPayload } from '../../analysis/reference/labels.ts';
import type { KeptResult } from '../../analysis/results/store.ts';
import { selectFields } from '../../analysis/rows/fields.ts';
import type { Row } from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { hasCode } from '../../core/errors.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { asOurs, neutralise } from '../../core/text.ts';
import { tellingColumns } from './column-profiles.ts';
import type { PresentedContext } from './context.ts';
import { oddityIn } from './documented-form.ts';
import { presentFigure } from './present-figure.ts';
import { readSoFar } from './read-so-far.ts';
import { jsonLength, lengthsWithin, limits, nextCount } from './size-limits.ts';
import { renderAnswer } from './text.ts';

/** The tool that was called, and what there is to present its answer with. */
export interface PresentSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input' | 'output'>;
  services: Services;
  /** Whether the caller has the tool that slices kept rows. */
  canReadRows: boolean;
  /** Leaves out of our own sentences what sends to tools that the caller lacks. */
  speak(text: string): string;
}

/**
 * Cuts an answer to what fits a reader and shows the same rows in both channels. Rows that do not
 * fit are kept and can be had with `read_rows`; drained rows are kept in any case.
 */
export async function presentAnswer(
  settings: PresentSettings,
  answer: Answer,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  if (answer.rows === undefined) return presentObject(settings, answer, signal);
  const { figure, context } = answer;
  const drawn = figure && presentFigure(figure, context, settings);
  if (drawn && 'text' in drawn) return toResult(settings.tool, drawn.structured, drawn.text);
  const shown = { ...answer, ...drawn };
  return presentRows(settings, shown, selectRows(answer, answer.rows), signal);
}

async function presentObject(
  { tool, services, speak }: PresentSettings,
  { payload, context, noun = 'rows' }: Answer,
  signal: AbortSignal | undefined,
): Promise<CallToolResult> {
  const named = await labelPayload(services, payload, signal);
  const presented = withLabels(context, named, speak);
  return toResult(
    tool,
    { ...payload, context: presented },
    renderAnswer({ tool: tool.tool, noun, payload, context: presented }),
  );
}

async function presentRows(
  settings: PresentSettings,
  answer: Answer,
  rows: readonly Row[],
  signal: AbortSignal | undefined,
): Promise<CallToolResult> {
  const { tool, services, speak } = settings;
  const { noun = 'rows', sliceOf, refusal } = answer;
  const payload: JsonObject = {
    ...answer.payload,
    ...(refusal !== undefined && { refusal }),
  };
  const wanted = rows.slice(0, answer.showAtMost);
  const lengths = lengthsWithin(wanted, limits.json);
  let shown = lengths.length;
  const canKeep = sliceOf === undefined;
  let keeping: Keeping = {};
  if (canKeep && rows.length > 0 && (answer.keep === true || shown < rows.length))
    keeping = await keep(settings, answer);
  const carried = [payload, wanted.slice(0, shown), listedIds(keeping.kept)];
  const named = await labelPayload(services, carried, signal);
  for (;;) {
    const { kept } = keeping;
    const data = rows.slice(0, shown);
    const context = {
      ...withLabels(answer.context, named, speak, keeping.warnings),
      ...completeness(settings, answer, rows.length, shown, kept),
      read: readSoFar(answer),
      ...(kept && { result: describeResult(kept, fieldsOf(answer)) }),
    };
    const total = sliceOf?.length ?? numberOr(payload.total, rows.length);
    const structured = { ...payload, data, context };
    const fields = fieldsOf(answer);
    const text = renderAnswer({
      tool: tool.tool,
      noun,
      payload: answer.payload,
      lead: refusal,
      context,
      rows: data,
      total,
      fields,
    });
    const sizes = { text: text.length, json: jsonLength(structured, lengths.slice(0, shown)) };
    const fewer = nextCount(shown, sizes);
    if (fewer === undefined) return toResult(tool, structured, text, kept);
    shown = fewer;
    if (canKeep && kept === undefined && keeping.warnings === undefined)
      keeping = await keep(settings, answer);
  }
}

/** Rows that were kept, or why they could not be. */
interface Keeping {
  kept?: KeptResult;
  warnings?: string[];
}

async function keep({ services }: PresentSettings, answer: Answer): Promise<Keeping> {
  const { rows = [], asked, context, rest } = answer;
  try {
    const origin = { tool: asked.tool, arguments: asked.arguments, context };
    return { kept: await services.results.keep(rows, { ...origin, ...(rest && { rest }) }) };
  } catch (error) {
    if (!hasCode(error, 'too_large')) throw error;
    return { warnings: [`The rows could not be kept: ${error.message}`] };
  }
}

/** The ids that the column profile lists, so that they are named too. */
function listedIds(kept: KeptResult | undefined): JsonObject[] {
  return (kept?.columns ?? []).map(({ name, values = {} }) => ({
    [name.slice(name.lastIndexOf('.') + 1)]: Object.keys(values),
  }));
}

function selectRows(answer: Answer, rows: readonly Row[]): readonly Row[] {
  const fields = fieldsOf(answer);
  if (fields.length > 0) return selectFields(rows, fields);
  const { repeats = [] } = answer;
  return repeats.length === 0 ? rows : rows.map((row) => without(row, repeats));
}

function without(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)));
}

/** The columns that the caller named, if any. */
function fieldsOf({ asked }: Answer): readonly string[] {
  const { fields } = asked.arguments;
  return Array.isArray(fields) ? fields.map(String) : [];
}

/** Whether rows exist that are not shown, and the call that gets them. */
function completeness(
  { tool, canReadRows }: PresentSettings,
  { rest, sliceOf, asked }: Answer,
  count: number,
  shown: number,
  kept: KeptResult | undefined,
): Pick<PresentedContext, 'complete' | 'next'> {
  if (shown === count) {
    if (rest === undefined) return { complete: true };
    return { complete: false, ...(rest.next && { next: rest.next }) };
  }
  const resultId = kept?.id ?? sliceOf?.resultId;
  const start = (sliceOf?.start ?? 0) + shown;
  if (resultId !== undefined && canReadRows) {
    const { fields, ...others } = asked.arguments;
    const { start: _, limit: __, ...same } = sliceOf === undefined ? {} : others;
    return {
      complete: false,
      next: {
        tool: readRows.tool,
        arguments: { ...same, result_id: resultId, ...(fields !== undefined && { fields }), start },
      },
    };
  }
  // A list that is not paged, or a feed, cannot go on from a row: the rest is in the kept result.
  if (!('start' in tool.input.shape)) return { complete: false };
  const from = numberOr(asked.arguments.start, 0) + shown;
  const { all: _, ...same } = asked.arguments;
  return { complete: false, next: { tool: asked.tool, arguments: { ...same, start: from } } };
}

function describeResult(
  { id, uri, rows, expiresAtMs, columns }: KeptResult,
  fields: readonly string[],
) {
  const expires_at = amsterdamIso(expiresAtMs);
  return { id, uri, rows: rows.length, expires_at, columns: tellingColumns(columns, fields) };
}

function withLabels(
  context: AnswerContext,
  { labels, warnings }: { labels: Labels; warnings: readonly string[] },
  speak: (text: string) => string,
  more: readonly string[] = [],
): PresentedContext {
  const { warnings: own = [], ...rest } = context;
  const all = [...own, ...warnings, ...more].map(speak).filter((warning) => warning !== '');
  return {
    ...rest,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(all.length > 0 && { warnings: all }),
  };
}

function toResult(
  tool: PresentSettings['tool'],
  structuredContent: JsonObject,
  text: string,
  kept?: KeptResult,
): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (kept)
    content.push({
      type: 'resource_link',
      uri: kept.uri,
      name: kept.id,
      mimeType: 'application/json',
      description: `All ${kept.rows.length} rows of this answer`,
    });
  const oddity = oddityIn(structuredContent, tool.output);
  if (oddity === undefined) return { content, structuredContent };
  // A client would refuse the whole answer; as text it still arrives, with what is odd about it.
  content[0] = {
    type: 'text',
    text: `${text}\n${asOurs(`The platform's answer is not of the documented form (${neutralise(oddity)}), so it comes as text only.`)}`,
  };
  return { content, isError: true };
}

function numberOr(value: unknown, otherwise: number): number {
  const number = numberIn(value);
  return Number.isFinite(number) ? number : otherwise;
}
