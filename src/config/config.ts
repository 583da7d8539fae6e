import { resolve } from 'node:path';
import { reasonIn } from '../core/errors.ts';
import { readPlainText } from '../core/files.ts';
import { logText, type Message } from '../core/message.ts';
import { nearest } from '../core/nearest.ts';
import { toolsets } from '../endpoints/define.ts';
import { settingMessages } from './messages.ts';
import {
  bearerToken,
  bindAddress,
  exactAddress,
  hostList,
  oneOf,
  originAddress,
  originList,
  period,
  platformAddress,
  proxyAddress,
  redisAddress,
  seconds,
  toolsetList,
  webAddress,
  wholeNumber,
} from './values.ts';

/** A setting that cannot be used; `name` is its variable or flag. */
export interface ConfigProblem {
  name: string;
  problem: Message;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ name, problem }) => `${name} ${logText(problem)}`).join('\n'));
    this.problems = problems;
  }
}

export function settingError(name: string, ...problems: readonly Message[]) {
  return new ConfigError(problems.map((problem) => ({ name, problem })));
}

export function problemLines(problems: readonly ConfigProblem[]): string[] {
  return problems.map(({ name, problem }) => `${name} ${problem.text}`);
}

/** A setting without a default is required unless it is optional. */
interface Definition<Value = unknown> {
  about: string;
  /** @throws {InputError} that says what the text must be */
  read(text: string): Value;
  /** As a user would write it. */
  default?: string | undefined;
  /** May be left out although it has no default. */
  optional?: true;
  /** Its flag without a value means `true`. */
  isSwitch?: true;
}

type Read<Value> = Definition<Value>['read'];

function setting<Value>(about: string, read: Read<Value>, unset?: string): Definition<Value> {
  return { about, read, default: unset };
}

function optional<Value>(about: string, read: Read<Value>): Definition<Value | undefined> {
  return { about, read, optional: true };
}

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Settings of an account, as a form names them too; the sandbox replaces them together. */
const account = {
  /** Without a trailing slash, such as `https://api.example.com`. */
  baseUrl: setting('Platform address', platformAddress),
  authUrl: setting('Authorization server of the account', webAddress),
  clientId: setting('Client id of the API key', String),
  clientSecret: setting('Client secret of the API key', String),
};

const server = {
  toolsets: setting(`Comma list of ${toolsets.join(', ')}`, toolsetList, toolsets.join(',')),
  concurrency: setting('Requests in flight', wholeNumber(1, 64), '8'),
  timeoutMs: setting('Longest one upstream request may take, body included', seconds(1, 600), '30'),
  maxWaitMs: setting(
    'Longest a call may wait for rate budget, in all its requests',
    seconds(0, 3600),
    '58',
  ),
  maxRows: setting('Most rows one call with `all` may read', wholeNumber(1, 10_000_000), '100000'),
  queryMs: setting('Longest one statement of `query` may compute', seconds(1, 600), '30'),
  queryMemoryMb: setting('Most memory of one statement', wholeNumber(64, 65_536), '512'),
  queryMaxCalls: setting(
    'Platform calls that one statement (unless it says otherwise), comparison or trend may need',
    wholeNumber(1, 100_000),
    '300',
  ),
  definitions: optional(
    'Folder of own `views/*.sql`, `tables/*.csv`, `prompts/*.md` and `briefs/*.md`',
    resolve,
  ),
  keepDir: optional('Folder that keeps order lines; unset, none are kept', resolve),
  keepMb: setting('Most megabytes of that folder', wholeNumber(1, 10_000_000), '2000'),
  accountsFile: optional('YAML file of several accounts, in place of the settings of one', resolve),
  filesDir: optional(
    'Folder for the files of `export_rows`; unset, the download folder. `http` gives links',
    resolve,
  ),
  logLevel: setting(`One of ${logLevels.join(', ')}; logs go to stderr`, oneOf(logLevels), 'info'),
  /** May carry a password. */
  redisUrl: optional(
    'Redis where replicas on one key share budget, cache and kept results',
    redisAddress,
  ),
};

