import { InvalidArgumentError, Option } from 'commander';
import type { CommandLine } from './command-line.ts';

/** A command: adding one is an entry in {@link commands} and the module that `run` loads. */
export interface CommandDefinition {
  /** Its operands, as commander reads them; absent where it takes none. */
  usage?: string;
  /** One sentence without a full stop. */
  about: string;
  /** A command line that works as it is, without the name of the program. */
  example: string;
  flags?: readonly Option[];
  /** Which settings it reads: of a server on an account, of one that serves HTTP too, or none. @default 'server' */
  settings?: 'server' | 'http' | 'none';
  /** Loads the command and runs it, so that a start loads only one. */
  run(line: CommandLine): Promise<0 | 1>;
}

/** A flag without a value, found in `line.switches`. */
export const switchOption = (name: string, about: string) => new Option(`--${name}`, about);

/** A flag with a value, found in `line.values`; with bounds it has to be a whole number. */
export function valueOption(
  name: string,
  about: string,
  [min, max]: readonly number[] = [],
): Option {
  return new Option(`--${name} <value>`, about).argParser((text, earlier) => {
    if (earlier !== undefined) throw new InvalidArgumentError('It is given twice.');
    // A flag whose value was forgotten would take the next flag for it.
    if (text.startsWith('--')) throw new InvalidArgumentError('It needs a value.');
    if (min === undefined || max === undefined) return text;
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return text;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  });
}

const as = valueOption('as', 'Use the account of this client, or of the entry of this name');
const yes = switchOption('yes', 'Write without asking');
const entryName = valueOption('name', 'Name of the entry (default commerce)');
const csv = { csv: true };

/** The forms of an answer that are made for programs, and the files of a figure. */
const answerForms = [
  switchOption('json', 'Print the structured answer, exactly'),
  switchOption('csv', 'Print every row of the answer, as CSV').conflicts(['json', 'html', 'svg']),
  switchOption('names', 'As CSV, with a column with the name beside each id').implies(csv),
  switchOption('excel', 'As CSV, as a Dutch Excel opens it (;, decimal commas)').implies(csv),
  valueOption('html', 'Write the figure to this file: one page for any browser'),
  valueOption('svg', 'Write the figure to this file as a picture, for slides and mail'),
  as,
];

/** The commands, in the order of the help. */
export const commands: Readonly<Record<string, CommandDefinition>> = {
  stdio: {
    about: 'Serve over stdio (the default)',
    example: 'stdio --sandbox',
    run: async (line) => (await import('./commands/stdio.ts')).stdio(line),
  },
  http: {
    about: 'Serve Streamable HTTP at /mcp',
    example: 'http --port 8787 --sandbox',
    settings: 'http',
    flags: [
      valueOption('host', 'Address to listen on (default 127.0.0.1)'),
      valueOption('port', 'Port to listen on (default 8787)'),
    ],
    run: async (line) => (await import('./commands/http.ts')).http(line),
  },
  demo: {
    about: "Ask an analyst's questions of the sandbox and show the answers",
    example: 'demo',
    settings: 'none',
    run: async () => (await import('./commands/demo.ts')).demo(),
  },
  connect: {
    usage: '[CLIENT]',
    about: 'Put this server into the configuration of a client; without one, show which are here',
    example: 'connect cursor',
    flags: [
      switchOption('print', 'Only print the entry; write nothing'),
      yes,
      valueOption('url', 'Address of a server over HTTP, in place of starting one'),
      entryName,
    ],
    run: async (line) => (await import('./commands/connect/connect.ts')).connect(line),
  },
  disconnect: {
    usage: '<CLIENT>',
    about: 'Take this server out of the configuration of a client again',
    example: 'disconnect cursor',
    settings: 'none',
    flags: [yes, entryName],
    run: async (line) => (await import('./commands/connect/connect.ts')).disconnect(line),
  },
  doctor: {
    usage: '[CLIENT]',
    about: 'Check settings, key, role, clock, budget and interface; say what to do',
    example: 'doctor',
    settings: 'http',
    flags: [switchOption('json', 'Print an array of {check, ok, detail, remedy}')],
    run: async (line) => (await import('./commands/doctor/doctor.ts')).doctor(line),
  },
  call: {
    usage: '<TOOL> [key=value...]',
    about: 'Call one tool from a terminal or a script',
    example: 'call get_daily_close date=yesterday',
    flags: answerForms,
    run: async (line) => (await import('./commands/call.ts')).call(line),
  },
  query: {
    usage: '<SQL>',
    about: 'Ask one SELECT over the tools as tables; - reads it from standard input',
    example: `query "SELECT name FROM shops"`,
    flags: [
      ...answerForms,
      valueOption('max-calls', 'Platform calls that it may take', [1, 100_000]),
    ],
    run: async (line) => (await import('./commands/call.ts')).runQuery(line),
  },
  fill: {
    usage: '[PERIOD]',
    about: 'Read the order lines of a period ahead and keep them (default last_30_days)',
    example: 'fill last_90_days --share 30',
    flags: [
      valueOption(
        'share',
        'Most of the rate budget that it takes, in percent (default 50)',
        [1, 100],
      ),
      switchOption('watch', 'Stay, and look again every quarter of an hour'),
      switchOption('clear', 'Take away what is kept there, and read nothing'),
    ],
    run: async (line) => (await import('./commands/fill.ts')).runFill(line),
  },
  tools: {
    usage: '[TOOL]',
    about: 'List the tools and what each costs in context; with TOOL all about one',
    example: 'tools list_orders',
    flags: [switchOption('json', 'Print them as tools/list gives them'), as],
    run: async (line) => (await import('./commands/tools.ts')).tools(line),
  },
  sandbox: {
    about: 'Run the embedded platform alone',
    example: 'sandbox --orders-per-day 20',
    settings: 'none',
    flags: [
      valueOption('port', 'Port of its API (default: any free one)', [0, 65_535]),
      valueOption('orders-per-day', 'Size of the business, 1 to 2000 (default 60)', [1, 2000]),
      valueOption('days', 'Days with data, 1 to 800 (default 762)', [1, 800]),
      valueOption('quota', 'Requests a minute for each key (default 600)', [1, 1_000_000]),
      valueOption('faults', 'Faults to rehearse, such as "502:every=5"'),
    ],
    run: async (line) => (await import('./commands/sandbox.ts')).sandbox(line),
  },
  completion: {
    usage: '<bash|zsh|fish> [WORDS...]',
    about: 'Print what a shell needs to complete commands, tools, arguments and names',
    example: 'completion bash',
    run: async (line) =>
      (await import('./commands/completion.ts')).completion(line, Object.keys(commands)),
  },
};
