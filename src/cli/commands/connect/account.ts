import { ConfigError, flagOf, listSettings, readConfig, type Setting } from '../../../config.ts';
import type { AskPerson } from '../../terminal/ask.ts';
import { doubtfulValue } from '../doctor/configuration.ts';
import { secretVariable } from './clients.ts';

/** What an entry says of an account, and its secret apart. */
export interface AccountSettings {
  /** By variable; never the secret. */
  env: Record<string, string>;
  secret: string;
  /** A person's own file with the secret. */
  secretFile: string | undefined;
}

type Texts = Readonly<Record<string, string | undefined>>;

/** Where the values of an account come from. */
export interface AccountSource {
  /** Flags of settings by name. */
  flags: Texts;
  env: Texts;
}

/** What a printed entry shows where a value is not given. */
const samples: Texts = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'your client id',
  [secretVariable]: 'your client secret',
};

/** How a question describes its answer. */
const examples: Texts = {
  ...samples,
  COMMERCE_CLIENT_ID: 'prefix_account.4f9a8b',
  [secretVariable]: 'the one shown with that id; it stays hidden here',
};

/** Where a person finds the four values. */
export const whereValuesAre =
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
  source: AccountSource,
  held: Texts,
  ask: AskPerson | undefined,
): Promise<AccountSettings> {
  const given: Record<string, string | undefined> = { ...source.env };
  for (const setting of ask ? missingSettings(source) : [])
    if (ask) given[setting.variable] = await askFor(setting, held[setting.variable], ask);
  return settle(source.flags, given);
}

/** The account of an entry that is only printed: samples take the place of what is not given. */
export function sampleAccount(source: AccountSource): AccountSettings {
  const missing = missingSettings(source).map(({ variable }) => [variable, samples[variable]]);
  return settle(source.flags, { ...source.env, ...Object.fromEntries(missing) });
}

/** The four settings of an account that are not given. */
export function missingSettings({ flags, env }: AccountSource): Setting[] {
  return listSettings().flatMap(({ setting }) => {
    const { variable } = setting;
    const isGiven = flags[flagOf(setting) ?? ''] || env[variable] || env[`${variable}_FILE`];
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
  const question = `${about.replace(/ \(or.*/, '')}, such as ${examples[variable]}${offer}: `;
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
    return doubtfulValue(variable, answer)[0];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ problem }) => `${answer} ${problem}.`)[0];
  }
}

function settle(flags: Texts, given: Record<string, string | undefined>): AccountSettings {
  const { clientSecret } = readConfig({ env: given, flags: { ...flags } });
  const named = listSettings().flatMap(({ setting }) => {
    const own = setting.variable in samples ? given[setting.variable]?.trim() : undefined;
    const value = setting.secret ? undefined : (flags[flagOf(setting) ?? ''] ?? own);
    return value === undefined ? [] : [[setting.variable, value] as const];
  });
  const secretFile = given[secretVariable] ? undefined : given[`${secretVariable}_FILE`];
  return { env: Object.fromEntries(named), secret: clientSecret, secretFile };
}
