import type { CallToolResult } from '@modelcontextprotocol/server';
import type {
  Answer,
  FigureAnswer,
  FinishedContext,
  RecordAnswer,
  RowsAnswer,
} from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { drawnSeries, type Figure, type FigureValue } from '../../analysis/figure/figure.ts';
import { figureMarks, figureSummary, headingOf } from '../../analysis/figure/figure-text.ts';
import { figureRefusals } from '../../analysis/figure/messages.ts';
import { labelPayload } from '../../analysis/reference/reference.ts';
import { readColumns } from '../../analysis/rows/rows.ts';
import { asRows } from '../../analysis/tables/table-rows.ts';
import type { JsonObject } from '../../core/json.ts';
import { toDecimal } from '../../core/money.ts';
import { dataLine, neutralise, serverLine } from '../../core/text.ts';
import { finishContext } from './context.ts';
import { headline, sayFacts } from './facts.ts';
import { type FinishSettings, finishRows, limits } from './finish.ts';
import { recordText } from './record.ts';
import { clockOf, tableLine } from './table.ts';

/** An answer for a model: the same facts as text and as JSON, with as many rows as fit both. */
export async function presentAnswer(
  settings: FinishSettings & { tool: Pick<ToolDefinition, 'output'> },
  answer: Answer,
): Promise<CallToolResult> {
  const { text, structured } = await writeAnswer(settings, answer);
  const { result } = structured.context;
  const links = result ? [linkTo(result)] : [];
  const [issue] = settings.tool.output.safeParse(structured).error?.issues ?? [];
  if (issue === undefined)
    return { content: [{ type: 'text', text }, ...links], structuredContent: structured };
  // A client would refuse structured content that breaks its schema, so the answer comes as text that names the
  // fault.
  const oddity = neutralise(`${issue.path.join('.')}: ${issue.message}`);
  const note = serverLine(
    `The platform's answer is not of the documented form (${oddity}), so it comes as text only.`,
  );
  return { content: [{ type: 'text', text: `${text}\n${note}` }, ...links], isError: true };
}

function linkTo({ uri, id: name, rows }: NonNullable<FinishedContext['result']>) {
  const about = { mimeType: 'application/json', description: `All ${rows} rows of this answer` };
  return { type: 'resource_link' as const, uri, name, ...about };
}

interface Written {
  text: string;
  structured: JsonObject & { context: FinishedContext };
}

async function writeAnswer(settings: FinishSettings, answer: Answer): Promise<Written> {
  if (answer.kind === 'record') return writeRecord(settings, answer);
  const figure = answer.kind === 'figure' ? writeFigure(settings, answer) : undefined;
  if (figure) return figure;
  const rowsAnswer = answer.kind === 'figure' ? rowsOfFigure(answer) : answer;
  const { payload, rows, context, text } = await finishRows(settings, rowsAnswer);
  return { text, structured: { ...payload, data: rows, context } };
}

async function writeRecord(
  { tool, services, signal }: FinishSettings,
  { payload, context }: RecordAnswer,
): Promise<Written> {
  const named = await labelPayload(services, payload, signal);
  const facts = { ...finishContext(context, named), clock: clockOf(readColumns([payload])) };
  const text = recordText(tool.tool, payload, facts);
  return { text, structured: { ...payload, context: facts } };
}

/** A figure, or undefined where it is too long for an answer. */
function writeFigure(
  { tool: { tool }, hasResults }: FinishSettings,
  { figure, context }: FigureAnswer,
): Written | undefined {
  const { complete, warnings } = figure.notes;
  const facts = { ...finishContext({ ...context, warnings }), complete };
  const notes = { ...figure.notes, warnings: facts.warnings ?? [] };
  const drawnFigure: Figure = { ...figure, notes };
  const lines = sayFacts(facts, hasResults);
  const text = [
    headline(tool, facts),
    ...figureLines(drawnFigure),
    ...[...lines.tables, ...lines.warnings].map(serverLine),
  ].join('\n');
  const structured = { figure: drawnFigure, context: facts };
  const isTooLarge = text.length > limits.text || JSON.stringify(structured).length > limits.json;
  return isTooLarge ? undefined : { structured, text };
}

function rowsOfFigure(answer: FigureAnswer): RowsAnswer {
  const { axis, series } = answer.figure;
  const size = { labels: axis.labels.length, series: series.length };
  return { ...asRows(answer), refusal: figureRefusals.tooLarge(size) };
}

/** One sentence with totals and extremes, the marks, then the table with euros to the cent. */
function figureLines(figure: Figure): string[] {
  const { axis, unit, omitted = [] } = figure;
  const columns = drawnSeries(figure);
  const marks = figureMarks(figure);
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
    dataLine(neutralise(`${headingOf(figure)}: ${figureSummary(figure, 'en')}.`)),
    ...(marks.length > 0 ? [serverLine(`${marks.join('. ')}.`)] : []),
    '',
    ...[headings, ...lines].map(tableLine),
    ...(omitted.length > 0 ? ['', serverLine(neutralise(`Not drawn: ${omitted.join(', ')}`))] : []),
  ];
}
