import { ConfigError, flagOf, listSettings, readConfig, type Setting } from '../../../config.ts';
import type { CommandLine } from '../../command-line.ts';
import type { AskPerson } from '../../terminal/ask.ts';
import { say } from '../../terminal/text.ts';
import { doubtAbout } from '../doctor/configuration.ts';
import { secretVariable } from './configuration.ts';

/** What an entry says of an account, and its secret apart. */
export interface AccountSettings {
  /** By variable; never the secret. */
  env: Record<string, string>;
  secret: string;
  /** A person's own file with the secret. */
  secretFile: string | undefined;
}

/** The values of an account: how a question describes its answer, and what a printed entry shows for it. */
const questions: Readonly<Record<string, { hint: string; sample: string }>> = {
  COMMERCE_BASE_URL: { hint: 'such as https://api.example.com', sample: 'https://api.example.com' },
  COMMERCE_AUTH_URL: {
    hint: 'such as https://auth.example.com',
    sample: 'https://auth.example.com',
  },
  COMMERCE_CLIENT_ID: { hint: 'such as prefix_account.4f9a8b', sample: 'your client id' },
  [secretVariable]: { hint: 'which stays hidden here', sample: 'your client secret' },
};

/** The settings of an account. */
const own = listSettings().flatMap(({ setting }) =>
  setting.variable in questions ? [setting] : [],
);

/** The variables and the flags of an account. */
export const accountNames: readonly string[] = own.flatMap((setting) => [
  setting.variable,
  `${setting.variable}_FILE`,
  flagOf(setting) ?? setting.variable,
]);

/**
 * The account of an entry, from flags and variables; what is missing is answered by `answer`. Other
 * settings belong to it where a flag names them: variables of a shell are meant for that shell.
 *
 * @throws {ConfigError} with one line for each value that is missing or wrong
 */
export async function readAccount(
  { values, env: given }: Pick<CommandLine, 'values' | 'env'>,
  answer: (setting: Setting) => string | undefined | Promise<string>,
): Promise<AccountSettings> {
  const env = { ...given };
  for (const setting of own) {
    const { variable } = setting;
    const isGiven = values[flagOf(setting) ?? ''] || env[variable] || env[`${variable}_FILE`];
    if (!isGiven) env[variable] = await answer(setting);
  }
  const { clientSecret } = readConfig({ env, flags: values });
  const named = listSettings().flatMap(({ setting }) => {
    const { variable, secret } = setting;
    const text = own.includes(setting) ? env[variable]?.trim() : undefined;
    const value = secret ? undefined : (values[flagOf(setting) ?? ''] ?? text);
    return value === undefined ? [] : [[variable, value] as const];
  });
  const secretFile = env[secretVariable] ? undefined : env[`${secretVariable}_FILE`];
  return { env: Object.fromEntries(named), secret: clientSecret, secretFile };
}

/** The value in an entry that is only printed. */
export function sampleOf({ variable }: Setting): string | undefined {
  return questions[variable]?.sample;
}

/**
 * Asks a person, until each answer can be used.
 *
 * @param held what an entry of the account holds already, which is offered
 */
export function askingFor(ask: AskPerson, held: CommandLine['env']) {
  let isFirst = true;
  return async ({ variable, about, secret }: Setting): Promise<string> => {
    if (isFirst)
      say(
        "The four values belong to an API key, which an administrator of your account creates in the platform's app: the key has a client id and a client secret, and the administrator knows the address of the API and that of the account's own authorization server.",
      );
    isFirst = false;
    const isHidden = secret === true;
    const { [variable]: offered = '' } = held;
    const offer = offered && ` [${isHidden ? 'Enter: as it is' : offered}]`;
    const question = `${about.replace(/ \(or.*/, '')}, ${questions[variable]?.hint}${offer}: `;
    for (;;) {
      const typed = await ask(question, { isHidden });
      const isBare = variable.endsWith('_URL') && typed !== '' && !typed.includes('://');
      const answer = isBare ? `https://${typed}` : typed || offered;
      const problem = problemWith(variable, answer);
      if (isBare || problem) console.error(`  ${problem ?? answer}`);
      if (problem === undefined) return answer;
    }
  };
}

function problemWith(variable: string, answer: string): string | undefined {
  if (answer === '') return 'A value is needed here; Ctrl+C stops.';
  try {
    const samples = own.map((it) => [it.variable, sampleOf(it)]);
    readConfig({ env: { ...Object.fromEntries(samples), [variable]: answer } });
    return doubtAbout(variable, answer)[0];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ problem }) => `${answer} ${problem}.`)[0];
  }
}
