import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer, FinishedAnswer } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { drawnSeries, type Figure, type FigureValue } from '../../analysis/figure/figure.ts';
import { figureMarks, figureSummary, headingOf } from '../../analysis/figure/figure-text.ts';
import {
  finishAnswer,
  fitRows,
  gatherWarnings,
  keepRows,
  type Lengths,
  limits,
  type NamedAnswer,
  nameAnswer,
  namedColumns,
} from '../../analysis/finish.ts';
import type { Columns } from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import type { JsonObject } from '../../core/json.ts';
import { toDecimal } from '../../core/money.ts';
import { dataLine, neutralise, serverLine } from '../../core/text.ts';
import { Table, tableLine } from './table.ts';
import { headline, tableLines, warningLines, writeText } from './text.ts';

/** The tool that was called, and what its answer is finished with. */
export interface PresentSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input' | 'output'>;
  services: Services;
}

/** An answer for a model: the same rows and facts as text and as JSON, as many rows as fit both. */
export async function presentAnswer(
  { tool, services }: PresentSettings,
  answer: Answer,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const { figure } = answer;
  const drawn = figure && writeFigure(tool, figure, answer.context);
  if (drawn) return toResult(tool, drawn.structured, drawn.text);
  const shown = figure ? { ...answer, refusal: sayTooLarge(figure) } : answer;
  const named = await nameAnswer(services, shown, signal);
  const table = new Table({
    columns: firstOf(named.columns, named.page.length),
    labels: named.labels,
    named: namedColumns(answer),
    isWritten: (name) => answer.written?.has(name.toLowerCase()) === true,
    addressHint: addressHint(tool),
  });
  const finished = await fitAnswer({ tool, services }, named, table);
  const { payload, rows, context } = finished;
  const isWhole = rows?.length === context.read?.rows && context.complete;
  const text = writeText(tool.tool, finished, table.text(rows?.length, isWhole));
  const structured = { ...payload, ...(rows && { data: rows }), context };
  return toResult(tool, structured, text, context.result);
}

/** The columns as the first rows have them. */
function firstOf(columns: Columns, count: number): Columns {
  const first = [...columns].map(([name, cells]) => [name, cells.slice(0, count)] as const);
  return new Map(first.filter(([, cells]) => cells.some((cell) => cell !== undefined)));
}

/** The answer with as many rows as fit both channels. What is cut is kept, which takes room, too. */
async function fitAnswer(
  { tool, services }: PresentSettings,
  named: NamedAnswer,
  table: Table,
): Promise<FinishedAnswer> {
  const lengths = table.lines.map((line, row) => ({
    text: line.length + 1,
    json: (named.lengths[row] ?? 0) + 1,
  }));
  const whole = finishAnswer(tool, services, named);
  if (lengths.length === 0) return whole;
  if (fitRows(lengths, roomBeside(tool.tool, whole, table)) === lengths.length) return whole;
  const kept = await keepRows(services, named);
  const room = roomBeside(tool.tool, finishAnswer(tool, services, kept, 0), table);
  const most = named.page.length - 1;
  return finishAnswer(tool, services, kept, Math.min(most, fitRows(lengths, room)));
}

/** For what is a little longer with more rows, such as the number of a row to go on from. */
const margin = 100;

/** What is left for rows next to all else that an answer says. */
function roomBeside(tool: string, finished: FinishedAnswer, table: Table): Lengths {
  const { payload, context } = finished;
  const [first = ''] = table.lines;
  const text = writeText(tool, finished, table.text(1)).length - (first.length + 1);
  const json = JSON.stringify({ ...payload, data: [], context }).length;
  return { text: limits.text - margin - text, json: limits.json - margin - json };
}

/** How addresses can be had, where leaving them out of the text leaves a way to see them. */
export function addressHint({
  input: { shape },
}: Pick<ToolDefinition, 'input'>): string | undefined {
  if ('sql' in shape) return 'SELECT them by name to see them.';
  return 'fields' in shape ? 'Name them in fields to see them.' : undefined;
}

/**
 * A figure in both channels: the same numbers as text and in columns; undefined where they are too
 * many. Its words are English: a call does not say what its reader speaks, and the page that draws
 * it, which knows, writes its own.
 */
function writeFigure(
  { tool }: PresentSettings['tool'],
  figure: Figure,
  { warnings: _, ...rest }: Answer['context'],
): { structured: JsonObject; text: string } | undefined {
  const { complete } = figure.notes;
  const warnings = gatherWarnings(figure.notes.warnings);
  const context = { ...rest, complete, ...(warnings.length > 0 && { warnings }) };
  const text = [
    headline(tool, { noun: figure.kind, payload: {}, context }),
    ...figureLines(figure),
    ...[...tableLines(context), ...warningLines(context)].map(serverLine),
  ].join('\n');
  const structured = { figure: { ...figure, notes: { ...figure.notes, warnings } }, context };
  const isTooLarge = text.length > limits.text || JSON.stringify(structured).length > limits.json;
  return isTooLarge ? undefined : { structured, text };
}

/**
 * One sentence with the totals and the extremes, what must not be missed, then the table: numbers as they
 * are, euros with their cents.
 */
function figureLines(figure: Figure): string[] {
  const { axis, unit, omitted = [] } = figure;
  const columns = drawnSeries(figure);
  const marks = figureMarks(figure, 'en');
  const write = (value: FigureValue = null) => {
    const amount = toDecimal(value);
    if (amount === undefined) return '';
    return unit === 'euro' ? amount.toFixed(Math.max(2, amount.decimalPlaces())) : String(value);
  };
  const headings = [axis.name, ...columns.map(({ name }) => name)];
  const lines = axis.labels.map((label, at) => [
    label,
    ...columns.map(({ values }) => write(values[at])),
  ]);
  return [
    dataLine(neutralise(`${headingOf(figure, 'en')}: ${figureSummary(figure, 'en')}.`)),
    ...(marks.length > 0 ? [serverLine(`${marks.join('. ')}.`)] : []),
    '',
    ...[headings, ...lines].map(tableLine),
    ...(omitted.length > 0 ? ['', serverLine(neutralise(`Not drawn: ${omitted.join(', ')}`))] : []),
  ];
}

function sayTooLarge({ axis, series }: Figure): string {
  return `Not drawn: ${axis.labels.length} labels of ${series.length} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`;
}

function toResult(
  { output }: PresentSettings['tool'],
  structuredContent: JsonObject,
  text: string,
  result?: FinishedAnswer['context']['result'],
): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (result !== undefined)
    content.push({
      type: 'resource_link',
      uri: result.uri,
      name: result.id,
      mimeType: 'application/json',
      description: `All ${result.rows} rows of this answer`,
    });
  const [issue] = output.safeParse(structuredContent).error?.issues ?? [];
  if (issue === undefined) return { content, structuredContent };
  // A client would refuse the whole answer; as text it still arrives, with what is odd about it.
  const oddity = neutralise(`${issue.path.join('.')}: ${issue.message}`);
  const note = `The platform's answer is not of the documented form (${oddity}), so it comes as text only.`;
  content[0] = { type: 'text', text: `${text}\n${serverLine(note)}` };
  return { content, isError: true };
}
