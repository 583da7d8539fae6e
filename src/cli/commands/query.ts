import { text } from 'node:stream/consumers';
import { query as queryTool } from '../../analysis/query.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { engineProblem } from '../../query/pool/installation.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { readFigureFiles } from '../figure-files.ts';
import { ownCommand } from '../program.ts';
import { runTool } from '../run-tool.ts';
import { withConnected } from './connect/entries.ts';

const example = () =>
  `${ownCommand()} query "SELECT status, count(*) FROM list_orders(period := 'yesterday') GROUP BY ALL"`;

/** Runs one SELECT over the tools; `-` reads it from standard input. Written to a file, it is drawn. */
export async function runQuery({ operands, ...line }: CommandLine): Promise<0 | 1> {
  const { files, others } = await readFigureFiles(line.values);
  const maxCalls = line.values['max-calls'];
  const sql = await readStatement(operands);
  const problem = engineProblem();
  if (problem !== undefined) throw new Error(problem);
  return runTool({
    ...(await withConnected(line)),
    tool: files ? showFigure.tool : queryTool.tool,
    input: { sql, ...(maxCalls !== undefined && { max_calls: Number(maxCalls) }) },
    values: others,
    files,
  });
}

async function readStatement([given, ...more]: readonly string[]): Promise<string> {
  if (given === undefined) throw new UsageError(`query needs a statement: ${example()}`);
  if (more.length > 0)
    throw new UsageError(
      `The statement came in ${more.length + 1} parts: put all of it in quotes, or give - and send it to standard input.`,
    );
  const sql = given === '-' ? await text(process.stdin) : given;
  if (sql.trim() === '')
    throw new UsageError(
      given === '-' ? 'Standard input holds no statement.' : `The statement is empty: ${example()}`,
    );
  return sql;
}
