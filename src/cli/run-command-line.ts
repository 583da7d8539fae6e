import { ConfigError } from '../config.ts';
import { environmentOf, readCommandLine } from './arguments.ts';
import { type CommandLine, type ExitCode, UsageError } from './command-line.ts';
import { commands } from './commands.ts';
import { guardOutput } from './output.ts';

/** Runs what a command line asks for, and gives the exit code. What goes wrong is said on stderr. */
export async function runCommandLine(
  argv: readonly string[],
  given: Pick<CommandLine, 'queryEngine'> = {},
): Promise<ExitCode> {
  try {
    const line = readCommandLine(argv);
    // The stdout of a server belongs to the protocol, which knows what the end of it means.
    const isAbout = line.switches.has('version') || line.switches.has('help');
    if (isAbout || (line.command !== 'stdio' && line.command !== 'http')) guardOutput();
    if (line.switches.has('version')) {
      const { version } = await import('./open-app.ts');
      console.log(version);
      return 0;
    }
    if (line.switches.has('help')) {
      const { usage } = await import('./usage.ts');
      const width = process.stdout.isTTY ? process.stdout.columns : undefined;
      console.log(usage(line.isNamed ? line.command : undefined, width));
      return 0;
    }
    const env = environmentOf(line.command, process.env);
    return await commands[line.command].run({ ...line, ...given, env });
  } catch (error) {
    return report(error);
  }
}

async function report(error: unknown): Promise<ExitCode> {
  if (error instanceof UsageError) {
    console.error(`commerce-mcp: ${error.message}\ncommerce-mcp --help shows how it is used.`);
    return 2;
  }
  if (error instanceof ConfigError) {
    const { explainConfig } = await import('./open-app.ts');
    console.error(explainConfig(error));
    return 2;
  }
  console.error(`commerce-mcp: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}
