import { ConfigError, flagOf, listSettings, readConfig, type Setting } from '../../../config.ts';
import type { CommandLine } from '../../command-line.ts';
import type { AskPerson } from '../../terminal/ask.ts';
import { say } from '../../terminal/text.ts';
import { doubtAbout } from '../doctor/configuration.ts';
import { secretVariable } from './clients.ts';

/** What an entry says of an account, and its secret apart. */
export interface AccountSettings {
  /** By variable; never the secret. */
  env: Record<string, string>;
  secret: string;
  /** A person's own file with the secret. */
  secretFile: string | undefined;
}

type Texts = CommandLine['env'];

/** What says of an account what is known: flags and variables. */
type Given = Pick<CommandLine, 'values' | 'env'>;

/** What a printed entry shows where a value is not given. */
const samples: Texts = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'your client id',
  [secretVariable]: 'your client secret',
};

/** How a question describes its answer. */
const hints: Texts = {
  COMMERCE_BASE_URL: `such as ${samples.COMMERCE_BASE_URL}`,
  COMMERCE_AUTH_URL: `such as ${samples.COMMERCE_AUTH_URL}`,
  COMMERCE_CLIENT_ID: 'such as prefix_account.4f9a8b',
  [secretVariable]: 'which stays hidden here',
};

const whereValuesAre =
  "The four values belong to an API key, which an administrator of your account creates in the platform's app: the key has a client id and a client secret, and the administrator knows the address of the API and that of the account's own authorization server.";

/**
 * The account of an entry, from flags and variables; a person is asked for what is missing. Other
 * settings belong to it where a flag names them: variables of a shell are meant for that shell.
 *
 * @param held what an entry of the account holds already, which is offered
 * @param ask undefined where no person can answer
 * @throws {ConfigError} with one line for each value that is missing or wrong
 */
export async function readAccount(
  line: Given,
  held: Texts,
  ask: AskPerson | undefined,
): Promise<AccountSettings> {
  const env: Record<string, string | undefined> = { ...line.env };
  const missing = ask ? missingSettings(line) : [];
  if (missing.length > 0) say(whereValuesAre);
  for (const setting of missing)
    if (ask) env[setting.variable] = await askFor(setting, held[setting.variable], ask);
  return settle({ ...line, env });
}

/** The account of an entry that is only printed: samples take the place of what is not given. */
export function sampleAccount(line: Given): AccountSettings {
  const missing = missingSettings(line).map(({ variable }) => [variable, samples[variable]]);
  return settle({ ...line, env: { ...line.env, ...Object.fromEntries(missing) } });
}

function missingSettings({ values, env }: Given): Setting[] {
  return listSettings().flatMap(({ setting }) => {
    const { variable } = setting;
    const isGiven = values[flagOf(setting) ?? ''] || env[variable] || env[`${variable}_FILE`];
    return variable in samples && !isGiven ? [setting] : [];
  });
}

/** Asks until the answer can be used. */
async function askFor(
  { variable, about, secret }: Setting,
  held: string | undefined,
  ask: AskPerson,
): Promise<string> {
  const offer = held === undefined ? '' : ` [${secret ? 'Enter: as it is' : held}]`;
  const question = `${about.replace(/ \(or.*/, '')}, ${hints[variable]}${offer}: `;
  for (;;) {
    const typed = await ask(question, { isHidden: secret === true });
    const isBare = variable.endsWith('_URL') && typed !== '' && !typed.includes('://');
    const answer = (isBare ? `https://${typed}` : typed) || (held ?? '');
    const problem = problemWith(variable, answer);
    if (isBare && problem === undefined) console.error(`  ${answer}`);
    if (problem === undefined) return answer;
    console.error(`  ${problem}`);
  }
}

function problemWith(variable: string, answer: string): string | undefined {
  if (answer === '') return 'A value is needed here; Ctrl+C stops.';
  try {
    readConfig({ env: { ...samples, [variable]: answer } });
    return doubtAbout(variable, answer)[0];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ problem }) => `${answer} ${problem}.`)[0];
  }
}

function settle({ values, env }: Given): AccountSettings {
  const { clientSecret } = readConfig({ env, flags: values });
  const named = listSettings().flatMap(({ setting }) => {
    const own = setting.variable in samples ? env[setting.variable]?.trim() : undefined;
    const value = setting.secret ? undefined : (values[flagOf(setting) ?? ''] ?? own);
    return value === undefined ? [] : [[setting.variable, value] as const];
  });
  const secretFile = env[secretVariable] ? undefined : env[`${secretVariable}_FILE`];
  return { env: Object.fromEntries(named), secret: clientSecret, secretFile };
}
