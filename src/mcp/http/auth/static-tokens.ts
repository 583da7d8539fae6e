import { createHash, timingSafeEqual } from 'node:crypto';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { Caller } from '../../app/scoped-app.ts';

/** A token that opens the server, kept as its digest only. */
export interface StaticToken {
  caller: Caller;
  /** SHA-256 of the token. */
  digest: Buffer;
  /** Short enough to be guessed. */
  isWeak: boolean;
}

/** The tokens of a list, or what is wrong with it; no problem quotes a token. */
export interface ParsedTokens {
  tokens: StaticToken[];
  problems: string[];
}

/**
 * Reads `name:token` or `name:token:toolset,toolset`, separated by `;` or line ends. Empty lines and
 * lines that begin with `#` are left out. A name may have several tokens, so that one can be changed
 * for another without an interruption.
 */
export function parseTokens(text: string): ParsedTokens {
  const entries = text
    .split(/[;\r\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'));
  const tokens: StaticToken[] = [];
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
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
  return {
    caller: { id: `token:${name}`, name, toolsets: allowed },
    digest: digestOf(token),
    isWeak: token.length < 16,
  };
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
