import { z } from 'zod';
import { httpSettings } from './config/http.ts';
import { type Setting, setting, settingOf } from './config/setting.ts';
import { type ConfigSource, findValue } from './config/source.ts';
import { redisAddress, seconds, toolsetList, webAddress, wholeNumber } from './config/values.ts';
import { CommerceError } from './core/errors.ts';
import { readOnce } from './core/read-once.ts';
import { toolsets } from './endpoints/define.ts';

export { httpSettings } from './config/http.ts';
export { flagOf, type Setting } from './config/setting.ts';
export type { ConfigSource } from './config/source.ts';
export { isLoopback } from './config/values.ts';

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Every setting with its default, in the order of the documentation; read from texts. */
export const configSchema = z.object({
  /** Without a trailing slash, such as `https://api.example.com`. */
  baseUrl: webAddress.meta(
    setting({ variable: 'COMMERCE_BASE_URL', about: 'Address of the platform API' }),
  ),
  authUrl: webAddress.meta(
    setting({
      variable: 'COMMERCE_AUTH_URL',
      about: "Address of the account's own authorization server",
    }),
  ),
  clientId: z
    .string()
    .meta(setting({ variable: 'COMMERCE_CLIENT_ID', about: 'Client id of the API key' })),
  clientSecret: z.string().meta(
    setting({
      variable: 'COMMERCE_CLIENT_SECRET',
      about:
        'Client secret of the API key (or `COMMERCE_CLIENT_SECRET_FILE`, a file that holds it)',
      secret: true,
      fromFile: true,
    }),
  ),
  toolsets: toolsetList.meta(
    setting({
      variable: 'COMMERCE_TOOLSETS',
      about: `Comma list of ${toolsets.join(', ')}`,
      standard: toolsets.join(','),
    }),
  ),
  concurrency: wholeNumber(1, 64).meta(
    setting({ variable: 'COMMERCE_CONCURRENCY', about: 'Requests in flight', standard: '8' }),
  ),
  timeoutMs: seconds(1, 600).meta(
    setting({
      variable: 'COMMERCE_TIMEOUT_SECONDS',
      about: 'Longest one upstream request may take, with its whole body',
      standard: '30',
    }),
  ),
  maxWaitMs: seconds(0, 3600).meta(
    setting({
      variable: 'COMMERCE_MAX_WAIT_SECONDS',
      about: 'Longest a call may wait for rate budget',
      standard: '45',
    }),
  ),
  maxRows: wholeNumber(1, 10_000_000).meta(
    setting({
      variable: 'COMMERCE_MAX_ROWS',
      about: 'Most rows one call with `all` may read',
      standard: '100000',
    }),
  ),
  queryMs: seconds(1, 600).meta(
    setting({
      variable: 'COMMERCE_QUERY_SECONDS',
      about: 'Longest one statement of `query` may compute',
      standard: '30',
    }),
  ),
  queryMemoryMb: wholeNumber(64, 65_536).meta(
    setting({
      variable: 'COMMERCE_QUERY_MEMORY_MB',
      about: 'Most memory of one statement',
      standard: '512',
    }),
  ),
  queryMaxCalls: wholeNumber(1, 100_000).meta(
    setting({
      variable: 'COMMERCE_QUERY_MAX_CALLS',
      about: 'Platform calls that one statement may need unless it says otherwise',
      standard: '300',
    }),
  ),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).meta(
    setting({
      variable: 'COMMERCE_LOG_LEVEL',
      about: `One of ${logLevels.join(', ')}; logs go to stderr`,
      standard: 'info',
    }),
  ),
  /** May carry a password, and so counts as a secret. */
  redisUrl: redisAddress.optional().meta(
    setting({
      variable: 'COMMERCE_REDIS_URL',
      about: 'Redis through which replicas on one key share budget, cache and kept results',
      optional: true,
      secret: true,
    }),
  ),
  ...httpSettings,
});

/** The settings that say which account is asked, by their keys; the sandbox replaces all of them together. */
export const accountSettings: readonly (keyof Config)[] = [
  'baseUrl',
  'authUrl',
  'clientId',
  'clientSecret',
];

/** What the server needs to know to run. Times are in milliseconds. */
export type Config = z.output<typeof configSchema>;

/** The settings by their key in {@link Config}, in the order of the documentation. */
export function listSettings(): readonly { key: string; setting: Setting }[] {
  listed ??= Object.entries(configSchema.shape).map(([key, schema]) => ({
    key,
    setting: settingOf(schema),
  }));
  return listed;
}

let listed: ReturnType<typeof listSettings> | undefined;

/**
 * Reads the whole configuration.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export function readConfig(source: ConfigSource): Config {
  const found = new Map(
    listSettings().map(({ key, setting }) => [
      key,
      { setting, ...findValue(key, setting, source) },
    ]),
  );
  const read = configSchema.safeParse(
    Object.fromEntries([...found].map(([key, { text }]) => [key, text])),
    readOnce,
  );
  if (read.success) return read.data;
  const problems = read.error.issues.flatMap(({ path, message }): ConfigProblem[] => {
    const value = found.get(String(path[0]));
    if (value === undefined) return [];
    if (value.text !== undefined) return [{ name: value.name, problem: message }];
    if (value.problem !== undefined) return [{ name: value.name, problem: value.problem }];
    return [{ name: value.name, problem: `is missing: ${value.setting.about}`, missing: true }];
  });
  throw new ConfigError(problems);
}

/** One setting that cannot be used; `name` is the variable or the flag it came from. */
export interface ConfigProblem {
  name: string;
  problem: string;
  missing?: true;
}

/** The configuration cannot be used. The message has one line a problem. */
export class ConfigError extends CommerceError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super('bad_config', problems.map(({ name, problem }) => `${name} ${problem}`).join('\n'));
    this.problems = problems;
  }
}
