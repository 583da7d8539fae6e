import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../core/errors.ts';
import type { Log, Message } from '../core/message.ts';
import {
  type Config,
  ConfigError,
  readConfig,
  readNamedFile,
  readSecretFile,
  type ServerConfig,
  settingError,
} from './config.ts';
import { FollowedFile } from './followed-file.ts';
import { settingMessages } from './messages.ts';

/** An account with its own settings, and those of the server for all else. */
export interface Account extends Config {
  name: string;
  /** Undefined where the secret is no file. */
  secretFile?: string;
}

export interface AccountList {
  accounts: ReadonlyMap<string, Account>;
  default?: string | undefined;
}

export interface AccountSource {
  /** Reads the file again if it has changed. @param names accounts whose secret files are checked too */
  refresh(names: readonly string[]): AccountList;
  readonly list: AccountList;
  readonly problem?: string | undefined;
}

/** Each problem begins with the name of this setting. */
const setting = 'COMMERCE_ACCOUNTS_FILE';

const text = z.string().optional();

/** Settings of an account in the file. They are read like the settings of the same name elsewhere. */
const entry = z.strictObject({
  base_url: text,
  auth_url: text,
  client_id: text,
  client_secret: text,
  client_secret_file: text,
  definitions: text,
  fill: text,
  toolsets: z.array(z.string()).min(1).optional(),
});

const document = z.strictObject({
  accounts: z.record(z.string().regex(/^[\w.-]{1,40}$/), entry),
  default: text,
});

/** @throws {ConfigError} with the line of each fault; it quotes no secret */
export async function readAccounts(path: string, server: ServerConfig): Promise<AccountList> {
  return parseAccounts(readNamedFile(setting, path), path, server);
}

/**
 * Follows a file of accounts, which is checked with every request, so that a removed account ends at once. While the
 * file is broken the accounts stay as they were.
 * @throws {ConfigError} when it cannot be used at the start
 */
export function followAccounts(
  path: string,
  server: ServerConfig,
  log: Pick<Log, 'info' | 'error'>,
): AccountSource {
  /** Secret files that the refused text names and that could not be read. */
  let unreadableFiles: string[] = [];
  const file = new FollowedFile({
    path,
    setting,
    noun: 'accounts',
    log,
    parse(text, previous?: AccountList) {
      unreadableFiles = [];
      return parseAccounts(text, path, server, previous?.accounts, unreadableFiles);
    },
    count: ({ accounts }) => accounts.size,
  });
  const hasOtherSecret = ({ secretFile, clientSecret }: Partial<Account> = {}) =>
    secretFile !== undefined && secretIn(secretFile) !== clientSecret;
  return {
    get list() {
      return file.value;
    },
    refresh: (names) =>
      file.current(() =>
        file.problem
          ? unreadableFiles.some(secretIn)
          : names.some((name) => hasOtherSecret(file.value.accounts.get(name))),
      ),
    get problem() {
      return file.problem;
    },
  };
}

function secretIn(file: string): string | undefined {
  try {
    return readSecretFile(setting, file);
  } catch {
    return undefined;
  }
}

/**
 * @param previousAccounts an unchanged account stays the same object, so it is not closed
 * @param unreadableFiles receives secret files that could not be read
 */
