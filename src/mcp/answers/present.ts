import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer, FinishedAnswer } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import { drawnSeries, type Figure, type FigureValue } from '../../analysis/figure/figure.ts';
import { figureMarks, figureSummary, headingOf } from '../../analysis/figure/figure-text.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { toDecimal } from '../../core/money.ts';
import { dataLine, neutralise, serverLine } from '../../core/text.ts';
import { modelReader, readerOf, writeWarning } from './catalogue/catalogue.ts';
import { type FinishSettings, finishAnswer, gatherWarnings, writeContext } from './finish.ts';
import { tableLine } from './table.ts';
import { headline, limits, tableLines, warningLines, writeText } from './text.ts';

/** The same, with the schema that the answer is held against. */
interface PresentSettings extends FinishSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input' | 'output'>;
}

/** An answer for a model: the same rows and facts as text and as JSON, as many rows as fit both. */
export async function presentAnswer(
  { tool, services }: PresentSettings,
  answer: Answer,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const { figure } = answer;
  const drawn = figure && writeFigure({ tool, services }, figure, answer.context);
  if (drawn) return toResult(tool, drawn.structured, drawn.text);
  const shown = figure ? { ...answer, refusal: tooLarge(figure) } : answer;
  const { finished, table } = await finishAnswer({ tool, services }, shown, signal);
  const { payload, rows, context } = finished;
  const isWhole = rows?.length === context.read?.rows && context.complete;
  const text = writeText(tool.tool, finished, table.text(rows?.length, isWhole));
  const structured = { ...payload, ...(rows && { data: rows }), context };
  return toResult(tool, structured, text, context.result);
}

/** A figure in both channels, or undefined where it is too long. Its words are English: a call does not say another. */
function writeFigure(
  { tool: { tool }, services: { hasTool } }: PresentSettings,
  figure: Figure,
  answered: Answer['context'],
): { structured: JsonObject; text: string } | undefined {
  const { complete } = figure.notes;
  const reader = modelReader(hasTool);
  const warnings = gatherWarnings(figure.notes.warnings, reader);
  // Who looks at the picture is the one to know.
  const onlooker = readerOf({ ...reader, passOn: '' });
  const shown = figure.notes.warnings.map((it) => writeWarning(it, onlooker));
  const drawn: Figure = { ...figure, notes: { ...figure.notes, warnings: shown } };
  const context = {
    ...writeContext(answered, reader),
    complete,
    ...(warnings.length > 0 && { warnings }),
  };
  const text = [
    headline(tool, { noun: figure.kind, payload: {}, context }),
    ...figureLines(drawn),
    ...[...tableLines(context), ...warningLines(context)].map(serverLine),
  ].join('\n');
  const structured = { figure: drawn, context };
  const isTooLarge = text.length > limits.text || JSON.stringify(structured).length > limits.json;
  return isTooLarge ? undefined : { structured, text };
}

/** One sentence with the totals and the extremes, what must not be missed, then the table: euros with their cents. */
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

function tooLarge({ axis, series }: Figure): Message {
  return { code: 'figure_too_large', labels: axis.labels.length, series: series.length };
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