const http = {
  /** A host name or IP address without brackets. */
  httpHost: setting(
    'Address that `http` listens on; any but this machine needs authentication',
    bindAddress,
    '127.0.0.1',
  ),
  httpPort: setting('Port that `http` listens on; 0: any free one', wholeNumber(0, 65_535), '8787'),
  /** Entries separated by `;` or line ends, read in mcp/http/auth/tokens.ts. */
  httpTokens: optional(
    'Bearer tokens for `http`: `name:token`, `name:token:toolset,toolset` or `name:token:toolsets:account`, separated by `;`',
    String,
  ),
  httpTokensFile: optional('A file of such tokens, one a line; read again when it changes', String),
  /** Compared with tokens character by character. */
  oauthIssuer: optional('Issuer of JWTs that `http` accepts, found by its metadata', exactAddress),
  oauthAudience: optional('Audience of those JWTs, best the public address of `/mcp`', String),
  oauthAccountClaim: setting(
    'Claim of those JWTs that names an account of the file',
    String,
    'account',
  ),
  auditFile: optional('File for the audit: who called what; unset, stderr', resolve),
  signIn: {
    ...optional(
      '`true`: people sign in, from clients that take no token',
      oneOf(['true', 'false']),
    ),
    isSwitch: true as const,
  },
  publicUrl: optional('Address by which clients reach `http`, without a path', originAddress),
  signInDir: optional('Folder that keeps sign-ins, in place of COMMERCE_REDIS_URL', resolve),
  /** May carry a password. */
  signInRedisUrl: optional('Redis that keeps sign-ins, in place of the folder', redisAddress),
  operatorToken: optional(
    'With several accounts: the token for `/metrics` and their names',
    bearerToken,
  ),
  /** Without ports; IPv6 in brackets. */
  allowedHosts: optional('Comma list of further host names that `http` is reached by', hostList),
  allowedOrigins: optional('Comma list of web origins whose pages may call `http`', originList),
  fill: optional('Period whose order lines `http` keeps read, such as `last_90_days`', period),
};

/** Variables of other programs too: without a prefix, and also in lower case. */
const network = {
  /** May carry a password, like the next one. */
  httpsProxy: optional('Proxy for the addresses of the platform', proxyAddress),
  httpProxy: optional('The same where `HTTPS_PROXY` is not set', proxyAddress),
  noProxy: optional('Comma list of host names that are reached without it, or `*`', String),
};

const groups = { account, server, http, network };
type Definitions = typeof account & typeof server & typeof http & typeof network;

/** Settings without a flag, since every process of the machine sees a command line. */
const secrets = ['clientSecret', 'redisUrl', 'signInRedisUrl', 'httpTokens', 'operatorToken'];

const hasFlag = (group: keyof typeof groups, key: string) =>
  group !== 'network' && !secrets.includes(key);

/** Settings that may be read from a file, named by the variable with `_FILE`. */
const fileKeys = ['clientSecret', 'redisUrl', 'signInRedisUrl', 'operatorToken'];

const accountKeys = [...Object.keys(account), 'definitions', 'fill'];

/** The whole configuration of a server. Times are in milliseconds. */
export type Config = { [Key in keyof Definitions]: ReturnType<Definitions[Key]['read']> };

/** The configuration of a server of several accounts, whose file holds the rest. */
export type ServerConfig = Omit<Config, keyof typeof account | 'definitions' | 'fill'>;

export function needsAuthentication(settings: Partial<Config>): boolean {
  const { httpTokens, httpTokensFile, oauthIssuer } = settings;
  return [httpTokens, httpTokensFile, oauthIssuer].some((text) => text !== undefined);
}

/** A setting with the names that follow from its key in {@link Config}, such as `baseUrl`. */
export interface Setting extends Definition {
  key: string;
  group: keyof typeof groups;
  /** `COMMERCE_BASE_URL`. */
  variable: string;
  /** `base-url`, which precedes the variable; undefined for secrets. */
  flag: string | undefined;
  /** `COMMERCE_CLIENT_SECRET_FILE`, if a file may hold the setting. */
  fileVariable: string | undefined;
}

export const settings = (['account', 'server', 'http', 'network'] as const).flatMap((group) =>
  Object.entries<Definition>(groups[group]).map(([key, definition]): Setting => {
    const words = key.replace(/Ms$/, 'Seconds').replaceAll(/[A-Z]/g, '_$&').toLowerCase();
    // `--host` and `--port`, like other servers.
    const name = words.replace(/^http_(?=host$|port$)/, '').replaceAll('_', '-');
    const flag = hasFlag(group, key) ? name : undefined;
    const variable = `${group === 'network' ? '' : 'COMMERCE_'}${words.toUpperCase()}`;
    const fileVariable = fileKeys.includes(key) ? `${variable}_FILE` : undefined;
    return { ...definition, key, group, variable, flag, fileVariable };
  }),
);

