import { text } from 'node:stream/consumers';
import { query as queryTool } from '../../analysis/query.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { toolsets } from '../../endpoints/define.ts';
import { unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue } from '../../mcp/tools/catalogue.ts';
import { engineProblem } from '../../query/pool/installation.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { wantsFile } from '../figure-files.ts';
import { ownCommand } from '../program.ts';
import { runTool } from '../run-tool.ts';
import { withConnected } from './connect/entries.ts';

/** Calls the tool that is named, with arguments as `key=value`. */
export async function call(line: CommandLine): Promise<0 | 1> {
  const [tool = '', ...pairs] = line.operands;
  const input = readPairs(pairs);
  // A mistyped name is said before anything is configured or asked.
  const documented = new Catalogue(toolsets);
  const known = documented.find(tool);
  if (known === undefined) throw new UsageError(unknownTool(documented, tool).message);
  if (wantsFile(line) && known.view !== 'figure')
    throw new UsageError(
      `--html and --svg write figures: call ${showFigure.tool} sql=... with them`,
    );
  return runTool({ ...(await withConnected(line)), tool, input });
}

/** `key=value` pairs as arguments; a value that is a JSON list or object counts as what it encodes. */
function readPairs(pairs: readonly string[]): JsonObject {
  const input = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === '') throw new UsageError(`"${pair}" is not key=value, such as period=last_week`);
    if (input.has(name)) throw new UsageError(`${name} is given twice`);
    const parsed = parseJson(text);
    input.set(name, Array.isArray(parsed) || isRecord(parsed) ? parsed : text);
  }
  return Object.fromEntries(input);
}

/** Runs one SELECT over the tools; `-` reads it from standard input. Written to a file, it is drawn. */
export async function runQuery(line: CommandLine): Promise<0 | 1> {
  const [given = ''] = line.operands;
  const sql = given === '-' ? await text(process.stdin) : given;
  if (sql.trim() === '')
    throw new UsageError(`The statement is empty: ${ownCommand()} query "SELECT name FROM shops"`);
  const problem = engineProblem();
  if (problem !== undefined) throw new Error(problem);
  const maxCalls = line.values['max-calls'];
  return runTool({
    ...(await withConnected(line)),
    tool: wantsFile(line) ? showFigure.tool : queryTool.tool,
    input: { sql, ...(maxCalls !== undefined && { max_calls: Number(maxCalls) }) },
  });
}
