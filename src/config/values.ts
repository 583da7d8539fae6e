/** What the text of a setting means. Each of these throws an Error that says what it must be. */
import { resolve } from 'node:path';
import { resolvePeriod } from '../core/periods.ts';
import { type Toolset, toolsets } from '../endpoints/define.ts';

/** A bare https address, or http on this machine; without a slash at the end. */
export function webAddress(text: string): string {
  const { origin, pathname } = new URL(exactAddress(text));
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** An address that is compared as it was written, such as the issuer of tokens. */
export function exactAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error('must be an address such as https://api.example.com');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Error('must be https; plain http is for this machine only');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error('must be a bare address, without credentials, query or fragment');
  return text;
}

/** The address of a Redis server: with a password, a port and a number of a database, where needed. */
export function redisAddress(text: string): string {
  const form = /^rediss?:\/\/(?:[^/?#%]|%[\da-f]{2})+(?:\/\d{0,4})?$/i;
  if (form.test(text) && URL.canParse(text) && isEncoded(text)) return text;
  throw new Error(
    'must be an address such as redis://redis.example.com:6379 or rediss://..., without options after a "?"',
  );
}

function isEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

export function absolutePath(text: string): string {
  return resolve(text);
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

/** A comma list of toolsets, in their own order. */
export function toolsetList(text: string): Toolset[] {
  const names = commaList(text);
  if (names.length === 0) throw new Error(`must name one of ${toolsets.join(', ')}`);
  const unknown = names.filter((name) => !toolsets.some((known) => known === name));
  if (unknown.length === 0) return toolsets.filter((known) => names.includes(known));
  const said = unknown.map((name) => `"${name}"`).join(', ');
  throw new Error(`knows no ${said}; the toolsets are ${toolsets.join(', ')}`);
}

/** The name or IP address of a network interface, without brackets or port. */
export function bindAddress(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (hostnameOf(bare.includes(':') ? `[${bare}]` : bare) !== undefined) return bare;
  throw new Error('must be a host name or an IP address, without a port');
}

/** Host names, as the `Host` header carries them; a port is accepted and ignored. */
export const hostList = listOf(hostnameOf, 'a host name such as mcp.example.com');

/** Web origins, as the `Origin` header carries them. */
export const originList = listOf(originOf, 'an origin such as https://app.example.com');

/** A period in the words of the tools; what it means is worked out when it is needed. */
export function period(text: string): string {
  try {
    resolvePeriod({ period: text }, Date.now());
  } catch (error) {
    throw new Error(
      error instanceof Error ? error.message.replace(/^period: /, '') : String(error),
    );
  }
  return text;
}

/** Whether a host name means this machine, the only one that plain http may reach. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);
}

/** A comma list of what `read` makes something of. */
function listOf(read: (text: string) => string | undefined, what: string) {
  return (text: string): string[] =>
    commaList(text).map((part) => {
      const item = read(part);
      if (item === undefined) throw new Error(`"${part}" is not ${what}`);
      return item;
    });
}

function commaList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function hostnameOf(text: string): string | undefined {
  if (!/^(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d+)?$/.test(text)) return undefined;
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined;
}

function originOf(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/\s]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, host, origin } = new URL(text);
  // The origin of a scheme that browsers do not know, such as an extension's, reads "null".
  return origin === 'null' ? `${protocol}//${host}` : origin;
}
