import { flagOf, listSettings, readConfig, type Setting } from '../../../config.ts';
import type { CommandLine } from '../../command-line.ts';
import type { AskPerson } from '../../terminal/ask.ts';
import { secretVariable } from './client.ts';

/** What an entry says of an account, and its secret apart. */
export interface AccountSettings {
  /** By variable; never the secret. */
  env: Record<string, string>;
  secret: string;
  /** Where the secret lies already, when it was given as a file. */
  secretFile: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that make an account, with what stands in where an entry is only shown. */
const samples: Readonly<Record<string, string>> = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'your client id',
  [secretVariable]: 'your client secret',
};

/**
 * The account of an entry: flags and variables as everywhere, and what is missing is asked for. Other
 * settings are part of it where a flag names them: variables of a shell are meant for that shell.
 *
 * @param ask undefined where nobody can answer.
 * @throws {ConfigError} with one line for each value that is missing or wrong.
 */
export async function readAccount(
  values: CommandLine['values'],
  env: Environment,
  ask: AskPerson | undefined,
): Promise<AccountSettings> {
  const given: Record<string, string | undefined> = { ...env };
  for (const { setting } of listSettings()) {
    const { variable, about, secret = false } = setting;
    if (ask === undefined || !(variable in samples) || isGiven(setting, values, env)) continue;
    given[variable] = await ask(`${about.replace(/ \(or.*/, '')}: `, { isHidden: secret });
  }
  return settle(values, given);
}

/**
 * The account of an entry that is only shown: samples stand for what is not given.
 *
 * @throws {ConfigError} with one line for each value that is wrong.
 */
export function showAccount(values: CommandLine['values'], env: Environment): AccountSettings {
  const missing = listSettings().filter(
    ({ setting }) => setting.variable in samples && !isGiven(setting, values, env),
  );
  const stand = missing.map(({ setting: { variable } }) => [variable, samples[variable]]);
  return settle(values, { ...env, ...Object.fromEntries(stand) });
}

function settle(values: CommandLine['values'], given: Environment): AccountSettings {
  const { clientSecret } = readConfig({ env: given, flags: values });
  const text = (setting: Setting) =>
    values[flagOf(setting) ?? ''] ??
    (setting.variable in samples ? given[setting.variable]?.trim() : undefined);
  const named = listSettings().flatMap(({ setting }) => {
    const value = setting.secret ? undefined : text(setting);
    return value === undefined ? [] : [[setting.variable, value] as const];
  });
  return {
    env: Object.fromEntries(named),
    secret: clientSecret,
    secretFile: given[secretVariable] ? undefined : given[`${secretVariable}_FILE`],
  };
}

function isGiven(setting: Setting, values: CommandLine['values'], env: Environment): boolean {
  const { variable, fromFile } = setting;
  return Boolean(
    values[flagOf(setting) ?? ''] ?? (env[variable] || (fromFile && env[`${variable}_FILE`])),
  );
}
