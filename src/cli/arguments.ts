/** The command line by commander: the commands and flags of commands.ts, the settings of config.ts. */
import { Command, CommanderError, Help, Option } from 'commander';
import { accountSettings, flagOf, httpSettings, listSettings, type Setting } from '../config.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import {
  type CommandDefinition,
  type CommandName,
  commands,
  flag,
  type SettingsGroup,
  value,
} from './commands.ts';
import { guardOutput } from './process.ts';
import { ownCommand, version } from './program.ts';

/** A command line without the environment that its command reads. */
export interface ReadLine extends Omit<CommandLine, 'env'> {
  command: CommandName;
}

/**
 * Reads a command line.
 *
 * @returns undefined where it asked for help or the version, which is printed then
 * @throws {UsageError} that names the command or flag and the nearest known one.
 */
export function readCommandLine(argv: readonly string[]): ReadLine | undefined {
  let read: ReadLine | undefined;
  const program = createProgram((line) => {
    read = line;
  });
  try {
    program.parse(spelledOut(argv), { from: 'user' });
    return read;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw new UsageError(error.message.replace(/^error: /, ''));
  }
}

/** An environment without the settings that a command does not read, so that a wrong one cannot stop it. */
export function environmentOf(name: CommandName, env: CommandLine['env']): CommandLine['env'] {
  const read = variablesOf(commands[name]);
  const others = listSettings().flatMap(({ setting }) =>
    read.includes(setting) ? [] : [setting.variable, `${setting.variable}_FILE`],
  );
  return Object.fromEntries(Object.entries(env).filter(([key]) => !others.includes(key)));
}

function createProgram(take: (line: ReadLine) => void): Command {
  const program = new Command(ownCommand())
    .description('A read-only MCP server over a retail and hospitality platform.')
    .usage('[COMMAND] [flags]')
    .version(version, '-v, --version', 'Print the version')
    .helpOption('-h, --help', 'Show this; behind a command, all about that')
    .helpCommand(false)
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
NO_COLOR=1 takes the colours away; LANG=nl_NL writes figures in Dutch.
No credentials yet? Try: ${ownCommand()} demo`,
    );
  for (const name of Object.keys(commands)) if (isCommand(name)) addCommand(program, name, take);
  return program;
}

const sandbox = flag(
  'sandbox',
  'Use the embedded platform with invented data instead of a real account',
);

function addCommand(program: Command, name: CommandName, take: (line: ReadLine) => void): void {
  const definition: CommandDefinition = commands[name];
  const { usage = '', about, example, flags = [], settings } = definition;
  const command = program
    .command(name)
    .summary(about)
    .description(`${about}.\n\nExample:\n  ${ownCommand()} ${example}`)
    .usage(`${usage} [flags]`.trimStart())
    .addHelpOption(new Option('-h, --help', 'Show this').helpGroup('Flags:'))
    .addHelpText('after', () => secretsOf(definition))
    .action((operands: string[] = []) => take({ command: name, operands, ...given(command) }));
  if (usage !== '') command.argument('[operands...]');
  for (const option of [...flags, sandbox]) command.addOption(option.helpGroup('Flags:'));
  const read = variablesOf(definition);
  for (const setting of settingsIn(settings)) {
    const name = flagOf(setting);
    if (name === undefined) continue;
    const option = value(name, aboutSetting(setting, read.includes(setting)));
    command.addOption(option.helpGroup('Settings, as flags or variables; a flag wins:'));
  }
}

/** What the flags of a command say. */
function given(command: Command): Pick<CommandLine, 'values' | 'switches'> {
  const values: CommandLine['values'] = {};
  const switches = new Set<string>();
  for (const option of command.options) {
    const said: unknown = command.getOptionValue(option.attributeName());
    if (typeof said === 'string') values[option.name()] = said;
    if (said === true) switches.add(option.name());
  }
  return { values, switches };
}

function aboutSetting({ variable, about, standard }: Setting, isRead: boolean): string {
  const notes = [
    ...(isRead ? [variable] : []),
    ...(standard === undefined ? [] : [`default ${standard.replaceAll(',', ', ')}`]),
  ];
  return `${about.replaceAll('`', '')}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** The variables of a command that are no flags of it: secrets. */
function secretsOf(definition: CommandDefinition): string {
  const secrets = variablesOf(definition).filter((it) => flagOf(it) === undefined);
  if (secrets.length === 0) return '';
  const width = (process.stdout.isTTY && process.stdout.columns) || 80;
  const help = new Help();
  const lines = secrets.map((it) => {
    const text = help.boxWrap(`${it.variable}: ${aboutSetting(it, false)}`, width - 4);
    return `  ${text.replaceAll('\n', '\n    ')}`;
  });
  return ['', 'From the environment alone:', ...lines].join('\n');
}

function variablesOf({ settings, variables = settings }: CommandDefinition): Setting[] {
  return settingsIn(variables);
}

function settingsIn(group: SettingsGroup | undefined): Setting[] {
  const isIn: Record<SettingsGroup, (key: string) => boolean> = {
    account: (key) => accountSettings.some((it) => it === key),
    server: (key) => !(key in httpSettings),
    http: () => true,
  };
  if (group === undefined) return [];
  return listSettings().flatMap(({ key, setting }) => (isIn[group](key) ? [setting] : []));
}

/**
 * The words as commander reads them: `help` and `version` as flags, `stdio` where no command is named, and
 * the switch that clients write out (`--sandbox=true`, `--sandbox=`) given or left out.
 */
function spelledOut(argv: readonly string[]): string[] {
  const [first = '-', second = ''] = argv;
  if (first === 'version') return ['--version'];
  if (first === 'help') return isCommand(second) ? [second, '--help'] : [second || '--help'];
  const isNamed = !first.startsWith('-') || /^(-h|--help|-v|--version)$/.test(first);
  return [...(isNamed ? [] : ['stdio']), ...argv].flatMap((word) =>
    /^--sandbox=(false)?$/.test(word) ? [] : [word.replace(/^--sandbox=true$/, '--sandbox')],
  );
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
