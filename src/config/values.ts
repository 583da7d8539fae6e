/** What the text of a setting means. Each of these throws an Error that says what it must be. */
import { InputError, messageOf } from '../core/errors.ts';
import { resolvePeriod } from '../core/periods.ts';
import { quoted } from '../core/text.ts';
import { toolsets } from '../endpoints/define.ts';

/** A bare https address, or http on this machine; without a slash at the end. */
export function webAddress(text: string): string {
  const { origin, pathname } = new URL(exactAddress(text));
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** An address that is compared as it was written, such as the issuer of tokens. */
export function exactAddress(text: string): string {
  const url = urlIn(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('must be an address such as https://api.example.com');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Error('must be https; plain http is for this machine only');
  if (url.username || url.password || url.search || url.hash)
    throw new Error('must be a bare address, without credentials, query or fragment');
  return text;
}

/** The address of a Redis server: with a password, a port and a number of a database, where needed. */
export function redisAddress(text: string): string {
  const form = /^rediss?:\/\/(?:[^/?#%]|%[\da-f]{2})+(?:\/\d{0,4})?$/i;
  try {
    // A password whose escapes are no UTF-8 cannot be decoded.
    if (form.test(text) && urlIn(text) && decodeURIComponent(text)) return text;
  } catch {}
  throw new Error(
    'must be an address such as redis://redis.example.com:6379 or rediss://..., without options after a "?"',
  );
}

/** A token that cannot be guessed. */
export function bearerToken(text: string): string {
  if (text.length >= 16) return text;
  throw new Error('must have 16 characters or more: `openssl rand -base64 32` makes one');
}

/** A whole number, bounds included. */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new Error(`must be a whole number from ${least} to ${most}`);
  };
}

/** Seconds, read as milliseconds. */
export function seconds(least: number, most: number) {
  const read = wholeNumber(least, most);
  return (text: string): number => read(text) * 1000;
}

/** One of some words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (text: string): Word => {
    const word = words.find((it) => it === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return word;
  };
}

export const toolsetList = listOf(
  (name) => toolsets.find((known) => known === name),
  `one of the toolsets ${toolsets.join(', ')}`,
);

/** The name or IP address of a network interface, without brackets or port. */
export function bindAddress(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (hostIn(bare.includes(':') ? `[${bare}]` : bare)) return bare;
  throw new Error('must be a host name or an IP address, without a port');
}

/** Host names, as the `Host` header carries them; a port is accepted and ignored. */
export const hostList = listOf(hostIn, 'a host name such as mcp.example.com');

/** Web origins, as the `Origin` header carries them; also of extensions, whose scheme browsers do not know. */
export const originList = listOf((text) => {
  const isBare = /^[a-z][a-z\d+.-]*:\/\/[^/\s?#]+\/?$/i.test(text);
  const { protocol, host } = (isBare && urlIn(text)) || {};
  return host ? `${protocol}//${host}` : undefined;
}, 'an origin such as https://app.example.com');

/** A period in the words of the tools; what it means is worked out when it is needed. */
export function period(text: string): string {
  try {
    resolvePeriod({ period: text }, Date.now());
    return text;
  } catch (error) {
    const { reason } = error instanceof InputError ? error : {};
    if (reason?.code !== 'not_a_period') throw new Error(messageOf(error));
    const meant = reason.nearest ? ` Did you mean ${reason.nearest}?` : '';
    throw new Error(`${quoted(reason.text)} is not a period.${meant}`);
  }
}

/** Whether a host name means this machine, the only one that plain http may reach. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);
}

/** A comma list of what `read` makes something of, each once. */
function listOf<Item>(read: (text: string) => Item | undefined, what: string) {
  return (text: string): Item[] => {
    const parts = text.split(',').flatMap((part) => part.trim() || []);
    const items = parts.map((part) => {
      const item = read(part);
      if (item === undefined) throw new Error(`"${part}" is not ${what}`);
      return item;
    });
    if (items.length === 0) throw new Error(`must name ${what}`);
    return [...new Set(items)];
  };
}

function hostIn(text: string): string | undefined {
  const isHost = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i.test(text);
  return isHost ? urlIn(`http://${text}`)?.hostname : undefined;
}

function urlIn(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
