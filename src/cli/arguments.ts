import { parseArgs } from 'node:util';
import { flagOf, listSettings } from '../config.ts';
import { nearest } from '../core/nearest.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { type Command, commands, type FlagDefinition } from './commands.ts';

/** Flags that every command takes, beside those that stand for settings. */
export const commonFlags: Readonly<Record<string, FlagDefinition>> = {
  sandbox: { type: 'boolean', about: 'Use the embedded platform instead of a real account' },
  help: { type: 'boolean', about: 'Show this' },
  version: { type: 'boolean', about: 'Print the version' },
};

/**
 * Reads a command line.
 *
 * @throws {UsageError} that names the command or flag and the nearest known one.
 */
export function readCommandLine(argv: readonly string[]): CommandLine & { command: Command } {
  const [first = 'stdio', ...rest] = argv;
  const isNamed = !first.startsWith('-');
  const name = isNamed ? first : 'stdio';
  if (!isCommand(name)) throw new UsageError(unknown('command', name, Object.keys(commands)));
  const flags = flagsOf(name);
  const { values, positionals, tokens } = parseArgs({
    args: isNamed ? rest : [...argv],
    options: Object.fromEntries(Object.entries(flags).map(([flag, { type }]) => [flag, { type }])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
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
    if (flag.type === 'boolean' && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value`);
  }
  if (positionals.length > 0 && commands[name].usage === '')
    throw new UsageError(`${name} takes no "${positionals[0]}"`);
  return {
    command: name,
    operands: positionals,
    values: Object.fromEntries(
      Object.entries(values).flatMap(([flag, value]) =>
        typeof value === 'string' ? [[flag, value]] : [],
      ),
    ),
    switches: new Set(Object.keys(values).filter((flag) => values[flag] === true)),
  };
}

/** Every flag of a command: its own, the common ones and those of the settings. */
export function flagsOf(command: Command): Record<string, FlagDefinition> {
  return { ...commands[command].flags, ...commonFlags, ...settingFlags() };
}

/** A flag for each setting that is no secret. */
export function settingFlags(): Record<string, FlagDefinition> {
  return Object.fromEntries(
    listSettings().flatMap(({ setting }): [string, FlagDefinition][] => {
      const flag = flagOf(setting);
      return flag === undefined ? [] : [[flag, { type: 'string', about: setting.about }]];
    }),
  );
}

function isCommand(name: string): name is Command {
  return Object.hasOwn(commands, name);
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant ? `Did you mean ${meant}?` : `There are: ${known.join(', ')}.`;
  return `There is no ${what} ${name}. ${advice}`;
}