/** Variables that look like settings but are not, each with the nearest setting. */
export function unknownVariables(env: ConfigSource['env']) {
  const variables = settings.flatMap(({ variable, fileVariable = variable }) => [
    variable,
    fileVariable,
  ]);
  // Clients, not this server, read COMMERCE_MCP_TOKEN.
  const names = [...variables, 'COMMERCE_MCP_TOKEN'];
  const bare = (name: string) => name.replace('COMMERCE_', '');
  return Object.keys(env)
    .filter((name) => name.startsWith('COMMERCE_') && !names.includes(name))
    .map((variable) => {
      const meant = nearest(bare(variable), names.map(bare));
      return { variable, nearest: meant && `COMMERCE_${meant}` };
    });
}

export interface ConfigSource {
  env: Record<string, string | undefined>;
  flags?: Record<string, string | undefined>;
  /** Values of missing settings by key: the credentials of the embedded sandbox. */
  fallback?: Readonly<Record<string, string>>;
}

/** @throws {ConfigError} with each setting that is missing or wrong */
export function readConfig(source: ConfigSource): Config {
  const config: Config = Object.assign({}, ...readSettings(source, settings));
  if (config.fill === undefined || config.keepDir !== undefined) return config;
  throw settingError('COMMERCE_FILL', settingMessages.fill_without_folder());
}

/**
 * Reads the configuration of a server of several accounts.
 * @param ignoresAccounts for a command that asks no account
 * @throws {ConfigError} also for each setting that belongs to the accounts
 */
export function readServerConfig(source: ConfigSource, ignoresAccounts = false): ServerConfig {
  const isOfServer = ({ key }: Setting) => !accountKeys.includes(key);
  const names = settings.flatMap(
    (setting) => (!isOfServer(setting) && settingText(setting, source)?.name) || [],
  );
  const problem = settingMessages.setting_of_one_account();
  if (names.length > 0 && !ignoresAccounts)
    throw new ConfigError(names.map((name) => ({ name, problem })));
  return Object.assign({}, ...readSettings(source, settings.filter(isOfServer)));
}

/** The text of a setting and its source: a flag precedes the variable, and that the file. */
export function settingText(setting: Setting, { env, flags = {} }: ConfigSource) {
  const { variable, flag = '', fileVariable = '' } = setting;
  const lowerCase = setting.group === 'network' ? variable.toLowerCase() : '';
  const sources = [
    { name: `--${flag}`, text: flags[flag]?.trim(), isFile: false },
    { name: variable, text: givenValue(env[variable]), isFile: false },
    { name: lowerCase, text: givenValue(env[lowerCase]), isFile: false },
    { name: fileVariable, text: givenValue(env[fileVariable]), isFile: true },
  ];
  return sources.find(({ text }) => text !== undefined);
}

function readSettings(source: ConfigSource, requested: readonly Setting[]) {
  const problems: ConfigProblem[] = [];
  const values = requested.map((setting) => {
    const { key, variable, about, read, default: unset, optional } = setting;
    const unsetSource = { name: variable, text: source.fallback?.[key] ?? unset, isFile: false };
    const { name, text, isFile } = settingText(setting, source) ?? unsetSource;
    try {
      if (text !== undefined) return { [key]: read(isFile ? readSecretFile(name, text) : text) };
      if (!optional) problems.push({ name, problem: settingMessages.missing_setting({ about }) });
    } catch (error) {
      const isOfFile = error instanceof ConfigError;
      problems.push(...(isOfFile ? error.problems : [{ name, problem: reasonIn(error) }]));
    }
    return {};
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return values;
}

/** Undefined also where a desktop client left the reference to an empty field of its form. */
function givenValue(value: string | undefined): string | undefined {
  return value?.trim().replace(/^\$\{user_config\.\w+\}$/, '') || undefined;
}

/** Largest file that a setting may name, in bytes: far above any list of accounts or tokens. */
const maxFileBytes = 1_000_000;

/** @param name of the setting @throws {ConfigError} for a file that cannot be read */
export function readNamedFile(name: string, path: string): string {
  try {
    return readPlainText(path, maxFileBytes);
  } catch (error) {
    const { text: reason } = reasonIn(error);
    throw settingError(name, settingMessages.unreadable_file({ reason }));
  }
}

/** @param name of the setting @throws {ConfigError} for a file that cannot be read or is empty */
export function readSecretFile(name: string, file: string): string {
  const secret = readNamedFile(name, file).trim();
  if (secret !== '') return secret;
  throw settingError(name, settingMessages.names_empty_file({ file }));
}
