import { Command, CommanderError, Option } from 'commander';
import { ConfigError, settings } from '../config/config.ts';
import { InputError, reasonIn } from '../core/errors.ts';
import { version } from '../core/program.ts';
import { CommandError, type CommandLine, UsageError } from './command-line.ts';
import {
  type CommandDefinition,
  cliFlag,
  commands,
  sandboxFlags,
  serverSettings,
} from './commands.ts';
import { usageMessages } from './messages.ts';
import { guardOutput, ownCommand } from './program.ts';

/** @returns the exit code: 0 done, 1 failed, 2 wrong usage or configuration, 3 no news */
export async function runCommandLine(
  argv: readonly string[],
  parts: Pick<CommandLine, 'queryEngine'> = {},
): Promise<0 | 1 | 2 | 3> {
  let line: ReadLine | undefined;
  try {
    line = readCommandLine(argv);
    if (line === undefined) return 0;
    // Stdout of a server belongs to the protocol, which handles its end.
    if (line.command !== 'stdio' && line.command !== 'http') guardOutput();
    return await line.definition.run({ ...line, ...parts });
  } catch (error) {
    const code = await report(error);
    const isMisconfigured = error instanceof ConfigError || error instanceof UsageError;
    // A client does not show what a server printed before it ended.
    if (isMisconfigured && line?.command === 'stdio' && !process.stdin.isTTY) {
      const { refuseOverStdio } = await import('./commands/stdio.ts');
      await refuseOverStdio(error);
    }
    return code;
  }
}

async function report(error: unknown): Promise<1 | 2> {
  // cli.js enables source maps at the log level debug.
  if (process.sourceMapsEnabled) console.error(error);
  const { sayProblems, say } = await import('./terminal/text.ts');
  if (error instanceof ConfigError) {
    say(sayProblems(error.problems));
    return 2;
  }
  const isUsage = error instanceof UsageError || error instanceof InputError;
  const reason = error instanceof CommandError ? error.reason : reasonIn(error);
  const help = isUsage ? `\n${ownCommand()} --help shows how it is used.` : '';
  say(`commerce-mcp: ${reason.text}${help}`);
  return isUsage ? 2 : 1;
}

export interface ReadLine extends CommandLine {
  command: string;
  definition: CommandDefinition;
}

/**
 * Reads a command line. Undefined after help or the version was printed.
 * @throws {UsageError} that names the command or flag and the nearest known one
 */
export function readCommandLine(argv: readonly string[]): ReadLine | undefined {
  let line: ReadLine | undefined;
  const words = normaliseWords(argv);
  const program = createProgram();
  // A named command is read alone; help and unknown words need all commands.
  const allCommands = Object.entries(commands);
  const namedCommands = allCommands.filter(([command]) => command === words[0]);
  for (const [command, definition] of namedCommands.length > 0 ? namedCommands : allCommands) {
    const added = addCommand(program, command, definition).action(() => {
      line = { command, definition, operands: added.args, flags: flagsOf(added), env: process.env };
    });
  }
  try {
    program.parse(words, { from: 'user' });
    return line;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    const isUnknown = error.code === 'commander.help';
    const text = error.message.replace(/^error: /, '');
    throw new UsageError(
      isUnknown ? usageMessages.unknown_command() : usageMessages.unreadable_line({ words: text }),
    );
  }
}

function createProgram(): Command {
  return new Command(ownCommand())
    .description('A read-only MCP server over a retail and hospitality platform.')
    .usage('[COMMAND] [flags]')
    .version(version, '-v, --version', 'Print the version')
    .helpOption('-h, --help', 'Show this help; after a command, the help of that command')
    .helpCommand('help [COMMAND]', 'Show this help, or that of a command')
    .exitOverride()
    .configureOutput({
      writeErr: () => {},
      writeOut: (text) => {
        guardOutput();
        process.stdout.write(text);
      },
    })
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(' [flags]', ''),
    })
    .addHelpText(
      'after',
      `
Every command takes --sandbox: invented data instead of a real account.
No credentials yet? Try: ${ownCommand()} demo

Examples:
  ${ownCommand()} call get_daily_close date=yesterday --sandbox
  ${ownCommand()} connect cursor`,
    );
}

function addCommand(program: Command, name: string, definition: CommandDefinition): Command {
  const { usage = '', about, example, flags = [] } = definition;
  const command = program
    .command(name)
    .summary(about)
    .description(`${about}.\n\nExample:\n  ${ownCommand()} ${example}`)
    .usage(`${usage} [flags]`.trimStart())
    .addHelpOption(new Option('-h, --help', 'Show this').helpGroup('Flags:'));
  if (usage !== '') command.arguments(usage);
  const common = sandboxFlags.filter(({ long }) => flags.every((flag) => flag.long !== long));
  for (const option of [...flags, ...common]) command.addOption(option.helpGroup('Flags:'));
  const groups = definition.settings ?? serverSettings;
  const read = settings.filter(({ group }) => groups.includes(group));
  for (const { variable, flag, about, default: unset, isSwitch } of read) {
    if (flag === undefined) continue;
    const notes = unset ? `${variable}, default ${unset.replaceAll(',', ', ')}` : variable;
    const form = `--${flag} ${isSwitch ? '[value]' : '<value>'}`;
    const option = cliFlag(form, `${about.replaceAll('`', '')} (${notes})`).preset('true');
    command.addOption(option.helpGroup('Settings, as flags or variables; a flag wins:'));
  }
  const secrets = read.filter(({ flag }) => flag === undefined);
  const terms = secrets.map(({ variable, fileVariable: file }) => {
    return `\n  ${variable}${file ? `\n  ${file} (a file that holds it)` : ''}`;
  });
  if (terms.length > 0)
    command.addHelpText('after', `\nFrom the environment alone:${terms.join('')}`);
  return command;
}

function flagsOf(command: Command): CommandLine['flags'] {
  const values = command.options.flatMap((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return value === undefined ? [] : [[option.name(), String(value)]];
  });
  return Object.fromEntries(values);
}

/**
 * Adds `stdio` if no command is named, and reads what clients write as a switch: `--sandbox=true`, `--sandbox=` and a
 * reference to a field that was not filled in.
 */
function normaliseWords(argv: readonly string[]): string[] {
  const [first = '-'] = argv;
  const isNamed = !first.startsWith('-') || /^(-h|--help|-v|--version)$/.test(first);
  return [...(isNamed ? [] : ['stdio']), ...argv].flatMap((word) =>
    /^--sandbox=(false|\$\{.*\})?$/.test(word)
      ? []
      : [word.replace(/^--sandbox=true$/, '--sandbox')],
  );
}
