import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { drawAnswer, drawnTools } from '../../analysis/draw-answer.ts';
import { type Figure, readFigure } from '../../analysis/figure/figure.ts';
import { type FigureLocale, localeFor } from '../../analysis/figure/figure-text.ts';
import { query as queryTool } from '../../analysis/query.ts';
import { csvChunks } from '../../analysis/rows/csv.ts';
import type { Row } from '../../analysis/rows/rows.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { neutralise, neutralJson } from '../../core/text.ts';
import { presentAnswer } from '../../mcp/answers/present.ts';
import { callTool, unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue, type Tool } from '../../mcp/tools/catalogue.ts';
import { CommandError, type CommandLine, readPairs, UsageError } from '../command-line.ts';
import { type FlatAnswer, flattenAnswer, namedColumns, notesOf } from '../flat-answer.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { isContext, resultText, viewResult } from '../terminal/answer.ts';
import { personReader } from '../terminal/catalogue/catalogue.ts';
import { openStatusLine, say, sayText } from '../terminal/text.ts';
import { writeWhole } from '../write-whole.ts';
import { withConnected } from './connect/entries.ts';

/** Calls the tool that is named, with arguments as `key=value`. */
export async function call(line: CommandLine): Promise<0 | 1> {
  const [tool = '', ...pairs] = line.operands;
  // A mistyped name is said before anything is configured or asked.
  const documented = new Catalogue();
  const known = documented.find(tool);
  if (known === undefined) throw new UsageError(unknownTool(documented, tool));
  const input = readPairs(pairs, Object.keys(known.input.shape));
  const isDrawn = known.view === 'figure' || drawnTools.includes(tool);
  if (wantsFile(line) && !isDrawn)
    throw new UsageError({ code: 'figures_only', tools: [showFigure.tool, ...drawnTools] });
  return runTool({ ...(await withConnected(line)), tool, input });
}

/** Runs one SELECT over the tools; `-` reads it from standard input. Written to a file, it is drawn. */
export async function runQuery(line: CommandLine): Promise<0 | 1> {
  const [operand = ''] = line.operands;
  const sql = operand === '-' ? await text(process.stdin) : operand;
  if (sql.trim() === '') throw new UsageError({ code: 'no_statement' });
  const maxCalls = line.flags['max-calls'];
  return runTool({
    ...(await withConnected(line)),
    tool: wantsFile(line) ? showFigure.tool : queryTool.tool,
    input: { sql, ...(maxCalls !== undefined && { max_calls: Number(maxCalls) }) },
  });
}

interface ToolRun extends CommandLine {
  tool: string;
  input: JsonObject;
}

/**
 * Calls one tool and prints its answer: as a table or a drawing in a terminal, as the text that a model reads in a
 * pipe, with `--json` the structured answer exactly, with `--csv` and `--xlsx` every row that was read.
 *
 * @throws {UsageError} for a tool that is not on offer.
 */
async function runTool(run: ToolRun): Promise<0 | 1> {
  const { tool, input, flags } = run;
  const { app, config, close } = await openApp(run);
  app.services.client.prepare();
  const status = openStatusLine();
  const hasNames = flags.names !== undefined || flags.xlsx !== undefined;
  const isFlat = hasNames || flags.csv !== undefined;
  let flat: FlatAnswer | undefined;
  let rows: readonly Row[] = [];
  const known = app.catalogue.find(tool);
  try {
    if (known === undefined) throw new UsageError(unknownTool(app.catalogue, tool));
    const isPage = ['limit', 'start', 'top', 'all'].some((name) => name in input);
    // The largest of a page need not be the largest of all.
    const isWhole = wantsFile(run) && !isPage && 'all' in known.input.shape;
    const result = await callTool(app, tool, isWhole ? { ...input, all: true } : input, {
      signal: stopSignal(),
      onProgress: status.report,
      reader: flags.json ? app.reader : personReader(app.services.hasTool, flagsOf(run)),
      async present(settings, answer) {
        rows = answer.kind === 'rows' ? answer.rows : [];
        if (!isFlat) return presentAnswer(settings, answer);
        const how = { baseUrl: config.baseUrl, hasNames };
        flat = await flattenAnswer(known, settings.services, answer, how);
        return { content: [] };
      },
    });
    status.clear();
    if (result.isError) {
      sayText(resultText(result), 'red');
      return 1;
    }
    if (flat) {
      await writeFlat(run, flat);
      return 0;
    }
    await pipeline([writeResult(run, known, result), '\n'], process.stdout, { end: false });
    if (wantsFile(run)) await writeFigure(run, figureOf(run, result, rows));
    return 0;
  } finally {
    status.clear();
    await close();
  }
}

