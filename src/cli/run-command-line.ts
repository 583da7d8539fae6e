import { ConfigError } from '../config.ts';
import { messageOf } from '../core/errors.ts';
import { readCommandLine } from './arguments.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { guardOutput, ownCommand } from './program.ts';

/** Runs a command line and gives the exit code: 0 done, 1 failed, 2 wrong usage or configuration. */
export async function runCommandLine(
  argv: readonly string[],
  parts: Pick<CommandLine, 'queryEngine'> = {},
): Promise<0 | 1 | 2> {
  try {
    const line = readCommandLine(argv);
    if (line === undefined) return 0;
    // The stdout of a server belongs to the protocol, which handles its end itself.
    if (line.command !== 'stdio' && line.command !== 'http') guardOutput();
    return await line.definition.run({ ...line, ...parts });
  } catch (error) {
    return await report(error);
  }
}

/** Says on stderr what went wrong. */
async function report(error: unknown): Promise<1 | 2> {
  // Loaded late: the library that measures texts takes as long to load as all definitions of tools.
  const { say } = await import('./terminal/text.ts');
  if (error instanceof UsageError) {
    say(`commerce-mcp: ${error.message}\n${ownCommand()} --help shows how it is used.`);
    return 2;
  }
  if (error instanceof ConfigError) {
    const isMissing = error.problems.some(({ missing }) => missing);
    const lines = error.problems.map(({ name, problem }) => `  ${name} ${problem}`);
    const advice = `\nNo credentials yet? Try it with invented data: ${ownCommand()} demo, or add --sandbox.`;
    say(['commerce-mcp cannot start:', ...lines, ...(isMissing ? [advice] : [])].join('\n'));
    return 2;
  }
  say(`commerce-mcp: ${messageOf(error)}`);
  return 1;
}
