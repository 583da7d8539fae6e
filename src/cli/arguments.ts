import { parseArgs } from 'node:util';
import { flagOf, listSettings } from '../config.ts';
import { CommerceError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';

/** The commands, each with what follows it and what it does. */
export const commands = {
  stdio: { usage: '', about: 'Serve over stdio (the default)', flags: {} },
  http: {
    usage: '',
    about: 'Serve Streamable HTTP at /mcp',
    flags: {
      host: { type: 'string', about: 'Address to listen on (default 127.0.0.1)' },
      port: { type: 'string', about: 'Port to listen on (default 8787)' },
    },
  },
  demo: {
    usage: '',
    about: "Ask an analyst's questions of the sandbox and show the answers",
    flags: {},
  },
  doctor: {
    usage: '',
    about: 'Check settings, key, role, clock, budget and interface; say what to do',
    flags: { json: { type: 'boolean', about: 'Print an array of {check, ok, detail, remedy}' } },
  },
  call: {
    usage: 'TOOL [key=value ...]',
    about: 'Call one tool from a terminal or a script',
    flags: { json: { type: 'boolean', about: 'Print the structured answer, exactly' } },
  },
  tools: {
    usage: '',
    about: 'List the tools, their parameters and what each costs in context',
    flags: { json: { type: 'boolean', about: 'Print them as tools/list gives them' } },
  },
  sandbox: {
    usage: '',
    about: 'Run the embedded platform alone',
    flags: {
      port: { type: 'string', about: 'Port of its API (default: any free one)' },
      'orders-per-day': { type: 'string', about: 'Size of the business, 1 to 2000 (default 60)' },
      quota: { type: 'string', about: 'Requests a minute for each key (default 600)' },
      faults: { type: 'string', about: 'Faults to rehearse, such as "502:every=5"' },
    },
  },
} as const satisfies Record<string, CommandDefinition>;

interface CommandDefinition {
  usage: string;
  about: string;
  flags: Record<string, FlagDefinition>;
}

interface FlagDefinition {
  type: 'boolean' | 'string';
  about: string;
}

export type Command = keyof typeof commands;

/** Flags that every command takes, beside those that stand for settings. */
export const commonFlags: Readonly<Record<string, FlagDefinition>> = {
  sandbox: { type: 'boolean', about: 'Use the embedded platform instead of a real account' },
  help: { type: 'boolean', about: 'Show this' },
  version: { type: 'boolean', about: 'Print the version' },
};

/** A command line, understood. */
export interface CommandLine {
  command: Command;
  /** What follows the command and is no flag. */
  operands: string[];
  /** Text flags by name. */
  values: Record<string, string | undefined>;
  /** Flags without a value that were given. */
  switches: ReadonlySet<string>;
}

/** The command line cannot be used: exit code 2. */
export class UsageError extends CommerceError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super('bad_config', message);
  }
}

/**
 * Reads a command line.
 *
 * @throws {UsageError} that names the command or flag and the nearest known one.
 */
export function readCommandLine(argv: readonly string[]): CommandLine {
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
  if (positionals.length > 0 && name !== 'call')
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
