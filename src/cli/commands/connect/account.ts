import { readConfig, type Setting, settings } from '../../../config.ts';
import { messageOf } from '../../../core/errors.ts';
import type { CommandLine } from '../../command-line.ts';
import type { AskPerson } from '../../terminal/ask.ts';
import { say } from '../../terminal/text.ts';
import { secretVariable } from './secret.ts';

/** The settings that name an account. */
const own = settings.filter(({ group }) => group === 'account');

/** The variables and the flags of an account. */
export const accountNames: readonly string[] = own.flatMap(({ variable, flag = variable }) => [
  variable,
  `${variable}_FILE`,
  flag,
]);

/** Variables or flags but for those that name an account. */
export function withoutAccount(given: CommandLine['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(given).filter(([it]) => !accountNames.includes(it)));
}

/** A value of each: what a question shows, and an entry that is only printed holds. */
export const samples: Readonly<Record<string, string>> = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'prefix_account.4f9a8b',
  [secretVariable]: 'secret',
};

/**
 * The account of an entry and its other settings, from flags and variables; what an account lacks is
 * answered by `answer`. The secret stands apart, with the file that a person has it in.
 *
 * @throws {ConfigError} with one line for each value that is missing or wrong
 */
export async function readAccount(
  { values, env: given }: Pick<CommandLine, 'values' | 'env'>,
  answer: (setting: Setting) => string | undefined | Promise<string>,
) {
  const env = { ...given };
  for (const setting of own) {
    const { variable, flag = '' } = setting;
    const isGiven = values[flag] || env[variable] || env[`${variable}_FILE`];
    if (!isGiven) env[variable] = await answer(setting);
  }
  const { clientSecret } = readConfig({ env, flags: values });
  const variables: Record<string, string> = {};
  for (const { variable, flag = '', secret, group } of settings) {
    const value = values[flag] ?? env[variable]?.trim();
    if (value && !secret && group !== 'http') variables[variable] = value;
  }
  const secretFile = env[secretVariable] ? undefined : env[`${secretVariable}_FILE`];
  return { env: variables, secret: clientSecret, secretFile };
}

/**
 * Asks a person, until each answer can be used.
 *
 * @param held what an entry of the account holds already, which is offered
 */
export function askingFor(ask: AskPerson, held: CommandLine['env']) {
  let isFirst = true;
  return async (setting: Setting): Promise<string> => {
    const { variable, about, secret: isHidden } = setting;
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
      if (isBare || problem) console.error(`  ${problem ?? answer}`);
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
