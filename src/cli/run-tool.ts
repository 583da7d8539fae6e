import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import type { CallOptions } from '../analysis/answer.ts';
import type { JsonObject } from '../core/json.ts';
import { neutralise, neutralJson } from '../core/text.ts';
import type { App } from '../mcp/app/app.ts';
import { callTool } from '../mcp/server/call-tool.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { checkPlaces, figureFiles, ownLocale, writeFigureFiles } from './figure-files.ts';
import { openApp } from './open-app.ts';
import { print, untilAsked } from './process.ts';
import { textOf, viewResult } from './terminal/answer.ts';
import { openStatusLine } from './terminal/status-line.ts';
import { say } from './terminal/text.ts';

/** A tool to call once, and the command line that asks for it. */
export interface ToolRun extends CommandLine {
  tool: string;
  input: JsonObject;
}

/**
 * Calls one tool and prints its answer: as a table or a drawing in a terminal, as the text that a model reads in a
 * pipe, with `--json` the structured answer exactly, with `--csv` every row that was read.
 *
 * @throws {UsageError} for a tool that is not on offer, or flags that exclude each other.
 */
export async function runTool(run: ToolRun): Promise<0 | 1> {
  const files = figureFiles(run.values);
  refuseMixed(run.switches, files !== undefined);
  if (files) await checkPlaces(files);
  const { app, close } = await openApp(run);
  app.services.client.prepare();
  const stopped = new AbortController();
  untilAsked().then(() => stopped.abort());
  const status = openStatusLine();
  const call = { signal: stopped.signal, onProgress: status.report };
  try {
    const { pieces, notes, hasFailed, structured } = run.switches.has('csv')
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

function refuseMixed(switches: ReadonlySet<string>, hasFiles: boolean): void {
  const isCsv = switches.has('csv');
  if (isCsv && switches.has('json'))
    throw new UsageError('--json and --csv are two forms of one answer: give one of them');
  if (isCsv && hasFiles)
    throw new UsageError('--csv prints rows and draws nothing: give it without --html and --svg');
  if (!isCsv && (switches.has('names') || switches.has('excel')))
    throw new UsageError('--names and --excel say how --csv is written: give it too');
}

/** What is printed, and what goes to stderr: why the call failed, or what a file cannot say. */
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
  const pieces = [show(result, run), '\n'];
  return { pieces, structured: result.structuredContent };
}

/** Every row of the answer. */
async function readWhole(app: App, run: ToolRun, call: CallOptions): Promise<Printed> {
  const { csvOfAnswer } = await import('./csv.ts');
  const wishes = { hasNames: run.switches.has('names'), isForExcel: run.switches.has('excel') };
  let csv: Printed = { pieces: [] };
  const result = await callTool(app, run.tool, run.input, {
    ...call,
    present: async ({ services }, answer) => {
      const tool = app.catalogue.find(run.tool);
      if (tool) csv = await csvOfAnswer(tool, answer, services, wishes);
      return { content: [] };
    },
  });
  if (result.isError) return failure(result);
  return process.stdout.isTTY ? { ...csv, pieces: tamed(csv.pieces) } : csv;
}

/** Names from the account cannot steer a terminal; a file gets them as they are. */
function* tamed(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield piece.split('\n').map(neutralise).join('\n');
}

function failure(result: CallToolResult): Printed {
  return { pieces: [], notes: textOf(result), hasFailed: true };
}

function show(result: CallToolResult, run: ToolRun): string {
  const { structuredContent: structured } = result;
  const { stdout } = process;
  if (run.switches.has('json'))
    return stdout.isTTY ? neutralJson(structured) : JSON.stringify(structured);
  if (!stdout.isTTY) return textOf(result);
  const flags = run.switches.has('sandbox') ? ['--sandbox'] : [];
  const view = { width: stdout.columns || 80, locale: ownLocale(run.env) };
  return viewResult(result, { ...view, tool: run.tool, flags }).join('\n');
}
