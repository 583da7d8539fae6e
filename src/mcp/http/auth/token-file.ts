import { readFile, stat } from 'node:fs/promises';
import { type Config, ConfigError } from '../../../config.ts';
import type { Log } from '../../telemetry/log.ts';
import { parseTokens, type StaticToken } from './static-tokens.ts';

/** The static tokens as they are now. */
export interface TokenSource {
  current(): Promise<readonly StaticToken[]>;
  /** What is wrong with the file, as it is now; undefined while all is well. */
  problem(): Promise<string | undefined>;
}

/** How long the tokens stay as they were when their file cannot be used: long enough to mend it. */
const graceMs = 60_000;

/**
 * The tokens of the environment and of the file. The file is looked at with every request, so that a
 * token that was taken out opens nothing from then on. A file that has become unreadable or wrong
 * leaves the tokens as they were for a minute, and the log says so; after that it opens nothing, as
 * nobody could take a token back.
 *
 * @throws {ConfigError} when the tokens cannot be read to begin with.
 */
export async function openTokenSource(
  { httpTokens, httpTokensFile }: Pick<Config, 'httpTokens' | 'httpTokensFile'>,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  elapsed: () => number = () => performance.now(),
): Promise<TokenSource> {
  const given = httpTokens === undefined ? [] : parseFirst('COMMERCE_HTTP_TOKENS', httpTokens);
  warnOfWeak(given);
  if (httpTokensFile === undefined)
    return { current: async () => given, problem: async () => undefined };

  const file = 'COMMERCE_HTTP_TOKENS_FILE';
  let seen = await versionOf(httpTokensFile);
  let tokens = parseFirst(file, await readFirst(file, httpTokensFile));
  warnOfWeak(tokens);
  let brokenSinceMs: number | undefined;

  function isClosed(): boolean {
    return brokenSinceMs !== undefined && elapsed() - brokenSinceMs >= graceMs;
  }

  async function readAgain(isNews: boolean): Promise<void> {
    try {
      tokens = parseOrRefuse(file, await readFile(String(httpTokensFile), 'utf8'));
      brokenSinceMs = undefined;
      log.info({ tokens: tokens.length }, 'the tokens file was read again');
      warnOfWeak(tokens);
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : codeOf(error);
      brokenSinceMs ??= elapsed();
      if (isNews)
        log.error({ reason }, 'the tokens file cannot be used; its tokens stay for a minute');
    }
  }

  /** Without this look, a file that nobody asks by would be taken for well. */
  async function look(): Promise<void> {
    const version = await versionOf(String(httpTokensFile));
    const isNews = version !== seen;
    seen = version;
    if (isNews || brokenSinceMs !== undefined) await readAgain(isNews);
  }

  return {
    async problem() {
      await look();
      if (brokenSinceMs === undefined) return undefined;
      return isClosed()
        ? 'the tokens file cannot be used, and its tokens open nothing'
        : 'the tokens file cannot be used; its tokens stay for a minute';
    },
    async current() {
      await look();
      return isClosed() ? given : [...given, ...tokens];
    },
  };

  function warnOfWeak(list: readonly StaticToken[]): void {
    for (const { caller, isWeak } of list)
      if (isWeak) log.warn({ caller: caller.name }, 'a token is shorter than 16 characters');
  }
}

/** Changes whenever the file is written or replaced; empty while there is none. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, ctimeNs, size } = await stat(path, { bigint: true });
    return [ino, mtimeNs, ctimeNs, size].join();
  } catch {
    return '';
  }
}

async function readFirst(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError([{ name, problem: `cannot be read: ${codeOf(error)}` }]);
  }
}

/** To begin with, a list without a token is a mistake; later it may be meant. */
function parseFirst(name: string, text: string): readonly StaticToken[] {
  const tokens = parseOrRefuse(name, text);
  if (tokens.length === 0) throw new ConfigError([{ name, problem: 'names no token' }]);
  return tokens;
}

function parseOrRefuse(name: string, text: string): readonly StaticToken[] {
  const { tokens, problems } = parseTokens(text);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => ({ name, problem })));
  return tokens;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
