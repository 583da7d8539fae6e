import { createHash, timingSafeEqual } from 'node:crypto';
import { type Config, type ConfigProblem, settingError } from '../../../config/config.ts';
import { FollowedFile } from '../../../config/followed-file.ts';
import { bearerToken } from '../../../config/values.ts';
import { amsterdamDay, type Day, isDay } from '../../../core/calendar.ts';
import { reasonIn } from '../../../core/errors.ts';
import { type Log, type Message, messagesOf } from '../../../core/message.ts';
import { toolsets } from '../../../endpoints/define.ts';
import type { AccountDirectory } from '../../app/accounts.ts';
import type { Caller } from '../../app/app.ts';

/** An entry that cannot be used: `cause` is the code of its problem, and `problem` the sentence. */
interface WrongEntry {
  entry: number;
  name?: string;
  cause: string;
  problem: string;
}

/** Problems of a list of tokens. Each sentence except the first and the last follows the number of its entry. */
export const tokenMessages = messagesOf({
  token_entry: ({ entry, name, problem }: WrongEntry) =>
    `entry ${entry} ${name === undefined ? '' : `(${name}) `}${problem}`,
  repeated_token: 'repeats the token of another entry',
  not_a_token_entry: ({ hasAccounts }: { hasAccounts: boolean }) =>
    `is not name:token or ${hasAccounts ? 'name:token:toolsets:account' : 'name:token:toolset,toolset'}; a token holds no colon`,
  bad_token_name: 'has a name of other characters than letters, digits, dots, dashes, _ and @',
  bad_token_characters: 'has a token with spaces or other characters',
  weak_token: ({ problem }: { problem: string }) => `has a token that ${problem}`,
  unknown_toolset: `names something that is no toolset; there are ${toolsets.join(', ')}`,
  token_without_account: 'names no account, and the accounts file has no default',
  bad_digest: 'has a sha256: that is not 64 hexadecimal digits',
  bad_share: 'has a share= that is no whole percentage from 1 to 100',
  bad_until: 'has an until= that is no day such as 2026-12-31',
  names_no_token: 'names no token',
});

/** A token that opens the server, kept as its digest only. */
export interface StaticToken {
  caller: Caller;
  digest: Buffer;
  /** The last day on which it opens anything. */
  until?: Day | undefined;
}

/**
 * Reads `name:token` or `name:token:toolset,toolset`, with several accounts also
 * `name:token:toolsets:account`, separated by `;` or line ends; a token may stand as `sha256:DIGEST`, and
 * `:share=25` (percent of the rate budget at most) and `:until=2026-12-31` may end an entry, each once. Empty lines and
 * lines that begin with `#` are left out. A name may have several tokens, so that one can be changed for another without
 * an interruption.
 * @param directory the accounts, where there are several
 * @returns the tokens, and what is wrong with the list; no problem quotes a token
 */