function parseAccounts(
  text: string,
  path: string,
  server: ServerConfig,
  previousAccounts?: AccountList['accounts'],
  unreadableFiles: string[] = [],
): AccountList {
  const lines = new LineCounter();
  // Pretty errors quote the line, which may hold a secret.
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = yaml.errors;
  if (broken) throw yamlError(broken, lines.linePos(broken.pos[0]).line);
  const lineOf = (keys: readonly string[]): number => {
    const node = yaml.getIn(keys, true);
    if (keys.length > 0 && !isNode(node)) return lineOf(keys.slice(0, -1));
    return lines.linePos((isNode(node) && node.range?.[0]) || 0).line;
  };
  const problems: Message[] = [];
  const report = (keys: readonly string[], problem: Message) =>
    problems.push(
      settingMessages.in_line({
        line: lineOf(keys),
        keys,
        cause: problem.code,
        problem: problem.text,
      }),
    );
  const { data, error } = document.safeParse(valuesOf(yaml) ?? {});
  for (const issue of error?.issues ?? []) report(issue.path.map(String), problemOf(issue));
  const accounts = new Map<string, Account>();
  const folder = dirname(resolve(path));
  for (const [name, settings] of Object.entries(data?.accounts ?? {}))
    try {
      const account = parseAccount(name, settings, folder, server);
      const previous = previousAccounts?.get(name);
      const isSame = isDeepStrictEqual(previous, account);
      accounts.set(name, previous && isSame ? previous : account);
    } catch (error) {
      const secret = settings.client_secret_file && resolve(folder, settings.client_secret_file);
      if (secret && !secretIn(secret)) unreadableFiles.push(secret);
      for (const { name: setting, problem } of error instanceof ConfigError ? error.problems : [])
        report(['accounts', name, setting.replace('COMMERCE_', '').toLowerCase()], problem);
    }
  const defaultName = data?.default;
  if (defaultName !== undefined && !accounts.has(defaultName))
    report(['default'], settingMessages.unknown_default());
  if (problems.length > 0) throw settingError(setting, ...problems);
  if (accounts.size === 0) throw settingError(setting, settingMessages.names_no_account());
  return { accounts, default: defaultName };
}

function problemOf(issue: z.core.$ZodIssue): Message {
  if (issue.code === 'invalid_key') return settingMessages.bad_account_name();
  if (issue.code === 'too_small') return settingMessages.names_no_toolset();
  if (issue.code === 'unrecognized_keys')
    return settingMessages.not_account_settings({ names: issue.keys });
  return settingMessages.must_be({
    kind: issue.code === 'invalid_type' ? issue.expected : issue.code,
  });
}

function parseAccount(
  name: string,
  settings: z.output<typeof entry>,
  folder: string,
  server: ServerConfig,
): Account {
  const resolvePath = (file: string | undefined) => file && resolve(folder, file);
  const secretFile = resolvePath(settings.client_secret_file);
  const paths = { client_secret_file: secretFile, definitions: resolvePath(settings.definitions) };
  const texts = Object.entries({ ...settings, ...paths, toolsets: settings.toolsets?.join() });
  const env = Object.fromEntries(
    texts.map(([key, value]) => [`COMMERCE_${key.toUpperCase()}`, value]),
  );
  const { toolsets: all, keepDir } = server;
  const fallback = { toolsets: all.join(), ...(keepDir && { keepDir }) };
  const config = readConfig({ env, fallback });
  const { toolsets } = config;
  const lacking = toolsets.filter((name) => !all.includes(name));
  if (lacking.length > 0)
    throw settingError('toolsets', settingMessages.toolsets_left_out({ toolsets: lacking }));
  if (settings.client_secret && secretFile)
    throw settingError('client_secret', settingMessages.two_secrets());
  const own = { name, toolsets, ...(secretFile && { secretFile }) };
  return { ...config, ...serverPart(server, name), ...own };
}

/** Settings of the server for an account, with a folder of order lines of its own. */
function serverPart(server: ServerConfig, name: string): ServerConfig {
  const { keepDir } = server;
  return { ...server, keepDir: keepDir && join(keepDir, `account-${name}`) };
}

function valuesOf(yaml: Document): unknown {
  try {
    return yaml.toJS();
  } catch (error) {
    // Thrown for an alias without an anchor, or endless aliases of aliases.
    throw yamlError(error);
  }
}

// The sentence of the parser without its quote, which may be a secret.
function yamlError(error: unknown, line?: number): ConfigError {
  const text = messageOf(error).replace(/: .*/s, '');
  return settingError(setting, settingMessages.broken_yaml({ words: text, line }));
}
