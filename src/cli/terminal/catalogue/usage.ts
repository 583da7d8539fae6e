/** What is said of a command line, of how a command went, and beside the answer that it shows or writes. */
import type { FillProgress } from '../../../analysis/lines/fill.ts';
import type { ConfigProblem } from '../../../config/config.ts';
import type { SettingProblem } from '../../../config/values.ts';
import type { Message } from '../../../core/message.ts';
import { orMeant } from '../../../core/nearest.ts';
import { countNoun, quote, sayCount } from '../../../core/text.ts';
import { ownCommand, shellWord } from '../../program.ts';
import type { OwnTexts, PersonReader } from './reader.ts';

/** The lines of problems with settings. */
export function problemLines(problems: readonly ConfigProblem[], { say }: PersonReader): string[] {
  return problems.map(({ name, problem }) => `${name} ${say(problem)}`);
}

export const usageTexts = {
  see_help: () => `${ownCommand()} --help shows how it is used.`,
  cannot_start: ({ problems }: { problems: readonly ConfigProblem[] }, reader) =>
    [
      'commerce-mcp cannot start:',
      ...problemLines(problems, reader).map((line) => `  ${line}`),
      ...(problems.some(({ problem }) => problem.code === 'missing_setting')
        ? [
            `\nNo credentials yet? Try it with invented data: ${ownCommand()} demo, or add --sandbox.`,
          ]
        : []),
    ].join('\n'),

  // Flags and operands
  unreadable_line: ({ text }: { text: string }) => text,
  unknown_command: () => 'unknown command',
  given_twice: ({ name }: { name: string }) => `${name} is given twice`,
  flag_without_value: ({ name }: { name: string }) => `${name} needs a value`,
  flag_out_of_range: ({ name, least, most }: { name: string; least: string; most: string }) =>
    `${name} must be a whole number from ${least} to ${most}`,
  flag_not_of: ({ name, words }: { name: string; words: readonly string[] }) =>
    `${name} must be one of ${words.join(', ')}`,
  token_usage: () => 'token new NAME; a name has letters, digits, dots, dashes, _ and @',
  fault_strikes_nothing: ({ fault, path, meant }: StrikesNothing) =>
    `--faults: ${fault} would strike nothing at ${path}${orMeant(meant)}`,
  bad_faults: ({ text }: { text: string }) => `--faults: ${text}`,
  bad_url: ({ problem }: { problem: SettingProblem }, { say }) => `--url ${say(problem)}`,
  bad_entry_name: () => '--name takes up to 40 letters, digits, - and _, such as commerce-haarlem',
  not_key_value: ({ text, names, meant }: NotKeyValue) =>
    `"${text}" is not key=value${
      meant === undefined
        ? names.length === 0
          ? ': this tool takes no arguments'
          : `; it takes ${names.join(', ')}`
        : `; did you mean ${shellWord(`${meant}=${text}`)}?`
    }`,
  no_statement: () => `The statement is empty: ${ownCommand()} query "SELECT name FROM shops"`,
  figures_only: ({ tool }: { tool: string }) => `--html writes the figure of ${tool}`,
  tool_left_out: ({ tool }: { tool: string }) =>
    `${tool} belongs to a toolset that COMMERCE_TOOLSETS leaves out`,

  // Which account
  account_without_file: () =>
    '--account takes the name of one in a file: set COMMERCE_ACCOUNTS_FILE',
  unknown_account: ({ name, path, names }: { name: string; path: string; names: string[] }) =>
    `${name === '' ? 'No account is named' : `There is no account ${quote(name, 60)}`} (--account). Those of ${path} are: ${names.join(', ')}.`,
  account_and_sandbox: () => '--account names a real account: leave out --sandbox',

  // Files
  not_a_file: ({ path }: { path: string }) => `${path} cannot be written: it is no file.`,
  not_written: ({ path, reason }: { path: string; reason: string }) =>
    `${path} cannot be written: ${reason}.`,
  no_figure: () => 'No file was written: the answer holds no figure, and says why.',
  written: ({ path, rows }: { path: string; rows?: number }) =>
    `Written: ${path}${rows === undefined ? '' : `, ${countNoun(rows, 'row')}`}`,

  // Order lines
  sign_ins_ended: ({ count, name }: { count: number; name: string }) =>
    `${countNoun(count, 'sign-in')} of ${name} ended.`,
  nobody_signed_in: ({ store }: { store: string }) => `Nobody is signed in (${store}).`,
  key_replaced: () =>
    'A new key signs from now on; the old one verifies until the last token that it signed has ended.',
  lines_cleared: ({ orders, folder }: { orders: number; folder: string }) =>
    `Lines of ${countNoun(orders, 'order')} were taken away from ${folder}.`,
  fill_progress: fillProgress,
  fill_waits: ({ reason }: { reason: Message }, { say }) =>
    `${say(reason)} Waits, and tries again.`,
  lines_kept: ({ folder, kept }: { folder: string; kept: string }) =>
    `Kept in ${folder}: lines of ${kept}.`,
  no_room_for_days: ({ mb, day }: { mb: number; day: string }) =>
    `COMMERCE_KEEP_MB (${mb}) has no room for ${day} and earlier days.`,
  fill_stopped: () => 'Stopped. The same command goes on from here.',

  // Lists of tools
  tools_as_documented: () =>
    'No account is configured: these are the tools as documented. A platform may list more parameters for some of them.',
} satisfies OwnTexts;

interface StrikesNothing {
  fault: string;
  path: string;
  meant: string | undefined;
}

interface NotKeyValue {
  text: string;
  names: readonly string[];
  meant?: string | undefined;
}

interface ProgressShown {
  progress: FillProgress;
  ms: number;
  isWaiting: boolean;
}

/** `7 of 30 days, 10,512 orders, 3,120 read, 150 a minute, about 1 h 20 min to go` */
function fillProgress({ progress, ms, isWaiting }: ProgressShown): string {
  const { daysDone, days, orders, read } = progress;
  const minutes = ms / 60_000;
  const toGo = Math.ceil((minutes / daysDone) * (days - daysDone));
  const hours = Math.floor(toGo / 60);
  const time = hours > 0 ? `${hours} h ${toGo % 60} min` : `${toGo} min`;
  return [
    `${daysDone} of ${days} days, ${countNoun(orders, 'order')}, ${sayCount(read)} read`,
    ...(read > 0 && minutes > 0 ? [`${sayCount(Math.round(read / minutes))} a minute`] : []),
    ...(daysDone > 0 && daysDone < days && read > 0 ? [`about ${time} to go`] : []),
    ...(isWaiting ? ['waits for its share of the budget'] : []),
  ].join(', ');
}
