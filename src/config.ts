import { readFileSync } from 'node:fs';
import {
  absolutePath,
  bindAddress,
  exactAddress,
  hostList,
  oneOf,
  originList,
  period,
  redisAddress,
  seconds,
  toolsetList,
  webAddress,
  wholeNumber,
} from './config/values.ts';
import { CommerceError, messageOf } from './core/errors.ts';
import { toolsets } from './endpoints/define.ts';

export { isLoopback } from './config/values.ts';

/** What a setting means, and what applies when it is not given. */
interface Definition<Value = unknown> {
  about: string;
  /** @throws Error that says what it must be */
  read(text: string): Value;
  /** As text, the way a user would write it. */
  standard?: string;
  /** May be left out although it has no default. */
  optional?: true;
  /** Secrets have no flag: a command line is visible to every process of the machine. */
  secret?: true;
  /** May also be given as a file that holds it, named by the variable with `_FILE` behind it. */
  fromFile?: true;
}

/** A setting with the variable that follows from its key. */
export interface Setting extends Definition {
  variable: string;
}

/** One that has to be given where there is no `standard`. */
function setting<Value>(
  about: string,
  read: (text: string) => Value,
  standard?: string,
): Definition<Value> {
  return { about, read, ...(standard !== undefined && { standard }) };
}

function optional<Value>(
  about: string,
  read: (text: string) => Value,
): Definition<Value | undefined> {
  return { about, read, optional: true };
}

const text = (given: string) => given;
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** The settings of `commerce-mcp http`. */
export const httpSettings = {
  /** Where to listen: a host name or IP address without brackets. */
  httpHost: setting(
    'Address that `http` listens on; any but this machine needs authentication',
    bindAddress,
    '127.0.0.1',
  ),
  httpPort: setting('Port that `http` listens on; 0: any free one', wholeNumber(0, 65_535), '8787'),
  /** Entries separated by `;` or line ends, read in mcp/http/auth/tokens.ts. */
  httpTokens: {
    ...optional(
      'Bearer tokens for `http`: `name:token` or `name:token:toolset,toolset`, separated by `;`',
      text,
    ),
    secret: true,
  },
  httpTokensFile: optional('A file of such tokens, one a line; read again when it changes', text),
  /** As the issuer writes it: tokens have to name it to the letter. */
  oauthIssuer: optional('Issuer of JWTs that `http` accepts, found by its metadata', exactAddress),
  oauthAudience: optional('Audience of those JWTs, best the public address of `/mcp`', text),
  /** Without ports; IPv6 in brackets. */
  allowedHosts: optional('Comma list of further host names that `http` is reached by', hostList),
  allowedOrigins: optional('Comma list of web origins whose pages may call `http`', originList),
  fill: optional('Period whose order lines `http` keeps read, such as `last_90_days`', period),
} satisfies Record<string, Definition>;

/** Every setting, in the order of the documentation; the variable of `baseUrl` is COMMERCE_BASE_URL. */
const definitions = {
  /** Without a trailing slash, such as `https://api.example.com`. */
  baseUrl: setting('Address of the platform API', webAddress),
  authUrl: setting("Address of the account's own authorization server", webAddress),
  clientId: setting('Client id of the API key', text),
  clientSecret: {
    ...setting(
      'Client secret of the API key (or `COMMERCE_CLIENT_SECRET_FILE`, a file that holds it)',
      text,
    ),
    secret: true,
    fromFile: true,
  },
  toolsets: setting(`Comma list of ${toolsets.join(', ')}`, toolsetList, toolsets.join(',')),
  concurrency: setting('Requests in flight', wholeNumber(1, 64), '8'),
  timeoutMs: setting('Longest one upstream request may take, body included', seconds(1, 600), '30'),
  maxWaitMs: setting('Longest a call may wait for rate budget', seconds(0, 3600), '45'),
  maxRows: setting('Most rows one call with `all` may read', wholeNumber(1, 10_000_000), '100000'),
  queryMs: setting('Longest one statement of `query` may compute', seconds(1, 600), '30'),
  queryMemoryMb: setting('Most memory of one statement', wholeNumber(64, 65_536), '512'),
  queryMaxCalls: setting(
    'Platform calls that one statement may need unless it says otherwise',
    wholeNumber(1, 100_000),
    '300',
  ),
  definitions: optional(
    'Folder of your own `views/*.sql`, `tables/*.csv` and `prompts/*.md`',
    text,
  ),
  keepDir: optional('Folder that keeps order lines; unset, none are kept', absolutePath),
  keepMb: setting('Most megabytes of that folder', wholeNumber(1, 10_000_000), '2000'),
  logLevel: setting(`One of ${logLevels.join(', ')}; logs go to stderr`, oneOf(logLevels), 'info'),
  /** May carry a password, and so counts as a secret. */
  redisUrl: {
    ...optional(
      'Redis through which replicas on one key share budget, cache and kept results',
      redisAddress,
    ),
    secret: true,
  },
  ...httpSettings,
} satisfies Record<string, Definition>;

