import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  bindAddress,
  exactAddress,
  hostList,
  originList,
  period,
  redisAddress,
  seconds,
  toolsetList,
  webAddress,
  wholeNumber,
} from './config/values.ts';
import { CommerceError } from './core/errors.ts';
import { readOnce } from './core/read-once.ts';
import { toolsets } from './endpoints/define.ts';

export { isLoopback } from './config/values.ts';

/** A setting: its variable, what it means and what applies when it is not given. */
export interface Setting {
  variable: `COMMERCE_${string}`;
  about: string;
  /** As text, the way a user would write it. */
  standard?: string;
  /** May be left out although it has no default. */
  optional?: boolean;
  /** Secrets have no flag: a command line is visible to every process of the machine. */
  secret?: true;
  /** May also be given as a file that holds it, named by the variable with `_FILE` behind it. */
  fromFile?: true;
}

const settings = z.registry<Setting>();

/** A setting as the schema that its text is read by. */
function setting<Schema extends z.ZodType>(
  variable: Setting['variable'],
  about: string,
  schema: Schema,
  more: Omit<Setting, 'variable' | 'about'> = {},
): Schema {
  const own = schema.clone();
  const optional = schema instanceof z.ZodOptional && { optional: true };
  settings.add(own, { variable, about, ...optional, ...more });
  return own;
}

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const secret = { secret: true } as const;
const text = z.string();

/** The settings of `commerce-mcp http`. */
export const httpSettings = {
  /** Where to listen: a host name or IP address without brackets. */
  httpHost: setting(
    'COMMERCE_HTTP_HOST',
    'Address that `http` listens on; any but this machine needs authentication',
    bindAddress,
    { standard: '127.0.0.1' },
  ),
  httpPort: setting(
    'COMMERCE_HTTP_PORT',
    'Port that `http` listens on; 0 takes any free one',
    wholeNumber(0, 65_535),
    { standard: '8787' },
  ),
  /** Entries separated by `;` or line ends, read in mcp/http/auth/tokens.ts. */
  httpTokens: setting(
    'COMMERCE_HTTP_TOKENS',
    'Bearer tokens for `http`: `name:token` or `name:token:toolset,toolset`, separated by `;`',
    text.optional(),
    secret,
  ),
  httpTokensFile: setting(
    'COMMERCE_HTTP_TOKENS_FILE',
    'A file of such tokens, one a line; read again when it changes',
    text.optional(),
  ),
  /** As the issuer writes it: tokens have to name it to the letter. */
  oauthIssuer: setting(
    'COMMERCE_OAUTH_ISSUER',
    'Issuer whose JWTs `http` accepts, found through its metadata',
    exactAddress.optional(),
  ),
  oauthAudience: setting(
    'COMMERCE_OAUTH_AUDIENCE',
    'Audience that those JWTs must name, best the public address of `/mcp`',
    text.optional(),
  ),
  /** Without ports; IPv6 in brackets. */
  allowedHosts: setting(
    'COMMERCE_ALLOWED_HOSTS',
    'Comma list of host names that `http` is reached by, beside those of this machine',
    hostList.optional(),
  ),
  allowedOrigins: setting(
    'COMMERCE_ALLOWED_ORIGINS',
    'Comma list of web origins whose pages may call `http`',
    originList.optional(),
  ),
  fill: setting(
    'COMMERCE_FILL',
    'Period whose order lines `http` keeps read, such as `last_90_days`; needs the folder',
    period.optional(),
  ),
};

/** Every setting with its default, in the order of the documentation; read from texts. */
export const configSchema = z.object({
  /** Without a trailing slash, such as `https://api.example.com`. */
  baseUrl: setting('COMMERCE_BASE_URL', 'Address of the platform API', webAddress),
  authUrl: setting(
    'COMMERCE_AUTH_URL',
    "Address of the account's own authorization server",
    webAddress,
  ),
  clientId: setting('COMMERCE_CLIENT_ID', 'Client id of the API key', text),
  clientSecret: setting(
    'COMMERCE_CLIENT_SECRET',
    'Client secret of the API key (or `COMMERCE_CLIENT_SECRET_FILE`, a file that holds it)',
    text,
    { ...secret, fromFile: true },
  ),
  toolsets: setting('COMMERCE_TOOLSETS', `Comma list of ${toolsets.join(', ')}`, toolsetList, {
    standard: toolsets.join(','),
  }),
  concurrency: setting('COMMERCE_CONCURRENCY', 'Requests in flight', wholeNumber(1, 64), {
    standard: '8',
  }),
  timeoutMs: setting(
    'COMMERCE_TIMEOUT_SECONDS',
    'Longest one upstream request may take, with its whole body',
    seconds(1, 600),
    { standard: '30' },
  ),
  maxWaitMs: setting(
    'COMMERCE_MAX_WAIT_SECONDS',
    'Longest a call may wait for rate budget',
    seconds(0, 3600),
    { standard: '45' },
  ),
  maxRows: setting(
    'COMMERCE_MAX_ROWS',
    'Most rows one call with `all` may read',
    wholeNumber(1, 10_000_000),
    { standard: '100000' },
  ),
  queryMs: setting(
    'COMMERCE_QUERY_SECONDS',
    'Longest one statement of `query` may compute',
    seconds(1, 600),
    { standard: '30' },
  ),
  queryMemoryMb: setting(
    'COMMERCE_QUERY_MEMORY_MB',
    'Most memory of one statement',
    wholeNumber(64, 65_536),
    { standard: '512' },
  ),
  queryMaxCalls: setting(
    'COMMERCE_QUERY_MAX_CALLS',
    'Platform calls that one statement may need unless it says otherwise',
    wholeNumber(1, 100_000),
    { standard: '300' },
  ),
  definitions: setting(
    'COMMERCE_DEFINITIONS',
    "Folder of the business's own `views/*.sql`, `tables/*.csv` and `prompts/*.md`",
    text.optional(),
  ),
  keepDir: setting(
    'COMMERCE_KEEP_DIR',
    'Folder in which order lines that were read are kept; unset, none are',
    text.transform((path) => resolve(path)).optional(),
  ),
  keepMb: setting('COMMERCE_KEEP_MB', 'Most megabytes of that folder', wholeNumber(1, 10_000_000), {
    standard: '2000',
  }),
  logLevel: setting(
    'COMMERCE_LOG_LEVEL',
    `One of ${logLevels.join(', ')}; logs go to stderr`,
    z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
    { standard: 'info' },
  ),
  /** May carry a password, and so counts as a secret. */
  redisUrl: setting(
    'COMMERCE_REDIS_URL',
    'Redis through which replicas on one key share budget, cache and kept results',
    redisAddress.optional(),
    secret,
  ),
  ...httpSettings,
});

