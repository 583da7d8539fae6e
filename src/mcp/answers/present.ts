import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer, FinishedAnswer } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureText } from '../../analysis/figure/text/figure-text.ts';
import {
  finishAnswer,
  gatherWarnings,
  limits,
  type Page,
  type PageRows,
} from '../../analysis/finish.ts';
import type { Services } from '../../analysis/services.ts';
import type { JsonObject } from '../../core/json.ts';
import { asOurs, neutralise } from '../../core/text.ts';
import { Table } from './table.ts';
import { tablesLine } from './tables-read.ts';
import { headline, warningLines, writeText } from './text.ts';

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
  const write = (rows: PageRows) => new ModelPage(tool, rows);
  const { finished, page } = await finishAnswer(services, tool, shown, write, signal);
  const { payload, rows, context } = finished;
  const isWhole = rows !== undefined && rows.length === context.read?.rows && context.complete;
  const table = page?.table.text(rows?.length, isWhole) ?? '';
  const structured = { ...payload, ...(rows && { data: rows }), context };
  return toResult(tool, structured, writeText(tool.tool, finished, table), finished);
}

/** Room for what is a little longer with more rows, such as the number of a row to go on from. */
const margin = 100;

/** Rows for a model, written once; how many are shown follows from their lengths. */
class ModelPage implements Page {
  readonly table: Table;
  readonly #tool: PresentSettings['tool'];
  readonly #lengths: readonly number[];

  constructor(tool: PresentSettings['tool'], { lengths, ...rows }: PageRows) {
    this.#tool = tool;
    this.#lengths = lengths;
    this.table = new Table({ ...rows, addressHint: addressHint(tool) });
  }

  fit(describe: (shown: number) => FinishedAnswer): number {
    const all = this.#lengths.length;
    if (this.#countWith(describe(all)) === all) return all;
    return Math.min(all - 1, this.#countWith(describe(0)));
  }

  /** How many rows there is room for with the rest of an answer. */
  #countWith(finished: FinishedAnswer): number {
    const { payload, context } = finished;
    const rest = writeText(this.#tool.tool, finished, this.table.text(1)).length;
    let text = limits.text - margin - rest;
    let json = limits.json - margin - JSON.stringify({ ...payload, data: [], context }).length;
    const tooMany = this.table.lines.findIndex((line, row) => {
      // The first line is in the rest.
      if (row > 0) text -= line.length + 1;
      json -= (this.#lengths[row] ?? 0) + 1;
      return text < 0 || json < 0;
    });
    return tooMany === -1 ? this.table.lines.length : tooMany;
  }
}

/** How addresses can be had, where leaving them out of the text leaves a way to see them. */
function addressHint({ input: { shape } }: PresentSettings['tool']): string | undefined {
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
  { warnings: _, ...given }: Answer['context'],
): { structured: JsonObject; text: string } | undefined {
  const { period: _period, asOf: _asOf, ...notes } = figure.notes;
  const { complete } = notes;
  const warnings = gatherWarnings(figure.notes.warnings);
  const context = { ...given, complete, ...(warnings.length > 0 && { warnings }) };
  const text = [
    headline(tool, { noun: figure.kind, payload: {}, context }),
    // The headline has said of which days, and when they were read; warnings come last, as everywhere.
    figureText({ ...figure, notes: { ...notes, warnings: [] } }, 'en'),
    ...(given.tables?.length ? [asOurs(tablesLine(given.tables))] : []),
    ...warningLines(warnings),
  ].join('\n');
  const structured = { figure: { ...figure, notes: { ...figure.notes, warnings } }, context };
  const isTooLarge = text.length > limits.text || JSON.stringify(structured).length > limits.json;
  return isTooLarge ? undefined : { structured, text };
}

function sayTooLarge({ axis, series }: Figure): string {
  return `Not drawn: ${axis.labels.length} labels of ${series.length} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`;
}

function toResult(
  { output }: PresentSettings['tool'],
  structuredContent: JsonObject,
  text: string,
  finished?: FinishedAnswer,
): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  const { result } = finished?.context ?? {};
  if (result)
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
  content[0] = {
    type: 'text',
    text: `${text}\n${asOurs(`The platform's answer is not of the documented form (${oddity}), so it comes as text only.`)}`,
  };
  return { content, isError: true };
}
