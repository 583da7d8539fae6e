import type { CommandLine, ExitCode } from './command-line.ts';

/** A command: adding one is an entry in {@link commands} and the module that `run` loads. */
export interface CommandDefinition {
  /** Its operands in the help; empty where it takes none. */
  usage: string;
  /** One sentence without a full stop. */
  about: string;
  /** A command line that works as it is, without the name of the program. */
  example: string;
  flags: Readonly<Record<string, FlagDefinition>>;
  /** Which settings it takes, as flags and from their variables. */
  settings: SettingsGroup;
  /** Which of them it reads from variables, where these are others than it takes as flags. */
  variables?: SettingsGroup;
  /** Loads the command and runs it, so that a start loads only one. */
  run(line: CommandLine): Promise<ExitCode>;
}

/** No settings, those of an account, of a server on it, or of one that serves HTTP too. */
export type SettingsGroup = 'none' | 'account' | 'server' | 'http';

export interface FlagDefinition {
  /** A `string` takes a value, found in `line.values`; a `boolean` is in `line.switches`. */
  type: 'boolean' | 'string';
  about: string;
  /** Bounds of a value that has to be a whole number. */
  range?: readonly [min: number, max: number];
}

const flag = (about: string) => ({ type: 'boolean', about }) as const;
const value = (about: string) => ({ type: 'string', about }) as const;
const number = (about: string, min: number, max: number) =>
  ({ type: 'string', about, range: [min, max] }) as const;

/** The forms of an answer that are made for programs, and the files of a figure. */
const answerForms = {
  json: flag('Print the structured answer, exactly'),
  csv: flag('Print every row of the answer, as CSV'),
  names: flag('With --csv: a column with the name beside each id'),
  excel: flag('With --csv: as a Dutch Excel opens it (;, decimal commas)'),
  html: value('Write the figure to this file: one page for any browser'),
  svg: value('Write the figure to this file as a picture, for slides and mail'),
  as: value('Use the account of this client, or of the entry of this name'),
};

/** The commands, in the order of the help. */
export const commands = {
  stdio: {
    usage: '',
    about: 'Serve over stdio (the default)',
    example: 'stdio --sandbox',
    settings: 'server',
    flags: {},
    run: async (line) => (await import('./commands/stdio.ts')).stdio(line),
  },
  http: {
    usage: '',
    about: 'Serve Streamable HTTP at /mcp',
    example: 'http --port 8787 --sandbox',
    settings: 'http',
    flags: {
      host: value('Address to listen on (default 127.0.0.1)'),
      port: value('Port to listen on (default 8787)'),
    },
    run: async (line) => (await import('./commands/http.ts')).http(line),
  },
  demo: {
    usage: '',
    about: "Ask an analyst's questions of the sandbox and show the answers",
    example: 'demo',
    settings: 'none',
    flags: {},
    run: async () => (await import('./commands/demo.ts')).demo(),
  },
  connect: {
    usage: '[CLIENT]',
    about: 'Put this server into the configuration of a client; without one, show which are here',
    example: 'connect cursor',
    settings: 'server',
    variables: 'account',
    flags: {
      print: flag('Only print the entry; write nothing'),
      yes: flag('Write without asking'),
      url: value('Address of a server over HTTP, in place of starting one'),
      name: value('Name of the entry (default commerce)'),
    },
    run: async (line) => (await import('./commands/connect/connect.ts')).connect(line),
  },
  disconnect: {
    usage: 'CLIENT',
    about: 'Take this server out of the configuration of a client again',
    example: 'disconnect cursor',
    settings: 'none',
    flags: {
      yes: flag('Write without asking'),
      name: value('Name of the entry (default commerce)'),
    },
    run: async (line) => (await import('./commands/connect/connect.ts')).disconnect(line),
  },
  doctor: {
    usage: '[CLIENT]',
    about: 'Check settings, key, role, clock, budget and interface; say what to do',
    example: 'doctor',
    settings: 'http',
    flags: { json: flag('Print an array of {check, ok, detail, remedy}') },
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
    flags: {
      ...answerForms,
      'max-calls': number(
        'Platform calls that it may take (default: --query-max-calls)',
        1,
        100_000,
      ),
    },
    run: async (line) => (await import('./commands/query.ts')).runQuery(line),
  },
  fill: {
    usage: '[PERIOD]',
    about: 'Read the order lines of a period ahead and keep them (default last_30_days)',
    example: 'fill last_90_days --share 30',
    settings: 'server',
    flags: {
      share: number('Most of the rate budget that it takes, in percent (default 50)', 1, 100),
      watch: flag('Stay, and look again every quarter of an hour'),
      clear: flag('Take away what is kept there, and read nothing'),
    },
    run: async (line) => (await import('./commands/fill.ts')).runFill(line),
  },
  tools: {
    usage: '[TOOL]',
    about: 'List the tools and what each costs in context; with TOOL all about one',
    example: 'tools list_orders',
    settings: 'server',
    flags: {
      json: flag('Print them as tools/list gives them'),
      as: answerForms.as,
    },
    run: async (line) => (await import('./commands/tools.ts')).tools(line),
  },
  sandbox: {
    usage: '',
    about: 'Run the embedded platform alone',
    example: 'sandbox --orders-per-day 20',
    settings: 'none',
    flags: {
      port: number('Port of its API (default: any free one)', 0, 65_535),
      'orders-per-day': number('Size of the business, 1 to 2000 (default 60)', 1, 2000),
      days: number('Days with data, 1 to 800 (default 762)', 1, 800),
      quota: number('Requests a minute for each key (default 600)', 1, 1_000_000),
      faults: value('Faults to rehearse, such as "502:every=5"'),
    },
    run: async (line) => (await import('./commands/sandbox.ts')).sandbox(line),
  },
  completion: {
    usage: 'bash|zsh|fish',
    about: 'Print what a shell needs to complete commands, tools, arguments and names',
    example: 'completion bash',
    settings: 'server',
    flags: {},
    run: async (line) =>
      (await import('./commands/completion.ts')).completion(line, listCommands()),
  },
} as const satisfies Record<string, CommandDefinition>;

function listCommands(): Readonly<Record<string, CommandDefinition>> {
  return commands;
}

export type CommandName = keyof typeof commands;