export function parseTokens(text: string, directory?: Pick<AccountDirectory, 'list'>) {
  const entries = text.split(/[;\r\n]+/).map((entry) => entry.trim());
  const tokens: StaticToken[] = [];
  const problems: ConfigProblem['problem'][] = [];
  const report = (entry: number, { problem, ...named }: RefusedEntry) =>
    problems.push(
      tokenMessages.token_entry({ entry, ...named, cause: problem.code, problem: problem.text }),
    );
  for (const [index, text] of entries.filter((entry) => /^[^#]/.test(entry)).entries()) {
    const entryRead = parseEntry(text, directory);
    const entry = index + 1;
    if ('problem' in entryRead) report(entry, entryRead);
    else if (tokens.some(({ digest }) => digest.equals(entryRead.digest)))
      report(entry, { problem: tokenMessages.repeated_token() });
    else tokens.push(entryRead);
  }
  return { tokens, problems };
}

export function isTokenName(name: string): boolean {
  return /^[\w.@-]{1,64}$/.test(name);
}

interface RefusedEntry {
  name?: string;
  problem: Message;
}

function parseEntry(
  entry: string,
  directory: Pick<AccountDirectory, 'list'> | undefined,
): StaticToken | RefusedEntry {
  const allParts = entry
    .replace(/^([^:]*:\s*sha256):/, '$1=')
    .split(':')
    .map((part) => part.trim());
  const isBound = (part: string, index: number) => index > 1 && /^(share|until) *=/.test(part);
  const parts = allParts.filter((part, index) => !isBound(part, index));
  const bounds = allParts.filter(isBound).map((part) => part.split(/ *= *(.*)/));
  const { share, until }: { share?: string; until?: string } = Object.fromEntries(bounds);
  const [name = '', token = '', list, account] = parts;
  const [, digest] = /^sha256=(.*)$/.exec(token) ?? [];
  const isRepeated = new Set(bounds.map(([bound]) => bound)).size < bounds.length;
  if (token === '' || parts.length > (directory ? 4 : 3) || account === '' || isRepeated)
    return { problem: tokenMessages.not_a_token_entry({ hasAccounts: directory !== undefined }) };
  if (!isTokenName(name)) return { problem: tokenMessages.bad_token_name() };
  const wrong = (problem: Message) => ({ name, problem });
  if (!/^[\x21-\x7e]+$/.test(token)) return wrong(tokenMessages.bad_token_characters());
  if (digest !== undefined && !/^[\da-f]{64}$/i.test(digest))
    return wrong(tokenMessages.bad_digest());
  if (until !== undefined && !isDay(until)) return wrong(tokenMessages.bad_until());
  if (share !== undefined && !/^([1-9]\d?|100)$/.test(share))
    return wrong(tokenMessages.bad_share());
  try {
    if (digest === undefined) bearerToken(token);
  } catch (error) {
    return wrong(tokenMessages.weak_token({ problem: reasonIn(error).text }));
  }
  const isForAll = list === undefined || (list === '' && account !== undefined);
  const names = isForAll ? toolsets : list.split(',').map((part) => part.trim());
  const openToolsets = toolsets.filter((toolset) => names.includes(toolset));
  if (openToolsets.length < new Set(names).size) return wrong(tokenMessages.unknown_toolset());
  if (directory && account === undefined && directory.list.default === undefined)
    return wrong(tokenMessages.token_without_account());
  const caller = {
    id: `token:${name}`,
    name,
    toolsets: openToolsets,
    account: account || undefined,
    share: share === undefined ? undefined : Number(share) / 100,
  };
  const tokenSum = digest === undefined ? tokenDigest(token) : Buffer.from(digest, 'hex');
  return { caller, digest: tokenSum, until };
}

/** The entry of a token. Every digest is compared in constant time, so that timing tells nothing. */
export function findToken(tokens: readonly StaticToken[], text: string): StaticToken | undefined {
  const digest = tokenDigest(text);
  let entry: StaticToken | undefined;
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) entry = token;
  return entry;
}

/** Compares in constant time. */
export function isSameToken(a: string, b: string): boolean {
  return timingSafeEqual(tokenDigest(a), tokenDigest(b));
}

/** The SHA-256 of a token, which the server keeps in place of the token. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Gives the current static tokens, and the problem of their file. */
export type TokenSource = () => Promise<{
  tokens: readonly StaticToken[];
  problem?: string | undefined;
}>;

const fileName = 'COMMERCE_HTTP_TOKENS_FILE';

/**
 * The tokens of the environment and of the file, which is read with every request. While the file is unreadable or
 * wrong its tokens stay as they were; log and `/readyz` say so. The log also warns of tokens that open nothing: their
 * last day is past, or their account is missing.
 * @param directory the accounts, where there are several
 * @throws {ConfigError} when the tokens cannot be read at the start
 */
export async function openTokens(
  { httpTokens, httpTokensFile: path }: Pick<Config, 'httpTokens' | 'httpTokensFile'>,
  log: Pick<Log, 'info' | 'warn' | 'error' | 'audit'>,
  directory?: Pick<AccountDirectory, 'list'>,
): Promise<TokenSource> {
  const fixedTokens =
    httpTokens === undefined ? [] : readTokens('COMMERCE_HTTP_TOKENS', httpTokens, directory);
  const warn = (tokens: readonly StaticToken[]) => {
    for (const { caller, until = '' } of tokens) {
      if (until && until < amsterdamDay(Date.now()))
        log.warn({ caller: caller.name, until }, 'a token opens nothing any more');
      if (caller.account !== undefined && directory?.list.accounts.has(caller.account) === false)
        log.warn(
          { caller: caller.name, account: caller.account },
          'the account of a token is not in the file',
        );
    }
  };
  warn(fixedTokens);
  const currentTokens = (tokens: readonly StaticToken[]) => {
    const today = amsterdamDay(Date.now());
    return tokens.filter(({ until = today }) => today <= until);
  };
  if (path === undefined) return async () => ({ tokens: currentTokens(fixedTokens) });
  const file = new FollowedFile({
    path,
    setting: fileName,
    noun: 'tokens',
    log,
    // At the start a list without a token is a mistake; later it may be intended.
    parse(text, previous?: readonly StaticToken[]) {
      const tokens = readTokens(fileName, text, directory, previous === undefined ? 1 : 0);
      const names = namesOf(tokens);
      const earlier = namesOf(previous ?? []);
      const added = names.filter((name) => !earlier.includes(name));
      const removed = earlier.filter((name) => !names.includes(name));
      if (previous) log.audit({ added, removed }, 'tokens');
      return tokens;
    },
    count: ({ length }) => length,
  });
  warn(file.value);
  return async () => {
    const tokens = currentTokens([...fixedTokens, ...file.current()]);
    return { tokens, problem: file.problem };
  };
}

function namesOf(tokens: readonly StaticToken[]): string[] {
  return [...new Set(tokens.map(({ caller: { name = '' } }) => name))];
}

function readTokens(
  name: string,
  text: string,
  directory: Pick<AccountDirectory, 'list'> | undefined,
  minCount = 1,
): readonly StaticToken[] {
  const { tokens, problems } = parseTokens(text, directory);
  if (problems.length === 0 && tokens.length < minCount)
    problems.push(tokenMessages.names_no_token());
  if (problems.length === 0) return tokens;
  throw settingError(name, ...problems);
}
