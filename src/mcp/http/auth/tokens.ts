import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { type Config, ConfigError } from '../../../config.ts';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { Caller } from '../../app/scoped-app.ts';
import type { Log } from '../../telemetry/log.ts';

/** A token that opens the server, kept as its digest only. */
export interface StaticToken {
  caller: Caller;
  /** SHA-256 of the token. */
  digest: Buffer;
  /** Short enough to be guessed. */
  isWeak: boolean;
}

/**
 * Reads `name:token` or `name:token:toolset,toolset`, separated by `;` or line ends. Empty lines and
 * lines that begin with `#` are left out. A name may have several tokens, so that one can be changed
 * for another without an interruption.
 * @returns the tokens, and what is wrong with the list; no problem quotes a token
 */
export function parseTokens(text: string): { tokens: StaticToken[]; problems: string[] } {
  const entries = text.split(/[;\r\n]+/).map((entry) => entry.trim());
  const tokens: StaticToken[] = [];
  const problems: string[] = [];
  for (const [index, entry] of entries.filter((it) => /^[^#]/.test(it)).entries()) {
    const read = parseEntry(entry);
    if (typeof read === 'string') problems.push(`entry ${index + 1} ${read}`);
    else if (tokens.some(({ digest }) => digest.equals(read.digest)))
      problems.push(`entry ${index + 1} repeats the token of another entry`);
    else tokens.push(read);
  }
  return { tokens, problems };
}

/** Whose token it is. Every digest is compared, each in constant time: timing tells nothing. */
export function findCaller(tokens: readonly StaticToken[], given: string): Caller | undefined {
  const digest = digestOf(given);
  let found: Caller | undefined;
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token.caller;
  return found;
}

/** The static tokens as they are now. */
export interface TokenSource {
  current(): Promise<readonly StaticToken[]>;
  /** What is wrong with the file, as it is now; undefined while all is well. */
  problem(): Promise<string | undefined>;
}

/**
 * The tokens of the environment and of the file. The file is looked at with every request, so that a
 * token that was taken out opens nothing from then on. A file that has become unreadable or wrong
 * leaves the tokens as they were; log and `/readyz` say so.
 *
 * @throws {ConfigError} when the tokens cannot be read to begin with.
 */
export async function openTokens(
  { httpTokens, httpTokensFile: path }: Pick<Config, 'httpTokens' | 'httpTokensFile'>,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Promise<TokenSource> {
  const given = httpTokens === undefined ? [] : accept('COMMERCE_HTTP_TOKENS', httpTokens, true);
  if (path === undefined) return { current: async () => given, problem: async () => undefined };
  let version = await versionOf(path);
  let fromFile = accept('COMMERCE_HTTP_TOKENS_FILE', await read(path), true);
  let problem: string | undefined;

  async function look(file: string): Promise<void> {
    const seen = version;
    version = await versionOf(file);
    if (version === seen) return;
    try {
      fromFile = accept('COMMERCE_HTTP_TOKENS_FILE', await read(file), false);
      problem = undefined;
      log.info({ tokens: fromFile.length }, 'the tokens file was read again');
    } catch (error) {
      problem = 'the tokens file cannot be used; the tokens stay as they were';
      log.error({ reason: error instanceof ConfigError ? error.message : 'unknown' }, problem);
    }
  }

  /** To begin with, a list without a token is a mistake; later it may be meant. */
  function accept(name: string, text: string, isFirst: boolean): readonly StaticToken[] {
    const { tokens, problems } = parseTokens(text);
    if (problems.length + tokens.length === 0 && isFirst) problems.push('names no token');
    if (problems.length > 0) throw new ConfigError(problems.map((it) => ({ name, problem: it })));
    for (const { caller, isWeak } of tokens)
      if (isWeak) log.warn({ caller: caller.name }, 'a token is shorter than 16 characters');
    return tokens;
  }

  return {
    problem: () => look(path).then(() => problem),
    current: () => look(path).then(() => [...given, ...fromFile]),
  };
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be read: ${error.code}`;
    throw new ConfigError([{ name: 'COMMERCE_HTTP_TOKENS_FILE', problem }]);
  });
}

/** Changes whenever the file is written or replaced; empty while there is none. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? [found.ino, found.mtimeNs, found.ctimeNs, found.size].join() : '';
}

/** The token, or how the entry is wrong. */
function parseEntry(entry: string): StaticToken | string {
  const [name = '', token = '', list, ...more] = entry.split(':').map((part) => part.trim());
  if (token === '' || more.length > 0)
    return 'is not name:token or name:token:toolset,toolset; a token holds no colon';
  if (!/^[\w.@-]{1,64}$/.test(name))
    return 'has a name of other characters than letters, digits, dots, dashes, _ and @';
  if (!/^[\x21-\x7e]+$/.test(token)) return `(${name}) has a token with spaces or other characters`;
  const allowed = list === undefined ? toolsets : parseToolsets(list);
  if (typeof allowed === 'string') return `(${name}) ${allowed}`;
  const caller = { id: `token:${name}`, name, toolsets: allowed };
  return { caller, digest: digestOf(token), isWeak: token.length < 16 };
}

function parseToolsets(list: string): readonly Toolset[] | string {
  const names = list.split(',').map((name) => name.trim());
  const isKnown = names.every((name) => toolsets.some((known) => known === name));
  if (!isKnown) return `names something that is no toolset; there are ${toolsets.join(', ')}`;
  return toolsets.filter((known) => names.includes(known));
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