/** What the server needs to know to run. Times are in milliseconds. */
export type Config = {
  [Key in keyof typeof definitions]: ReturnType<(typeof definitions)[Key]['read']>;
};

/** The settings that say which account is asked, by their keys; the sandbox replaces all of them together. */
export const accountSettings = ['baseUrl', 'authUrl', 'clientId', 'clientSecret'];

const settings = Object.entries<Definition>(definitions).map(([key, definition]) => ({
  key,
  setting: { variable: variableOf(key), ...definition },
}));

/** `COMMERCE_BASE_URL` for `baseUrl`; what is in milliseconds here is in seconds there. */
function variableOf(key: string): string {
  const words = key.replace(/Ms$/, 'Seconds').replaceAll(/[A-Z]/g, '_$&');
  return `COMMERCE_${words.toUpperCase()}`;
}

/** The settings by their key in {@link Config}, in the order of the documentation. */
export function listSettings(): readonly { key: string; setting: Setting }[] {
  return settings;
}

/** The flag that wins over a variable: `COMMERCE_BASE_URL` -> `base-url`; none for secrets. */
export function flagOf({ variable, secret }: Omit<Setting, 'read'>): string | undefined {
  const name = variable.slice('COMMERCE_'.length).toLowerCase().replaceAll('_', '-');
  return secret ? undefined : name;
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
  const problems: ConfigProblem[] = [];
  const values = settings.map(({ key, setting: { read, ...it } }) => {
    const { name, find } = placeOf(it, source);
    try {
      const given = find() ?? source.fallback?.[key] ?? it.standard;
      if (given !== undefined) return { [key]: read(given) };
      if (!it.optional) problems.push({ name, problem: `is missing: ${it.about}`, missing: true });
    } catch (error) {
      problems.push({ name, problem: messageOf(error) });
    }
    return {};
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.assign({}, ...values);
}

/** Where a setting is given: by its flag, its variable, or the file that another variable names. */
function placeOf(setting: Omit<Setting, 'read'>, source: ConfigSource) {
  const { env, flags = {}, readFile = (path) => readFileSync(path, 'utf8') } = source;
  const { variable, fromFile } = setting;
  const flag = flagOf(setting) ?? '';
  const flagged = flags[flag]?.trim();
  if (flagged !== undefined) return { name: `--${flag}`, find: () => flagged };
  const given = givenValue(env[variable]);
  const file = fromFile && givenValue(env[`${variable}_FILE`]);
  if (given || !file) return { name: variable, find: () => given };
  return { name: `${variable}_FILE`, find: () => heldBy(file, readFile) };
}

function heldBy(file: string, readFile: (path: string) => string): string {
  let held: string;
  try {
    held = readFile(file).trim();
  } catch (cause) {
    throw new Error(`cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (held === '') throw new Error(`names an empty file: ${file}`);
  return held;
}

/** A value; none where a desktop client left its reference to a field that was not filled in. */
function givenValue(value: string | undefined): string | undefined {
  return value?.trim().replace(/^\$\{user_config\.\w+\}$/, '') || undefined;
}