async function writeFlat({ flags }: ToolRun, flat: FlatAnswer) {
  const { xlsx } = flags;
  const cut = xlsx ? await (await import('../workbook.ts')).writeWorkbook(xlsx, [flat]) : [];
  const notes = [...notesOf(flat), ...cut];
  if (notes.length > 0) sayText(notes.join('\n'), 'yellow');
  const count = flat.noun === 'figures' ? {} : { rows: flat.rows.length };
  if (xlsx) return say({ code: 'written', path: xlsx, ...count }, 'dim');
  const pieces = csvChunks(namedColumns(flat), flags.excel !== undefined);
  await pipeline(escapeForTerminal(pieces), process.stdout, { end: false });
}

function flagsOf({ flags }: ToolRun): string[] {
  return flags.sandbox ? ['--sandbox'] : [];
}

function writeResult(run: ToolRun, tool: Tool, result: CallToolResult): string {
  const { input, flags, env } = run;
  const { isTTY, columns } = process.stdout;
  const { structuredContent: structured } = result;
  if (flags.json) return isTTY ? neutralJson(structured) : JSON.stringify(structured);
  if (!isTTY) return resultText(result);
  const view = { width: columns || 80, locale: localeOf(env), tool, input, flags: flagsOf(run) };
  return viewResult(result, view).join('\n');
}

/** Names from the account cannot steer a terminal; a file gets them as they are. */
function* escapeForTerminal(pieces: Iterable<string>): Generator<string> {
  const shown = (line: string) => neutralise(line.replace(/^\uFEFF/, ''));
  const { isTTY } = process.stdout;
  for (const piece of pieces) yield isTTY ? piece.split('\n').map(shown).join('\n') : piece;
}

function wantsFile({ flags: { html, svg } }: CommandLine): boolean {
  return html !== undefined || svg !== undefined;
}

/** The figure of an answer, or of all rows of one that is drawn as it is. @throws {CommandError} where there is none */
function figureOf({ tool, input }: ToolRun, result: CallToolResult, rows: readonly Row[]): Figure {
  const { figure, context } = isRecord(result.structuredContent) ? result.structuredContent : {};
  const drawn = readFigure(figure);
  if (drawn) return drawn;
  const decided = isContext(context) ? drawAnswer(tool, { rows, context, input }) : undefined;
  if (decided && 'figure' in decided) return decided.figure;
  throw new CommandError({ code: 'no_figure', reason: decided?.refusal });
}

/** Width of the picture, in pixels: half of a slide, the column of a mail. */
const pictureWidth = 960;

/**
 * Writes the figure of an answer to the files of `--html` and `--svg`, each whole or not at all: a page for any
 * browser, a picture for slides and mail.
 *
 * @throws {Error} when a file cannot be written.
 */
async function writeFigure({ flags, env }: CommandLine, figure: Figure): Promise<void> {
  const { html, svg } = flags;
  const write = async (path: string, text: string) => {
    await writeWhole(path, text);
    say({ code: 'written', path }, 'dim');
  };
  if (html !== undefined) {
    const { standalonePage } = await import('../../mcp/tools/figure-page.ts');
    await write(html, await standalonePage(figure));
  }
  if (svg !== undefined) {
    const { figureSvg } = await import('../../analysis/figure/figure-chart.ts');
    const style = { width: pictureWidth, theme: 'light', locale: localeOf(env) } as const;
    await write(svg, await figureSvg(figure, style));
  }
}

/** In whose form numbers and dates are written. */
export function localeOf({ LC_ALL, LC_MESSAGES, LANG }: CommandLine['env']): FigureLocale {
  return localeFor((LC_ALL || LC_MESSAGES || LANG)?.replace('_', '-'));
}
