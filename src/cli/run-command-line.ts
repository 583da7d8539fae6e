import { ConfigError } from '../config.ts';
import { readCommandLine } from './arguments.ts';
import { type CommandLine, type ExitCode, UsageError } from './command-line.ts';
import { guardOutput } from './process.ts';
import { ownCommand } from './program.ts';

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
    return await line.definition.run({ ...line, ...given });
  } catch (error) {
    return await report(error);
  }
}

async function report(error: unknown): Promise<ExitCode> {
  // What knows how wide a text is takes as long to load as all definitions of tools.
  const { say } = await import('./terminal/text.ts');
  if (error instanceof UsageError) {
    say(`commerce-mcp: ${error.message}\n${ownCommand()} --help shows how it is used.`);
    return 2;
  }
  if (error instanceof ConfigError) {
    say(explainConfig(error));
    return 2;
  }
  say(`commerce-mcp: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}

/** What is said of a configuration that cannot be used: each problem, and the way to try it out. */
function explainConfig({ problems }: ConfigError): string {
  const tryOut = `No credentials yet? Try it with invented data: ${ownCommand()} demo, or add --sandbox.`;
  return [
    'commerce-mcp cannot start:',
    ...problems.map(({ name, problem }) => `  ${name} ${problem}`),
    ...(problems.some(({ missing }) => missing) ? ['', tryOut] : []),
  ].join('\n');
}
