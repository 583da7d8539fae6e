import { ConfigError } from '../config.ts';
import { environmentOf, readCommandLine } from './arguments.ts';
import { type CommandLine, type ExitCode, UsageError } from './command-line.ts';
import { commands } from './commands.ts';
import { guardOutput } from './output.ts';
import { ownCommand } from './program.ts';
import { say } from './terminal/say.ts';

/** Runs what a command line asks for, and gives the exit code. What goes wrong is said on stderr. */
export async function runCommandLine(
  argv: readonly string[],
  given: Pick<CommandLine, 'queryEngine'> = {},
): Promise<ExitCode> {
  try {
    const line = readCommandLine(argv);
    if (line === undefined) return 0;
    // The stdout of a server belongs to the protocol, which knows what the end of it means.
    if (line.command !== 'stdio' && line.command !== 'http') guardOutput();
    const env = environmentOf(line.command, process.env);
    return await commands[line.command].run({ ...line, ...given, env });
  } catch (error) {
    return report(error);
  }
}

async function report(error: unknown): Promise<ExitCode> {
  if (error instanceof UsageError) {
    say(`commerce-mcp: ${error.message}\n${ownCommand()} --help shows how it is used.`);
    return 2;
  }
  if (error instanceof ConfigError) {
    const { explainConfig } = await import('./open-app.ts');
    say(explainConfig(error));
    return 2;
  }
  say(`commerce-mcp: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}
