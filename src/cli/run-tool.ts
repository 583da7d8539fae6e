import { ProtocolError } from '@modelcontextprotocol/server';
import type { CallOptions } from '../analysis/answer.ts';
import type { JsonObject } from '../core/json.ts';
import { neutralise, neutralJson } from '../core/text.ts';
import type { App } from '../mcp/app/app.ts';
import { callTool } from '../mcp/server/call-tool.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { localeOf, writeFigureFiles } from './figure-files.ts';
import { openApp } from './open-app.ts';
import { print, untilAsked } from './process.ts';
import { resultText, viewResult } from './terminal/answer.ts';
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
 * @throws {UsageError} for a tool that is not on offer.
 */
export async function runTool(run: ToolRun): Promise<0 | 1> {
  const { app, close } = await openApp(run);
  app.services.client.prepare();
  const stopped = new AbortController();
  untilAsked().then(() => stopped.abort());
  const status = openStatusLine();
  const call = { signal: stopped.signal, onProgress: status.report };
  try {
    const { pieces, notes, hasFailed, structured } = await ask(app, run, call);
    status.clear();
    if (notes) say(notes, hasFailed ? 'red' : 'yellow');
    await print(pieces);
    if (!hasFailed)
      for (const path of await writeFigureFiles(run, structured)) say(`Written: ${path}`, 'dim');
    return hasFailed ? 1 : 0;
  } catch (error) {
    if (error instanceof ProtocolError) throw new UsageError(error.message);
    throw error;
  } finally {
    status.clear();
    await close();
  }
}

/** What is printed, and what goes to stderr: why the call failed, or what a file cannot say. */
interface Printed {
  pieces: Iterable<string>;
  notes?: string;
  hasFailed?: true;
  /** The structured answer behind it. */
  structured?: unknown;
}

async function ask(app: App, run: ToolRun, call: CallOptions): Promise<Printed> {
  const { tool, input, switches } = run;
  const { isTTY, columns } = process.stdout;
  let csv: Printed | undefined;
  const result = await callTool(app, tool, input, {
    ...call,
    ...(switches.has('csv') && {
      present: async ({ services }, answer) => {
        const { csvOfAnswer } = await import('./csv.ts');
        const known = app.catalogue.find(tool);
        if (known) csv = await csvOfAnswer(known, answer, services, switches);
        return { content: [] };
      },
    }),
  });
  if (result.isError) return { pieces: [], notes: resultText(result), hasFailed: true };
  if (csv) return isTTY ? { ...csv, pieces: tamed(csv.pieces) } : csv;
  const { structuredContent: structured } = result;
  const write = () => {
    if (switches.has('json')) return isTTY ? neutralJson(structured) : JSON.stringify(structured);
    if (!isTTY) return resultText(result);
    const flags = switches.has('sandbox') ? ['--sandbox'] : [];
    const view = { width: columns || 80, locale: localeOf(run.env), tool, flags };
    return viewResult(result, view).join('\n');
  };
  return { pieces: [write(), '\n'], structured };
}

/** Names from the account cannot steer a terminal; a file gets them as they are. */
function* tamed(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield piece.split('\n').map(neutralise).join('\n');
}
