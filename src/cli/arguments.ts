import { parseArgs } from 'node:util';
import { accountSettings, flagOf, httpSettings, listSettings, type Setting } from '../config.ts';
import { nearest } from '../core/nearest.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import {
  type Command,
  type CommandDefinition,
  commands,
  type FlagDefinition,
  type SettingsGroup,
} from './commands.ts';

/** Flags that every command takes, beside those that stand for settings. */
export const commonFlags: Readonly<Record<string, FlagDefinition>> = {
  sandbox: { type: 'boolean', about: 'Use the embedded platform instead of a real account' },
  help: { type: 'boolean', short: 'h', about: 'Show this' },
  version: { type: 'boolean', short: 'v', about: 'Print the version' },
};

/**
 * Reads a command line.
 *
 * @throws {UsageError} that names the command or flag and the nearest known one.
 */
export function readCommandLine(
  argv: readonly string[],
): Omit<CommandLine, 'env'> & { command: Command; isNamed: boolean } {
  const [first = 'stdio', ...rest] = asFlag(argv);
  const isNamed = !first.startsWith('-');
  const name = isNamed ? first : 'stdio';
  if (!isCommand(name)) throw new UsageError(unknown('command', name, Object.keys(commands)));
  const flags = flagsOf(name);
  const { values, positionals, tokens } = parseArgs({
    args: isNamed ? rest : [first, ...rest].slice(argv.length === 0 ? 1 : 0),
    options: Object.fromEntries(
      Object.entries(flags).map(([flag, { type, short }]) => [
        flag,
        { type, ...(short && { short }) },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = flags[token.name];
    if (flag === undefined)
      throw new UsageError(
        unknown(
          'flag',
          token.rawName,
          Object.keys(flags).map((it) => `--${it}`),
        ),
      );
    // What looks like the next flag is one: a value that begins so is given as --flag=value.
    const isValueMissing = !token.inlineValue && (token.value ?? '--').startsWith('--');
    if (flag.type === 'string' && isValueMissing)
      throw new UsageError(`${token.rawName} needs a value: ${flag.about}`);
    if (flag.type === 'boolean' && !/^(true|false)$/.test(token.value ?? 'true'))
      throw new UsageError(`${token.rawName} takes no value, but may say =true or =false`);
    if (seen.has(token.name)) throw new UsageError(`${token.rawName} is given twice`);
    seen.add(token.name);
  }
  if (positionals.length > 0 && commands[name].usage === '')
    throw new UsageError(`${name} takes no "${positionals[0]}"`);
  return {
    command: name,
    isNamed,
    operands: positionals,
    values: Object.fromEntries(
      Object.entries(values).flatMap(([flag, value]) =>
        typeof value === 'string' && flags[flag]?.type === 'string' ? [[flag, value]] : [],
      ),
    ),
    // A client that fills a switch in writes it out: --sandbox=false.
    switches: new Set(
      Object.keys(values).filter(
        (flag) => flags[flag]?.type === 'boolean' && `${values[flag]}` === 'true',
      ),
    ),
  };
}

/** Every flag of a command: its own, the common ones and those of the settings that it reads. */
export function flagsOf(command: Command): Record<string, FlagDefinition> {
  const ofSettings = settingsIn(commands[command].settings).flatMap(
    (setting): [string, FlagDefinition][] => {
      const flag = flagOf(setting);
      return flag === undefined ? [] : [[flag, { type: 'string', about: setting.about }]];
    },
  );
  return { ...Object.fromEntries(ofSettings), ...commonFlags, ...commands[command].flags };
}

/** A setting as a command takes it. */
export interface TakenSetting {
  setting: Setting;
  /** Whether its variable is read, and whether its flag is taken. */
  isRead: boolean;
  isFlag: boolean;
}

/** The settings that a command takes, in the order of the documentation. */
export function settingsOf(command: Command): TakenSetting[] {
  const { settings, variables = settings }: CommandDefinition = commands[command];
  const [flags, read] = [settingsIn(settings), settingsIn(variables)].map(
    (group) => new Set(group.map(({ variable }) => variable)),
  );
  return listSettings().flatMap(({ setting }) => {
    const isRead = read?.has(setting.variable) ?? false;
    const isFlag = flagOf(setting) !== undefined && (flags?.has(setting.variable) ?? false);
    return isRead || isFlag ? [{ setting, isRead, isFlag }] : [];
  });
}

/** An environment without the settings that a command does not read: a wrong one is nothing to it. */
export function environmentOf(command: Command, env: CommandLine['env']): CommandLine['env'] {
  const read = new Set(settingsOf(command).flatMap((it) => (it.isRead ? it.setting.variable : [])));
  const others = listSettings().flatMap(({ setting: { variable } }) =>
    read.has(variable) ? [] : [variable, `${variable}_FILE`],
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
}

function settingsIn(group: SettingsGroup): Setting[] {
  const isIn: Record<SettingsGroup, (key: string) => boolean> = {
    none: () => false,
    account: (key) => accountSettings.some((it) => it === key),
    server: (key) => !(key in httpSettings),
    http: () => true,
  };
  return listSettings().flatMap(({ key, setting }) => (isIn[group](key) ? [setting] : []));
}

/** `help`, `version` and `help COMMAND` as people type them, said with flags. */
function asFlag([first, ...rest]: readonly string[]): string[] {
  if (first === 'version') return ['--version', ...rest];
  if (first === 'help') return [...rest, '--help'];
  return first === undefined ? [] : [first, ...rest];
}

function isCommand(name: string): name is Command {
  return Object.hasOwn(commands, name);
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant ? `Did you mean ${meant}?` : `There are: ${known.join(', ')}.`;
  return `There is no ${what} ${name}. ${advice}`;
}
