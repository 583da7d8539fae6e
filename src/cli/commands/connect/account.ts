import * as fs from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readConfig, type Setting, settings } from '../../../config.ts';
import { messageOf } from '../../../core/errors.ts';
import type { CommandLine } from '../../command-line.ts';
import type { AskPerson } from '../../terminal/ask.ts';
import { say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { fileOf } from './clients.ts';

/** The variable of the client secret, and that of an entry which names the file of its secret. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';
export const secretFileVariable = `${secretVariable}_FILE`;

/** The variable that names the file of several accounts. */
export const accountsVariable = 'COMMERCE_ACCOUNTS_FILE';

/** The settings that name an account. */
const accountSettings = settings.filter(({ group }) => group === 'account');

/** The variables and the flags that say which account is meant. */
export const accountNames: readonly string[] = [
  ...accountSettings.flatMap(({ variable, flag = variable }) => [
    variable,
    `${variable}_FILE`,
    flag,
  ]),
  ...[accountsVariable, 'accounts-file', 'account'],
];

/** Variables or flags but for those that name an account. */
export function withoutAccount(named: CommandLine['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(named).filter(([it]) => !accountNames.includes(it)));
}

/** A sample value for each variable: questions show it, and a printed entry holds it. */
export const samples: Readonly<Record<string, string>> = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'prefix_account.4f9a8b',
  [secretVariable]: 'secret',
};

/**
 * The account of an entry and its other settings, from flags and variables; what an account lacks is
 * answered by `answer`. The secret is separate, with the file that a person has it in.
 *
 * @throws {ConfigError} with one line for each value that is missing or wrong
 */
export async function readAccount(
  { values, env: environment }: Pick<CommandLine, 'values' | 'env'>,
  answer: (setting: Setting) => string | undefined | Promise<string>,
) {
  const env = { ...environment };
  for (const setting of accountSettings) {
    const { variable, flag = '' } = setting;
    const isGiven = values[flag] || env[variable] || env[`${variable}_FILE`];
    if (!isGiven) env[variable] = await answer(setting);
  }
  const { clientSecret } = readConfig({ env, flags: values });
  const secretFile = env[secretVariable] ? undefined : env[secretFileVariable];
  const variables = variablesOf({ env, values }, ['account', 'server']);
  return { env: variables, secret: clientSecret, secretFile };
}

/**
 * The settings of an entry of the sandbox, which brings its own account.
 *
 * @throws {ConfigError} with one line for each value that is wrong
 */
export function readSandbox({ values, env }: Pick<CommandLine, 'values' | 'env'>) {
  const flags = withoutAccount(values);
  readConfig({ env: { ...withoutAccount(env), ...samples }, flags });
  return variablesOf({ values: flags, env });
}

/** The settings of these groups but for secrets, by their variables; a folder wherever its client starts this program. */
export function variablesOf(
  { values, env }: Pick<CommandLine, 'values' | 'env'>,
  groups: readonly Setting['group'][] = ['server'],
): Record<string, string> {
  const variables = settings.flatMap(({ variable, flag, group, read }) => {
    if (flag === undefined || !groups.includes(group)) return [];
    const value = values[flag] ?? env[variable]?.trim();
    if (!value) return [];
    const meant = read(value);
    return [[variable, typeof meant === 'string' ? meant : value]];
  });
  return Object.fromEntries(variables);
}

/**
 * Asks a person, until each answer can be used.
 *
 * @param held what an entry of the account holds already, which is offered
 */
export function askingFor(ask: AskPerson, held: CommandLine['env']) {
  let isFirst = true;
  return async (setting: Setting): Promise<string> => {
    const { variable, about, flag } = setting;
    const isHidden = flag === undefined;
    if (isFirst)
      say(
        "The four values belong to an API key, which an administrator of your account creates in the platform's app: the key has a client id and a client secret, and the administrator knows the address of the API and that of the account's own authorization server.",
      );
    isFirst = false;
    const { [variable]: offered = '' } = held;
    const offer = offered && ` [${isHidden ? 'Enter: as it is' : offered}]`;
    const hint = isHidden ? 'which stays hidden here' : `such as ${samples[variable]}`;
    for (;;) {
      const typed = await ask(`${about.replace(/ \(or.*/, '')}, ${hint}${offer}: `, { isHidden });
      const isBare = variable.endsWith('_URL') && typed !== '' && !typed.includes('://');
      const answer = isBare ? `https://${typed}` : typed || offered;
      const problem = problemWith(setting, answer);
      if (isBare || problem) say(`  ${problem ?? answer}`);
      if (problem === undefined) return answer;
    }
  };
}

/** Why an answer cannot be right. The value of a secret is not shown. */
function problemWith({ read }: Setting, answer: string): string | undefined {
  if (answer === '') return 'A value is needed here; Ctrl+C stops.';
  if (/^(["']).*\1$|^<.*>$|\s/.test(answer))
    return 'It has quotation marks, brackets or spaces, which count as part of it: was it copied whole, and alone?';
  try {
    read(answer);
    return undefined;
  } catch (error) {
    return `${answer} ${messageOf(error)}.`;
  }
}

/** Where the secret of a key is kept: one file for each key, shared by its clients. */
export function secretFileOf(clientId: string): string {
  return keptFile(`${clientId.replaceAll(/[^\w.-]/g, '_')}.secret`);
}

function keptFile(name: string): string {
  return fileOf({ file: `{settings}/commerce-mcp/${name}` });
}

/**
 * Keeps a secret in a file and a folder that only its owner reads.
 *
 * @throws {Error} for a folder that is a link or belongs to another user
 */
export async function keepSecret(path: string, secret: string): Promise<void> {
  const folder = dirname(path);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new Error(
      `${folder} is a link or belongs to another user, who could read or replace a secret in it. Remove it and run this again.`,
    );
  await fs.chmod(folder, 0o700);
  await writeWhole(path, `${secret}\n`, 0o600);
}

/** Deletes a kept secret; a file outside the folder for secrets never. @returns whether it was deleted */
export async function forgetSecret(path: string): Promise<boolean> {
  const isKept = path === keptFile(basename(path)) && path.endsWith('.secret');
  if (isKept) await fs.rm(path, { force: true });
  return isKept;
}
