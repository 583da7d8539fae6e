import { type CommandLine, type ExitCode, UsageError } from './command-line.ts';
import { figureFlags } from './figure-flags.ts';

export interface CommandDefinition {
  /** What follows its name beside flags; empty where nothing does. */
  usage: string;
  about: string;
  flags: Readonly<Record<string, FlagDefinition>>;
  /** Which settings it takes, as flags and from their variables. */
  settings: SettingsGroup;
  /** Which of them it reads from variables, where these are others than it takes as flags. */
  variables?: SettingsGroup;
  /** What else it reads from the environment, and what for. */
  alsoReads?: Readonly<Record<string, string>>;
  /** Loads the command and runs it: start-up pays for one. */
  run(line: CommandLine): Promise<ExitCode>;
}

/** Settings of nothing, of an account, of a server on it, of one that serves HTTP too. */
export type SettingsGroup = 'none' | 'account' | 'server' | 'http';

export interface FlagDefinition {
  type: 'boolean' | 'string';
  /** The letter that stands for it behind one hyphen. */
  short?: string;
  about: string;
}

/** The forms of an answer that are made for programs, and the files of a figure. */
const answerForms = {
  json: { type: 'boolean', about: 'Print the structured answer, exactly' },
  csv: { type: 'boolean', about: 'Print every row of the answer, as CSV' },
  ...figureFlags,
} as const;

const colour = { NO_COLOR: 'Anything: no colours' } as const;

const figureLocale = {
  'LC_ALL, LC_MESSAGES, LANG': 'Dutch figures where the first that is set begins with nl',
} as const;

const clientFiles = {
  'XDG_CONFIG_HOME, APPDATA, CLAUDE_CONFIG_DIR, CODEX_HOME':
    'Where clients keep their configuration',
} as const;

/** The commands, in the order of the help. */
export const commands = {
  stdio: {
    usage: '',
    about: 'Serve over stdio (the default)',
    settings: 'server',
    flags: {},
    run: async (line) => (await import('./commands/stdio.ts')).stdio(line),
  },
  http: {
    usage: '',
    about: 'Serve Streamable HTTP at /mcp',
    settings: 'http',
    flags: {
      host: { type: 'string', about: 'Address to listen on (default 127.0.0.1)' },
      port: { type: 'string', about: 'Port to listen on (default 8787)' },
    },
    run: async (line) => (await import('./commands/http.ts')).http(line),
  },
  demo: {
    usage: '',
    about: "Ask an analyst's questions of the sandbox and show the answers",
    settings: 'none',
    alsoReads: colour,
    flags: {},
    run: async (line) => (await import('./commands/demo/demo.ts')).demo(line),
  },
  connect: {
    usage: '[CLIENT]',
    about: 'Put this server into the configuration of a client; without one, show which are here',
    settings: 'server',
    variables: 'account',
    alsoReads: { ...colour, ...clientFiles },
    flags: {
      print: { type: 'boolean', about: 'Only print the entry; write nothing' },
      yes: { type: 'boolean', about: 'Write without asking' },
      url: { type: 'string', about: 'Address of a server over HTTP, in place of starting one' },
      name: { type: 'string', about: 'Name of the entry (default commerce)' },
      'secret-from': {
        type: 'string',
        about: 'Where the client finds the secret: file, or client where it has a way of its own',
      },
    },
    run: async (line) =>
      (await import('./commands/connect/connect.ts')).connect({
        client: onlyOne(line.operands),
        name: line.values.name,
        secretFrom: line.values['secret-from'],
        url: line.values.url,
        print: line.switches.has('print'),
        yes: line.switches.has('yes'),
        sandbox: line.switches.has('sandbox'),
        flags: line.values,
        env: line.env,
        queryEngine: line.queryEngine,
      }),
  },
  disconnect: {
    usage: 'CLIENT',
    about: 'Take this server out of the configuration of a client again',
    settings: 'none',
    alsoReads: { ...colour, ...clientFiles },
    flags: {
      yes: { type: 'boolean', about: 'Write without asking' },
      name: { type: 'string', about: 'Name of the entry (default commerce)' },
    },
    run: async (line) =>
      (await import('./commands/connect/disconnect.ts')).disconnect({
        client: onlyOne(line.operands),
        name: line.values.name,
        yes: line.switches.has('yes'),
        sandbox: line.switches.has('sandbox'),
      }),
  },
  doctor: {
    usage: '[CLIENT]',
    about: 'Check settings, key, role, clock, budget and interface; say what to do',
    settings: 'http',
    alsoReads: { ...colour, ...clientFiles },
    flags: { json: { type: 'boolean', about: 'Print an array of {check, ok, detail, remedy}' } },
    run: async (line) =>
      (await import('./commands/doctor/doctor.ts')).doctor({
        client: onlyOne(line.operands),
        json: line.switches.has('json'),
        sandbox: line.switches.has('sandbox'),
        flags: line.values,
        env: line.env,
        queryEngine: line.queryEngine,
      }),
  },
  call: {
    usage: 'TOOL [key=value ...]',
    about: 'Call one tool from a terminal or a script',
    settings: 'server',
    alsoReads: { ...colour, ...figureLocale },
    flags: answerForms,
    run: async (line) => (await import('./commands/call.ts')).call(line),
  },
  query: {
    usage: 'SQL',
    about: 'Ask one SELECT over the tools as tables; - reads it from standard input',
    settings: 'server',
    alsoReads: { ...colour, ...figureLocale },
    flags: {
      ...answerForms,
      'max-calls': {
        type: 'string',
        about: 'Platform calls that it may take (default: --query-max-calls)',
      },
    },
    run: async (line) => (await import('./commands/query.ts')).runQuery(line),
  },
  tools: {
    usage: '[TOOL]',
    about: 'List the tools and what each costs in context; with TOOL all about one',
    settings: 'server',
    alsoReads: colour,
    flags: { json: { type: 'boolean', about: 'Print them as tools/list gives them' } },
    run: async (line) => (await import('./commands/tools/tools.ts')).tools(line),
  },
  sandbox: {
    usage: '',
    about: 'Run the embedded platform alone',
    settings: 'none',
    flags: {
      port: { type: 'string', about: 'Port of its API (default: any free one)' },
      'orders-per-day': { type: 'string', about: 'Size of the business, 1 to 2000 (default 60)' },
      quota: { type: 'string', about: 'Requests a minute for each key (default 600)' },
      faults: { type: 'string', about: 'Faults to rehearse, such as "502:every=5"' },
    },
    run: async (line) => (await import('./commands/sandbox.ts')).sandbox(line),
  },
  completion: {
    usage: 'bash|zsh|fish',
    about: 'Print what a shell needs to complete commands, tools, arguments and names',
    settings: 'none',
    variables: 'server',
    flags: {},
    run: async (line) =>
      (await import('./commands/completion/completion.ts')).completion(line, listCommands()),
  },
} as const satisfies Record<string, CommandDefinition>;

/** The client that a command names. @throws {UsageError} for several */
function onlyOne([client, ...others]: readonly string[]): string | undefined {
  if (others.length === 0) return client;
  throw new UsageError(`one client at a time, not also "${others.join(' ')}"`);
}

function listCommands(): Readonly<Record<string, CommandDefinition>> {
  return commands;
}

export type Command = keyof typeof commands;
