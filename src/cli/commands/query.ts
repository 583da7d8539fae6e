import { text } from 'node:stream/consumers';
import { query as queryTool } from '../../analysis/query.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { engineProblem } from '../../query/pool/installation.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { figureFiles } from '../figure-files.ts';
import { ownCommand } from '../program.ts';
import { runTool } from '../run-tool.ts';
import { withConnected } from './connect/entries.ts';

/** Runs one SELECT over the tools; `-` reads it from standard input. Written to a file, it is drawn. */
export async function runQuery(line: CommandLine): Promise<0 | 1> {
  const sql = await readStatement(line.operands);
  const problem = engineProblem();
  if (problem !== undefined) throw new Error(problem);
  const maxCalls = line.values['max-calls'];
  return runTool({
    ...(await withConnected(line)),
    tool: figureFiles(line.values) ? showFigure.tool : queryTool.tool,
    input: { sql, ...(maxCalls !== undefined && { max_calls: Number(maxCalls) }) },
  });
}

async function readStatement([given, ...more]: readonly string[]): Promise<string> {
  const example = `${ownCommand()} query "SELECT status, count(*) FROM list_orders(period := 'yesterday') GROUP BY ALL"`;
  if (given === undefined) throw new UsageError(`query needs a statement: ${example}`);
  if (more.length > 0)
    throw new UsageError(
      `The statement came in ${more.length + 1} parts: put all of it in quotes, or give - and send it to standard input.`,
    );
  const sql = given === '-' ? await text(process.stdin) : given;
  if (sql.trim() === '')
    throw new UsageError(
      given === '-' ? 'Standard input holds no statement.' : `The statement is empty: ${example}`,
    );
  return sql;
}
