import { showFigure } from '../../analysis/show-figure.ts';
import { toolsets } from '../../endpoints/define.ts';
import { unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue } from '../../mcp/tools/catalogue.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { readFigureFiles } from '../figure-files.ts';
import { ownCommand } from '../program.ts';
import { runTool } from '../run-tool.ts';
import { withConnected } from './connect/entries.ts';
import { readPairs } from './pairs.ts';

/** Calls the tool that is named, with arguments as `key=value`. */
export async function call({ operands, ...line }: CommandLine): Promise<0 | 1> {
  const [tool, ...pairs] = operands;
  if (tool === undefined)
    throw new UsageError(`call needs a tool: ${ownCommand()} call get_daily_close date=yesterday`);
  const input = readPairs(pairs);
  // A mistyped name is said before anything is configured or asked.
  const documented = new Catalogue({ toolsets });
  const known = documented.find(tool);
  if (known === undefined) throw new UsageError(unknownTool(documented, tool).message);
  const { files, others } = await readFigureFiles(line.values);
  if (files && known.view !== 'figure')
    throw new UsageError(
      `--html and --svg write figures: call ${showFigure.tool} sql=... with them`,
    );
  return runTool({ ...(await withConnected(line)), tool, input, values: others, files });
}
