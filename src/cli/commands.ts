import { InvalidArgumentError, Option } from 'commander';
import type { CommandLine, ExitCode } from './command-line.ts';

/** A command: adding one is an entry in {@link commands} and the module that `run` loads. */
export interface CommandDefinition {
  /** Its operands in the help; absent where it takes none. */
  usage?: string;
  /** One sentence without a full stop. */
  about: string;
  /** A command line that works as it is, without the name of the program. */
  example: string;
  flags?: readonly Option[];
  /** Which settings it takes, as flags and from their variables; absent where it takes none. */
  settings?: SettingsGroup;
  /** Which of them it reads from variables, where these are others than it takes as flags. */
  variables?: SettingsGroup;
  /** Loads the command and runs it, so that a start loads only one. */
  run(line: CommandLine): Promise<ExitCode>;
}

/** The settings of an account, of a server on it, or of one that serves HTTP too. */
export type SettingsGroup = 'account' | 'server' | 'http';

/** A flag without a value, found in `line.switches`. */
export const flag = (name: string, about: string) => new Option(`--${name}`, about);

/** A flag with a value, found in `line.values`; with bounds it has to be a whole number. */
export function value(name: string, about: string, [min, max]: readonly number[] = []): Option {
  return new Option(`--${name} <value>`, about).argParser((text, earlier) => {
    if (earlier !== undefined) throw new InvalidArgumentError('It is given twice.');
    // A flag whose value was forgotten would take the next flag for it.
    if (text.startsWith('--')) throw new InvalidArgumentError('It needs a value.');
    if (min === undefined || max === undefined) return text;
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return text;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  });
}

const as = value('as', 'Use the account of this client, or of the entry of this name');

/** The forms of an answer that are made for programs, and the files of a figure. */
const answerForms = [
  flag('json', 'Print the structured answer, exactly'),
  flag('csv', 'Print every row of the answer, as CSV'),
  flag('names', 'With --csv: a column with the name beside each id'),
  flag('excel', 'With --csv: as a Dutch Excel opens it (;, decimal commas)'),
  value('html', 'Write the figure to this file: one page for any browser'),
  value('svg', 'Write the figure to this file as a picture, for slides and mail'),
  as,
];

/** The commands, in the order of the help. */
export const commands = {
  stdio: {
    about: 'Serve over stdio (the default)',
    example: 'stdio --sandbox',
    settings: 'server',
    run: async (line) => (await import('./commands/stdio.ts')).stdio(line),
  },
  http: {
    about: 'Serve Streamable HTTP at /mcp',
    example: 'http --port 8787 --sandbox',
    settings: 'http',
    flags: [
      value('host', 'Address to listen on (default 127.0.0.1)'),
      value('port', 'Port to listen on (default 8787)'),
    ],
    run: async (line) => (await import('./commands/http.ts')).http(line),
  },
  demo: {
    about: "Ask an analyst's questions of the sandbox and show the answers",
    example: 'demo',
    run: async () => (await import('./commands/demo.ts')).demo(),
  },
  connect: {
    usage: '[CLIENT]',
    about: 'Put this server into the configuration of a client; without one, show which are here',
    example: 'connect cursor',
    settings: 'server',
    variables: 'account',
    flags: [
      flag('print', 'Only print the entry; write nothing'),
      flag('yes', 'Write without asking'),
      value('url', 'Address of a server over HTTP, in place of starting one'),
      value('name', 'Name of the entry (default commerce)'),
    ],
    run: async (line) => (await import('./commands/connect/connect.ts')).connect(line),
  },
  disconnect: {
    usage: 'CLIENT',
    about: 'Take this server out of the configuration of a client again',
    example: 'disconnect cursor',
    flags: [
      flag('yes', 'Write without asking'),
      value('name', 'Name of the entry (default commerce)'),
    ],
    run: async (line) => (await import('./commands/connect/connect.ts')).disconnect(line),
  },
  doctor: {
    usage: '[CLIENT]',
    about: 'Check settings, key, role, clock, budget and interface; say what to do',
    example: 'doctor',
    settings: 'http',
    flags: [flag('json', 'Print an array of {check, ok, detail, remedy}')],
    run: async (line) => (await import('./commands/doctor/doctor.ts')).doctor(line),
  },
  call: {
    usage: 'TOOL [key=value ...]',
    about: 'Call one tool from a terminal or a script',
    example: 'call get_daily_close date=yesterday',
    settings: 'server',
    flags: answerForms,
    run: async (line) => (await import('./commands/call.ts')).call(line),
  },
  query: {
    usage: 'SQL',
    about: 'Ask one SELECT over the tools as tables; - reads it from standard input',
    example: `query "SELECT name FROM shops"`,
    settings: 'server',
    flags: [
      ...answerForms,
      value(
        'max-calls',
        'Platform calls that it may take (default: --query-max-calls)',
        [1, 100_000],
      ),
    ],
    run: async (line) => (await import('./commands/query.ts')).runQuery(line),
  },
  fill: {
    usage: '[PERIOD]',
    about: 'Read the order lines of a period ahead and keep them (default last_30_days)',
    example: 'fill last_90_days --share 30',
    settings: 'server',
    flags: [
      value('share', 'Most of the rate budget that it takes, in percent (default 50)', [1, 100]),
      flag('watch', 'Stay, and look again every quarter of an hour'),
      flag('clear', 'Take away what is kept there, and read nothing'),
    ],
    run: async (line) => (await import('./commands/fill.ts')).runFill(line),
  },
  tools: {
    usage: '[TOOL]',
    about: 'List the tools and what each costs in context; with TOOL all about one',
    example: 'tools list_orders',
    settings: 'server',
    flags: [flag('json', 'Print them as tools/list gives them'), as],
    run: async (line) => (await import('./commands/tools.ts')).tools(line),
  },
  sandbox: {
    about: 'Run the embedded platform alone',
    example: 'sandbox --orders-per-day 20',
    flags: [
      value('port', 'Port of its API (default: any free one)', [0, 65_535]),
      value('orders-per-day', 'Size of the business, 1 to 2000 (default 60)', [1, 2000]),
      value('days', 'Days with data, 1 to 800 (default 762)', [1, 800]),
      value('quota', 'Requests a minute for each key (default 600)', [1, 1_000_000]),
      value('faults', 'Faults to rehearse, such as "502:every=5"'),
    ],
    run: async (line) => (await import('./commands/sandbox.ts')).sandbox(line),
  },
  completion: {
    usage: 'bash|zsh|fish',
    about: 'Print what a shell needs to complete commands, tools, arguments and names',
    example: 'completion bash',
    settings: 'server',
    run: async (line) =>
      (await import('./commands/completion.ts')).completion(line, listCommands()),
  },
} as const satisfies Record<string, CommandDefinition>;

function listCommands(): Readonly<Record<string, CommandDefinition>> {
  return commands;
}

export type CommandName = keyof typeof commands;
