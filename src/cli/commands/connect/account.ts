import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { type Setting, settings, settingText } from '../../../config/config.ts';
import { reasonIn } from '../../../core/errors.ts';
import { claimFolder } from '../../../core/files.ts';
import { CommandError, type CommandLine } from '../../command-line.ts';
import { say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { fileOf } from './clients.ts';
import { connectMessages } from './messages.ts';

/** Variables of the client secret and of the file that holds it. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';
export const secretFileVariable = `${secretVariable}_FILE`;

/** Sample values, shown in questions and in printed entries. */
export const samples: Readonly<Record<string, string>> = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'prefix_account.4f9a8b',
  [secretVariable]: 'secret',
};

/** Variables for an entry: given settings of these groups without secrets, and proxies. Folders are absolute. */
export function variablesOf(
  { flags, env }: Pick<CommandLine, 'flags' | 'env'>,
  groups: readonly Setting['group'][] = ['server'],
): Record<string, string> {
  const variables = settings.flatMap((setting) => {
    const { variable, flag, group, read } = setting;
    const isWritten = group === 'network' || (flag !== undefined && groups.includes(group));
    const { text } = (isWritten && settingText(setting, { env, flags })) || {};
    if (!text) return [];
    const parsed = read(text);
    return [[variable, typeof parsed === 'string' ? parsed : text]];
  });
  return Object.fromEntries(variables);
}

/** Asks a person for a line; a hidden one is not echoed. */
export type AskPerson = (question: string, options?: { isHidden?: boolean }) => Promise<string>;

export interface Console {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/** Asks at the terminal on stderr. Undefined where no person sits at one. */
export function openAsk(
  { input, output }: Console = { input: process.stdin, output: process.stderr },
): AskPerson | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question, { isHidden = false } = {}) => {
    output.write(question);
    // The line editor echoes input; that of a secret is dropped.
    const echo = new Writable({
      write(chunk, encoding, done) {
        if (!isHidden) output.write(chunk, encoding);
        done();
      },
    });
    const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
    const closed = once(lines, 'close').then((): string[] => []);
    const [line] = await Promise.race([once(lines, 'line'), closed]);
    lines.close();
    if (isHidden || line === undefined) output.write('\n');
    if (line === undefined) throw new CommandError(connectMessages.stopped());
    return line.trim();
  };
}

/** Settings of an account that neither flags nor variables give. */
export function missingSettings({ flags, env }: CommandLine): readonly Setting[] {
  return settings.filter(
    ({ group, variable, flag = '', fileVariable = '' }) =>
      group === 'account' && !flags[flag] && !env[variable] && !env[fileVariable],
  );
}

/** Asks for each setting until the answer is valid. @param offers values of an existing entry */
export async function askFor(
  missing: readonly Setting[],
  ask: AskPerson,
  offers: CommandLine['env'],
): Promise<CommandLine['env']> {
  if (missing.length > 1)
    say(
      "The four values belong to an API key, which an administrator of your account creates in the platform's app: the key has a client id and a client secret, and the administrator knows the address of the API and that of the account's own authorization server.",
    );
  const answers: Record<string, string> = {};
  for (const setting of missing) {
    const { variable, about, flag } = setting;
    const isHidden = flag === undefined;
    const { [variable]: offered = '' } = offers;
    const question = isHidden
      ? `${about}, which stays hidden here${offered && ' [Enter: as it is]'}: `
      : `${about}, such as ${samples[variable]}${offered && ` [${offered}]`}: `;
    while (answers[variable] === undefined) {
      const typed = await ask(question, { isHidden });
      const value = typed || offered;
      const problem = problemWith(setting, value);
      if (problem) say(problem);
      if (problem === undefined) answers[variable] = value;
    }
  }
  return answers;
}

function problemWith({ read }: Setting, value: string): string | undefined {
  if (value === '') return '  A value is needed here; Ctrl+C stops.';
  if (/^(["']).*\1$|^<.*>$|\s/.test(value))
    return '  It has quotation marks, brackets or spaces, which count as part of it: was it copied whole, and alone?';
  try {
    read(value);
    return undefined;
  } catch (error) {
    return `  ${value} ${reasonIn(error).text}.`;
  }
}

export function secretFileOf(clientId: string): string {
  const name = clientId.replaceAll(/[^\w.-]/g, '_');
  return fileOf({ file: `{settings}/commerce-mcp/${name}.secret` });
}

/**
 * Writes a secret to a file that only its owner can read.
 * @throws {Error} for a folder that is a link or belongs to another user
 */
export async function keepSecret(path: string, secret: string): Promise<void> {
  await claimFolder(dirname(path));
  await writeWhole(path, `${secret}\n`, 0o600);
}

/** Deletes a kept secret, but no file outside the folder of secrets. @returns whether it was deleted */
export async function forgetSecret(path: string): Promise<boolean> {
  const isKept = path === secretFileOf(basename(path, '.secret'));
  if (isKept) await rm(path, { force: true });
  return isKept;
}
