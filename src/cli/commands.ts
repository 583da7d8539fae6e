import { Option } from 'commander';
import type { Setting } from '../config/config.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { usageMessages } from './messages.ts';

/** A command. A new one needs an entry in {@link commands} and the module that `run` loads. */
export interface CommandDefinition {
  /** Operands in the notation of commander. */
  usage?: string;
  /** One sentence without a full stop. */
  about: string;
  /** A command line that runs as written, without the name of the program. */
  example: string;
  flags?: readonly Option[];
  /** The groups of settings that it reads. @default {@link serverSettings} */
  settings?: readonly Setting['group'][];
  /** Loads the command and runs it, so that a start loads only one. */
  run(line: CommandLine): Promise<0 | 1 | 3>;
}

export const serverSettings: readonly Setting['group'][] = ['account', 'server'];

/** A flag in the notation of commander. The value of `<1-100>` must be a whole number of that range. */
export function cliFlag(form: string, about: string): Option {
  const [, min, max = ''] = /<(\d+)-(\d+)>/.exec(form) ?? [];
  const option = new Option(form, about);
  if (!option.required) return option;
  return option.argParser((text, previous) => {
    const name = option.long ?? form;
    if (previous !== undefined) throw new UsageError(usageMessages.given_twice({ name }));
    // Without its value, a flag would swallow the next flag.
    if (text.startsWith('--')) throw new UsageError(usageMessages.flag_without_value({ name }));
    const isInRange =
      /^\d+$/.test(text) && Number(text) >= Number(min) && Number(text) <= Number(max);
    if (min === undefined || isInRange) return text;
    throw new UsageError(usageMessages.flag_out_of_range({ name, min, max }));
  });
}

const account = cliFlag('--account <name>', 'One of the accounts of COMMERCE_ACCOUNTS_FILE');
const yes = cliFlag('--yes', 'Write without asking');
const entryName = cliFlag('--name <name>', 'Name of the entry (default commerce)');

const description = () =>
  new Option('--description <extent>', 'How much its openapi.json says (default full)')
    .choices(['full', 'bare', 'none'])
    .implies({ sandbox: true });

export const sandboxFlags = [
  cliFlag('--sandbox', 'Use the embedded platform with invented data instead of a real account'),
  description().hideHelp(),
];

const answerForms = [
  cliFlag('--json', 'Print the structured answer, exactly'),
  cliFlag(
    '--csv [file]',
    'Write every row, whole lists read to their end, as CSV; print it without a file',
  )
    .preset('-')
    .conflicts('json'),
  cliFlag('--xlsx <file>', 'Write every row into a workbook, and facts about them').conflicts([
    'csv',
    'json',
  ]),
  account,
];

export const commands: Readonly<Record<string, CommandDefinition>> = {
  stdio: {
    about: 'Serve over stdio (the default)',
    example: 'stdio --sandbox',
    flags: [account],
    run: async (line) => (await import('./commands/stdio.ts')).stdio(line),
  },
  http: {
    about: 'Serve Streamable HTTP at /mcp',
    example: 'http --port 8787 --sandbox',
    settings: [...serverSettings, 'http'],
    run: async (line) => (await import('./commands/http.ts')).http(line),
  },
  demo: {
    about: "Ask an analyst's questions of the sandbox and show the answers",
    example: 'demo',
    settings: [],
    run: async (line) => (await import('./commands/demo.ts')).demo(line),
  },
  connect: {
    usage: '[CLIENT]',
    about: 'Put this server into the configuration of a client; without one, list the clients here',
    example: 'connect cursor',
    flags: [
      cliFlag('--print', 'Only print the entry; write nothing'),
      yes,
      cliFlag('--url <address>', 'Address of a server over HTTP, in place of starting one'),
      entryName,
      account,
    ],
    run: async (line) => (await import('./commands/connect/connect.ts')).connect(line),
  },
  disconnect: {
    usage: '<CLIENT>',
    about: 'Take this server out of the configuration of a client again',
    example: 'disconnect cursor',
    settings: [],
    flags: [yes, entryName],
    run: async (line) => (await import('./commands/connect/connect.ts')).disconnect(line),
  },
  doctor: {
    usage: '[CLIENT]',
    about: 'Check settings, key, role, clock, budget and interface; say what to do',
    example: 'doctor',
    settings: [...serverSettings, 'http'],
    flags: [
      cliFlag('--all', 'Print the checks that are well, too'),
      cliFlag('--json', 'Print an array of {check, ok, detail, remedy}'),
      account,
    ],
    run: async (line) => (await import('./commands/doctor/doctor.ts')).doctor(line),
  },
  call: {
    usage: '<TOOL> [key=value...]',
    about: 'Call one tool from a terminal or a script',
    example: 'call get_daily_close date=yesterday',
    flags: [
      ...answerForms,
      cliFlag('--html <file>', 'Write the figure to this file: one page for any browser').conflicts(
        ['csv', 'xlsx'],
      ),
    ],
    run: async (line) => (await import('./commands/call.ts')).call(line),
  },
  query: {
    usage: '<SQL>',
    about: 'Ask one SELECT over the tools as tables; - reads it from standard input',
    example: `query "SELECT name FROM shops"`,
    flags: answerForms,
    run: async (line) => (await import('./commands/call.ts')).runQuery(line),
  },
  brief: {
    usage: '[NAME] [key=value...]',
    about: 'Print saved questions with their answers as Markdown; without a name, list them',
    example: 'brief morning',
    flags: [cliFlag('--if-news', 'Write nothing and exit with 3 if nothing is new'), account],
    run: async (line) => (await import('./commands/brief.ts')).brief(line),
  },
  fill: {
    usage: '[PERIOD]',
    about: 'Read the order lines of a period ahead and keep them (default last_30_days)',
    example: 'fill last_90_days --share 30',
    flags: [
      cliFlag('--share <1-100>', 'Most of the rate budget that it takes, in percent (default 50)'),
      cliFlag('--clear', 'Remove the kept lines, and read nothing'),
      account,
    ],
    run: async (line) => (await import('./commands/fill.ts')).runFill(line),
  },
  'sign-ins': {
    about: 'List sign-ins to `http` with their time and client, or end some',
    example: 'sign-ins --end alice',
    settings: ['server', 'http'],
    flags: [
      cliFlag('--end <name[:client]>', 'End the sign-ins of this name, or those by this client'),
      cliFlag('--new-key', 'Sign with a new key; the old one verifies what it has signed'),
    ],
    run: async (line) => (await import('./commands/access.ts')).signIns(line),
  },
  tools: {
    usage: '[TOOL]',
    about: 'List the tools and what each costs in context; with TOOL its parameters',
    example: 'tools list_orders',
    flags: [cliFlag('--json', 'Print them as tools/list gives them'), account],
    run: async (line) => (await import('./commands/tools.ts')).tools(line),
  },
  token: {
    usage: '<new> <NAME>',
    about: 'Make a token for http, and the entry that accepts it by its digest',
    example: 'token new alice',
    settings: [],
    run: async (line) => (await import('./commands/access.ts')).newToken(line),
  },
  sandbox: {
    about: 'Run the embedded platform alone',
    example: 'sandbox --port 9000',
    settings: [],
    flags: [description(), cliFlag('--port <0-65535>', 'Port of its API (default: any free one)')],
    run: async (line) => (await import('./commands/sandbox.ts')).sandbox(line),
  },
};
