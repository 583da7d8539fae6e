import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import type { CallOptions } from '../analysis/answer.ts';
import { readFigure } from '../analysis/figure/figure.ts';
import { query } from '../analysis/query.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import type { App } from '../mcp/app/app.ts';
import { callTool } from '../mcp/server/call-tool.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { type FigureFiles, ownLocale, writeFigureFiles } from './figure-files.ts';
import { openApp } from './open-app.ts';
import { untilAsked } from './signals.ts';
import { print } from './terminal/print.ts';
import { say } from './terminal/say.ts';
import { openStatusLine } from './terminal/status-line.ts';

/** A tool to call once, and what came with it. */
export interface ToolRun extends Omit<CommandLine, 'operands'> {
  tool: string;
  input: JsonObject;
  /** Where its figure is written to. */
  files?: FigureFiles | undefined;
}

/**
 * Calls one tool and prints its answer: as a table or a drawing in a terminal, as the text that a model reads in a
 * pipe, with `--json` the structured answer exactly, with `--csv` every row that was read.
 *
 * @throws {UsageError} for a tool that is not on offer.
 */
export async function runTool(run: ToolRun): Promise<0 | 1> {
  const { switches, files } = run;
  if (switches.has('json') && switches.has('csv'))
    throw new UsageError('--json and --csv are two forms of one answer: give one of them');
  if (files && switches.has('csv'))
    throw new UsageError('--csv prints rows and draws nothing: give it without --html and --svg');
  const { app, close } = await openApp(run);
  app.services.client.prepare();
  const stopped = new AbortController();
  untilAsked().then(() => stopped.abort());
  const status = openStatusLine();
  const call = { signal: stopped.signal, onProgress: status.report };
  try {
    const { pieces, notes, hasFailed, structured } = switches.has('csv')
      ? await readWhole(app, run, call)
      : await readShown(app, run, call);
    status.clear();
    if (notes) say(notes, hasFailed ? 'red' : 'yellow');
    await print(pieces);
    if (files && !hasFailed)
      for (const path of await writeFigureFiles(files, structured)) say(`Written: ${path}`, 'dim');
    return hasFailed ? 1 : 0;
  } catch (error) {
    if (error instanceof ProtocolError) throw new UsageError(error.message);
    throw error;
  } finally {
    status.clear();
    await close();
  }
}

/** What is printed, and what is said beside it: why the call failed, or what a file cannot say. */
interface Printed {
  pieces: Iterable<string>;
  notes?: string;
  hasFailed?: true;
  /** The structured answer behind it. */
  structured?: unknown;
}

/** As much of the answer as fits a reader. */
async function readShown(app: App, run: ToolRun, call: CallOptions): Promise<Printed> {
  const result = await callTool(app, run.tool, run.input, call);
  if (result.isError) return failure(result);
  const pieces = [await show(app, result, run), '\n'];
  return { pieces, structured: result.structuredContent };
}

/** Every row of the answer. */
async function readWhole(app: App, { tool, input }: ToolRun, call: CallOptions): Promise<Printed> {
  const { csvOfAnswer } = await import('./csv-answer.ts');
  let csv: Printed = { pieces: [] };
  const result = await callTool(app, tool, input, {
    ...call,
    present: async (_, answer) => {
      const asked = app.catalogue.find(tool);
      if (asked) csv = csvOfAnswer(asked, answer);
      return { content: [] };
    },
  });
  return result.isError ? failure(result) : csv;
}

function failure(result: CallToolResult): Printed {
  return { pieces: [], notes: textOf(result), hasFailed: true };
}

async function show(
  app: App,
  result: CallToolResult,
  { tool, input, switches, env }: ToolRun,
): Promise<string> {
  const { structuredContent } = result;
  if (switches.has('json')) return JSON.stringify(structuredContent);
  const text = textOf(result);
  if (!process.stdout.isTTY || !isRecord(structuredContent)) return text;
  const width = process.stdout.columns || 80;
  const figure = readFigure(structuredContent.figure);
  if (figure) {
    const { viewFigure } = await import('./terminal/figure/view-figure.ts');
    return viewFigure(figure, { width, locale: ownLocale(env) }).join('\n');
  }
  const locale = ownLocale(env);
  const { drawRows } = await import('./terminal/figure/draw-rows.ts');
  const { viewAnswer } = await import('./terminal/view/answer.ts');
  const taken = app.catalogue.find(tool)?.inputSchema.properties ?? {};
  return viewAnswer({
    tool,
    input,
    flags: switches.has('sandbox') ? ['--sandbox'] : [],
    isPaged: 'start' in taken,
    takesFields: 'fields' in taken,
    structured: structuredContent,
    headline: text.split('\n', 1)[0] ?? '',
    width,
    ...(tool === query.tool && { draw: (rows, of) => drawRows(rows, of, { width, locale }) }),
  }).join('\n');
}

function textOf({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
