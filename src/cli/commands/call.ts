import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { readFigure } from '../../analysis/figure/figure.ts';
import { query as queryTool } from '../../analysis/query.ts';
import { csvChunks } from '../../analysis/rows/csv.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { countNoun, neutralise, neutralJson } from '../../core/text.ts';
import { presentAnswer } from '../../mcp/answers/present.ts';
import { type RowsFile, rowsFileOf, wholeInput } from '../../mcp/files/rows-file.ts';
import { callTool, unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue } from '../../mcp/tools/catalogue.ts';
import { CommandError, type CommandLine, readPairs, UsageError } from '../command-line.ts';
import { usageMessages } from '../messages.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { alignAnswer } from '../terminal/table.ts';
import { openStatusLine, say } from '../terminal/text.ts';
import { writeWhole } from '../write-whole.ts';
import { applyConnectedEntry } from './connect/entries.ts';

export async function call(line: CommandLine): Promise<0 | 1> {
  const [tool = '', ...pairs] = line.operands;
  // A mistyped name is refused before the configuration is read.
  const documented = new Catalogue();
  const definition = documented.find(tool);
  if (definition === undefined) throw new UsageError(unknownTool(documented, tool));
  const names = Object.keys(definition.input.shape);
  const { csv = '', html } = line.flags;
  // `--csv period=last_week` is an argument after the flag, not a file.
  const isPair = names.some((name) => csv.startsWith(`${name}=`));
  const flags = isPair ? { ...line.flags, csv: '-' } : line.flags;
  const input = readPairs(isPair ? [...pairs, csv] : pairs, names);
  if (html !== undefined && tool !== showFigure.tool)
    throw new UsageError(usageMessages.figures_only({ tool: showFigure.tool }));
  return runTool({ ...(await applyConnectedEntry({ ...line, flags })), tool, input });
}

/** Runs one SELECT over the tools; `-` reads it from standard input. */
export async function runQuery(line: CommandLine): Promise<0 | 1> {
  const [operand = ''] = line.operands;
  const sql = operand === '-' ? await text(process.stdin) : operand;
  if (sql.trim() === '') throw new UsageError(usageMessages.no_statement());
  return runTool({ ...(await applyConnectedEntry(line)), tool: queryTool.tool, input: { sql } });
}

interface ToolRun extends CommandLine {
  tool: string;
  input: JsonObject;
}

/**
 * Calls a tool and prints its answer as text, as exact JSON with `--json`, or every row with `--csv` and `--xlsx`.
 * @throws {UsageError} for a tool that is not offered
 */
async function runTool(run: ToolRun): Promise<0 | 1> {
  const { tool, input, flags } = run;
  const { app, close } = await openApp(run);
  app.services.client.prepare();
  const status = openStatusLine();
  const isFile = flags.csv !== undefined || flags.xlsx !== undefined;
  let file: RowsFile | undefined;
  const definition = app.catalogue.find(tool);
  try {
    if (definition === undefined) throw new UsageError(unknownTool(app.catalogue, tool));
    const result = await callTool(app, tool, isFile ? wholeInput(definition, input) : input, {
      signal: stopSignal(),
      onProgress: status.report,
      async present(settings, answer) {
        // Kept rows end with this process, so no text may refer to them.
        const hasResults = flags.json !== undefined;
        if (!isFile) return presentAnswer({ ...settings, hasResults }, answer);
        file = await rowsFileOf(settings, answer, flags.xlsx !== undefined);
        return { content: [] };
      },
    });
    status.clear();
    if (result.isError) {
      say(resultText(result));
      return 1;
    }
    if (file) {
      await writeFile(run, file);
      return 0;
    }
    await pipeline([writeResult(run, result), '\n'], process.stdout, { end: false });
    if (flags.html !== undefined) await writePage(flags.html, result);
    return 0;
  } finally {
    status.clear();
    await close();
  }
}

async function writeFile({ tool, flags }: ToolRun, file: RowsFile): Promise<void> {
  const { columns, rows, notes } = file;
  if (notes.length > 0) say(notes.join('\n'));
  const { xlsx, csv = '-' } = flags;
  if (xlsx === undefined && csv === '-')
    return pipeline(escapeForTerminal(csvChunks(columns)), process.stdout, { end: false });
  const path = xlsx ?? csv;
  const { workbookBytes } = await import('../../mcp/files/workbook.ts');
  await writeWhole(path, xlsx ? await workbookBytes(tool, file) : [...csvChunks(columns)].join(''));
  say(`Written: ${path}, ${countNoun(rows, 'row')}`);
}

function writeResult({ flags }: ToolRun, result: CallToolResult): string {
  const { isTTY, columns } = process.stdout;
  const { structuredContent: structured } = result;
  if (flags.json) return isTTY ? neutralJson(structured) : JSON.stringify(structured);
  const answer = resultText(result);
  return isTTY ? alignAnswer(answer, columns || 80) : answer;
}

export function resultText({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Escapes control characters at a terminal, where they would have an effect; a file gets them unchanged. */
function* escapeForTerminal(pieces: Iterable<string>): Generator<string> {
  const { isTTY } = process.stdout;
  for (const piece of pieces) yield isTTY ? piece.split('\n').map(neutralise).join('\n') : piece;
}

/**
 * Writes the figure of an answer as a page, whole or not at all.
 * @throws {CommandError} if there is no figure, or the file cannot be written
 */
async function writePage(path: string, { structuredContent }: CallToolResult): Promise<void> {
  const figure = readFigure(isRecord(structuredContent) ? structuredContent.figure : undefined);
  if (figure === undefined) throw new CommandError(usageMessages.no_figure());
  const { standalonePage } = await import('../../mcp/tools/figure-page.ts');
  await writeWhole(path, await standalonePage(figure));
  say(`Written: ${path}`);
}
