import { messagesOf } from '../core/message.ts';
import { quote } from '../core/text.ts';
import { ownCommand } from './program.ts';

export const usageMessages = messagesOf({
  /** The answer to each call while settings are unusable. */
  not_set_up: ({ problems, program }: { problems: readonly string[]; program: string }) =>
    `commerce-mcp is not set up, so nothing was asked. ${problems.join(' ')} In Claude Desktop this is put right under Settings, Extensions, Commerce; "Try it with invented data" there needs no account. For any other client, type in a terminal: node "${program}" connect. Then start the client again.`,
  unreadable_line: ({ words }: { words: string }) => words,
  unknown_command: 'unknown command',
  given_twice: ({ name }: { name: string }) => `${name} is given twice`,
  flag_without_value: ({ name }: { name: string }) => `${name} needs a value`,
  flag_out_of_range: ({ name, min, max }: { name: string; min: string; max: string }) =>
    `${name} must be a whole number from ${min} to ${max}`,
  token_usage: 'token new NAME; a name has letters, digits, dots, dashes, _ and @',
  not_key_value: ({ given, names }: { given: string; names: readonly string[] }) =>
    `"${given}" is not key=value; the keys are: ${names.join(', ') || 'none'}`,
  no_statement: `The statement is empty: ${ownCommand()} query "SELECT name FROM shops"`,
  figures_only: ({ tool }: { tool: string }) => `--html writes the figure of ${tool}`,
  tool_left_out: ({ tool }: { tool: string }) =>
    `${tool} belongs to a toolset that COMMERCE_TOOLSETS leaves out`,
  account_without_file: '--account names an account of a file: set COMMERCE_ACCOUNTS_FILE',
  unknown_account: ({ name, path, names }: { name: string; path: string; names: string[] }) =>
    `${name === '' ? 'No account is named' : `There is no account ${quote(name, 60)}`} (--account). The accounts of ${path} are: ${names.join(', ')}.`,
  account_and_sandbox: '--account names a real account: leave out --sandbox',
  not_a_file: ({ path }: { path: string }) => `${path} cannot be written: it is no file.`,
  not_written: ({ path, reason }: { path: string; reason: string }) =>
    `${path} cannot be written: ${reason}.`,
  no_figure: 'No file was written: the answer holds no figure, and says why.',
});
