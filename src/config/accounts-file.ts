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
  readSecretFile,
  refuseSetting,
  type ServerConfig,
} from './config.ts';
import { FollowedFile, readSettingFile } from './followed-file.ts';
import { settingMessages } from './messages.ts';

/** An account with its whole configuration: its own settings, and for all else the server's. */
export interface Account extends Config {
  name: string;
  /** The file that holds the secret, where it is one. */
  secretFile?: string;
}

/** The accounts by their names. */
export interface AccountList {
  accounts: ReadonlyMap<string, Account>;
  default?: string | undefined;
}

/** The accounts of a file that is followed. */
export interface AccountSource {
  /** Reads the file again where it has changed. @param names of accounts whose secret files are looked at too */
  refresh(names: readonly string[]): AccountList;
  readonly list: AccountList;
  readonly problem?: string | undefined;
}

/** The name of the setting, with which each problem begins. */
const setting = 'COMMERCE_ACCOUNTS_FILE';

const text = z.string().optional();

/** The settings of an account under their own names; what they mean is read as everywhere. */
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

/** @throws {ConfigError} with the line of each thing that is wrong; no problem quotes a secret */
export async function readAccounts(path: string, server: ServerConfig): Promise<AccountList> {
  return parseAccounts(readSettingFile({ path, setting }), path, server);
}

/**
 * The accounts of a file, which is looked at again with every request: one that was taken out is there no more
 * from then on. A file that has become unreadable or wrong leaves the accounts as they were.
 * @throws {ConfigError} when it cannot be used to begin with
 */
export function followAccounts(
  path: string,
  server: ServerConfig,
  log: Pick<Log, 'info' | 'error'>,
): AccountSource {
  /** Secret files that could not be read, for which the accounts were refused. */
  let unread: string[] = [];
  const file = new FollowedFile({
    path,
    setting,
    what: 'accounts',
    log,
    parse(text, before?: AccountList) {
      unread = [];
      return parseAccounts(text, path, server, before?.accounts, unread);
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
          ? unread.some(secretIn)
          : names.some((name) => hasOtherSecret(file.value.accounts.get(name))),
      ),
    get problem() {
      return file.problem;
    },
  };
}

/** The secret of a file; undefined where it cannot be read. */
function secretIn(file: string): string | undefined {
  try {
    return readSecretFile(file);
  } catch {
    return undefined;
  }
}

/** The most problems of a file that are reported: finding the line of each takes long. */
const maxProblems = 20;

/** The most lines and list entries of a file: the parser compares each key with every other one. */
const maxEntries = 5000;

/**
 * @param before the previous accounts: one that did not change stays the same object, and need not be closed
 * @param unread takes the files of secrets that could not be read
 */
function parseAccounts(
  text: string,
  path: string,
  server: ServerConfig,
  before?: AccountList['accounts'],
  unread: string[] = [],
): AccountList {
  if ((text.match(/[\n,]/g)?.length ?? 0) > maxEntries)
    throw refuseSetting(setting, settingMessages.too_many_entries({ max: maxEntries }));
  const lines = new LineCounter();
  // A prettier error would show the line, which may hold a secret.
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = yaml.errors;
  if (broken) throw brokenYaml(broken, lines.linePos(broken.pos[0]).line);
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
  for (const issue of error?.issues.slice(0, maxProblems) ?? [])
    report(issue.path.map(String), problemOf(issue));
  const accounts = new Map<string, Account>();
  const folder = dirname(resolve(path));
  for (const [name, settings] of Object.entries(data?.accounts ?? {}))
    try {
      const account = parseAccount(name, settings, folder, server);
      const previous = before?.get(name);
      const isSame = isDeepStrictEqual(previous, account);
      accounts.set(name, previous && isSame ? previous : account);
    } catch (error) {
      const secret = settings.client_secret_file && resolve(folder, settings.client_secret_file);
      if (secret && !secretIn(secret)) unread.push(secret);
      if (problems.length >= maxProblems) break;
      for (const { name: setting, problem } of error instanceof ConfigError ? error.problems : [])
        report(['accounts', name, setting.replace('COMMERCE_', '').toLowerCase()], problem);
    }
  const defaultName = data?.default;
  if (defaultName !== undefined && !accounts.has(defaultName))
    report(['default'], settingMessages.unknown_default());
  if (problems.length > 0) throw refuseSetting(setting, ...problems);
  if (accounts.size === 0) throw refuseSetting(setting, settingMessages.names_no_account());
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
  const inFolder = (file: string | undefined) => file && resolve(folder, file);
  const secretFile = inFolder(settings.client_secret_file);
  const paths = { client_secret_file: secretFile, definitions: inFolder(settings.definitions) };
  const texts = Object.entries({ ...settings, ...paths, toolsets: settings.toolsets?.join() });
  const env = Object.fromEntries(
    texts.map(([key, value]) => [`COMMERCE_${key.toUpperCase()}`, value]),
  );
  const config = readConfig({ env, fallback: { toolsets: server.toolsets.join() } });
  const { toolsets } = config;
  const lacking = toolsets.filter((name) => !server.toolsets.includes(name));
  if (lacking.length > 0)
    throw refuseSetting('toolsets', settingMessages.toolsets_left_out({ toolsets: lacking }));
  if (settings.client_secret && secretFile)
    throw refuseSetting('client_secret', settingMessages.two_secrets());
  const own = { name, toolsets, ...(secretFile && { secretFile }) };
  return { ...config, ...serverPart(server, name), ...own };
}

/** The server's settings for an account: each keeps order lines in a folder of its own. */
function serverPart(server: ServerConfig, name: string): ServerConfig {
  const { keepDir } = server;
  return { ...server, keepDir: keepDir && join(keepDir, `account-${name}`) };
}

function valuesOf(yaml: Document): unknown {
  try {
    return yaml.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases of aliases that expand without end.
    throw brokenYaml(error);
  }
}

// The parser's sentence without the text that it quotes, which may be a secret.
function brokenYaml(error: unknown, line?: number): ConfigError {
  const text = messageOf(error).replace(/: .*/s, '');
  return refuseSetting(setting, settingMessages.broken_yaml({ words: text, line }));
}