/** What the server needs to know to run. Times are in milliseconds. */
export type Config = z.output<typeof configSchema>;

/** The settings that say which account is asked, by their keys; the sandbox replaces all of them together. */
export const accountSettings: readonly (keyof Config)[] = [
  'baseUrl',
  'authUrl',
  'clientId',
  'clientSecret',
];

const listed = Object.entries(configSchema.shape).flatMap(([key, schema]) => {
  const found = settings.get(schema);
  return found === undefined ? [] : [{ key, setting: found }];
});

/** The settings by their key in {@link Config}, in the order of the documentation. */
export function listSettings(): readonly { key: string; setting: Setting }[] {
  return listed;
}

/** The flag that wins over a variable: `COMMERCE_BASE_URL` -> `base-url`; none for secrets. */
export function flagOf({ variable, secret: isSecret }: Setting): string | undefined {
  const name = variable.slice('COMMERCE_'.length).toLowerCase().replaceAll('_', '-');
  return isSecret ? undefined : name;
}

/** Where settings are looked for. */
export interface ConfigSource {
  env: Record<string, string | undefined>;
  /** Values of flags by flag name. */
  flags?: Record<string, string | undefined>;
  /** What replaces missing credentials: the embedded sandbox's own. */
  fallback?: Readonly<Record<string, string>>;
  readFile?: (path: string) => string;
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

/**
 * Reads the whole configuration.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export function readConfig(source: ConfigSource): Config {
  const found = new Map(
    listSettings().map(({ key, setting: it }) => [
      key,
      { about: it.about, ...find(key, it, source) },
    ]),
  );
  const read = configSchema.safeParse(
    Object.fromEntries([...found].map(([key, { text: given }]) => [key, given])),
    readOnce,
  );
  if (read.success) return read.data;
  throw new ConfigError(
    read.error.issues.flatMap(({ path, message }): ConfigProblem[] => {
      const value = found.get(String(path[0]));
      if (value === undefined) return [];
      const { name, about, problem } = value;
      if (value.text !== undefined) return [{ name, problem: message }];
      if (problem !== undefined) return [{ name, problem }];
      return [{ name, problem: `is missing: ${about}`, missing: true }];
    }),
  );
}

/** The text of a setting, if any, and the flag or variable that it came from. */
interface FoundValue {
  name: string;
  text: string | undefined;
  problem?: string;
}

/** Looks a setting up: the flag, the variable, its file, the fallback, the default. */
function find(
  key: string,
  { variable, standard, fromFile, ...rest }: Setting,
  source: ConfigSource,
): FoundValue {
  const { env, flags = {}, fallback = {}, readFile = readTextFile } = source;
  const flag = flagOf({ variable, ...rest });
  const flagged = flag === undefined ? undefined : flags[flag];
  if (flagged !== undefined) return { name: `--${flag}`, text: flagged.trim() };
  const given = givenValue(env[variable]);
  if (given) return { name: variable, text: given };
  const file = fromFile ? givenValue(env[`${variable}_FILE`]) : undefined;
  if (!file) return { name: variable, text: fallback[key] ?? standard };
  const name = `${variable}_FILE`;
  try {
    const held = readFile(file).trim();
    if (held !== '') return { name, text: held };
    return { name, text: undefined, problem: `names an empty file: ${file}` };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { name, text: undefined, problem: `cannot be read: ${reason}` };
  }
}

function readTextFile(path: string): string {
  return readFileSync(path, 'utf8');
}

/** A value; none where a desktop client left its reference to a field that was not filled in. */
function givenValue(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === undefined || /^\$\{user_config\.\w+\}$/.test(trimmed) ? undefined : trimmed;
}
