/** Readers of settings: each throws an InputError that says what the text must be. */

import { InputError } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { resolvePeriod } from '../core/periods.ts';
import { toolsets } from '../endpoints/define.ts';
import { type ItemKind, settingMessages } from './messages.ts';

function refuse(problem: Message): never {
  throw new InputError(problem);
}

/** An https address, or http on this machine, without a slash at the end; a host name alone means https. */
export function webAddress(text: string): string {
  const isBareHost = /^[\w-]+(\.[\w-]+)+(?=[:/]|$)/.test(text);
  const { origin, pathname } = new URL(exactAddress(isBareHost ? `https://${text}` : text));
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** The address of the platform, without `/api`, with which its paths begin. */
export function platformAddress(text: string): string {
  return webAddress(text).replace(/\/api$/, '');
}

export function originAddress(text: string): string {
  const { origin, pathname } = new URL(exactAddress(text));
  return pathname === '/' ? origin : refuse(settingMessages.must_be_origin());
}

/** An address that is compared as written, such as an issuer of tokens. */
export function exactAddress(text: string): string {
  const url = urlIn(text);
  if (!url || !/^https?:$/.test(url.protocol)) return refuse(settingMessages.must_be_address());
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    refuse(settingMessages.must_be_https());
  const isBare = !(url.username || url.password || url.search || url.hash);
  return isBare ? text : refuse(settingMessages.must_be_bare_address());
}

/** The address of a proxy, perhaps with name and password; http without a scheme. */
export function proxyAddress(text: string): string {
  const address = text.includes('://') ? text : `http://${text}`;
  return /^https?:$/.test(urlIn(address)?.protocol ?? '')
    ? address
    : refuse(settingMessages.must_be_proxy());
}

/** The address of a Redis, perhaps with a password, a port and the number of a database. */
export function redisAddress(text: string): string {
  const form = /^rediss?:\/\/(?:[^/?#%]|%[\da-f]{2})+(?:\/\d{0,4})?$/i;
  try {
    // decodeURIComponent throws for escapes that are not UTF-8.
    if (form.test(text) && urlIn(text) && decodeURIComponent(text)) return text;
  } catch {}
  return refuse(settingMessages.must_be_redis());
}

const minCharacters = 16;

export function bearerToken(text: string): string {
  const isLong = text.length >= minCharacters;
  return isLong ? text : refuse(settingMessages.must_be_longer({ min: minCharacters }));
}

export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    const isInRange = /^\d+$/.test(text) && number >= min && number <= max;
    return isInRange ? number : refuse(settingMessages.must_be_whole_number({ min, max }));
  };
}

/** Seconds, read as milliseconds. */
export function seconds(min: number, max: number) {
  const read = wholeNumber(min, max);
  return (text: string): number => read(text) * 1000;
}

export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (text: string): Word =>
    words.find((word) => word === text) ?? refuse(settingMessages.must_be_one_of({ words }));
}

export const toolsetList = listOf(
  (name) => toolsets.find((toolset) => toolset === name),
  'toolset',
);

/** The name or IP address of a network interface, without brackets or port. */
export function bindAddress(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  const isHost = hostIn(bare.includes(':') ? `[${bare}]` : bare) !== undefined;
  return isHost ? bare : refuse(settingMessages.must_be_host());
}

/** Host names, as the `Host` header carries them; a port is accepted and ignored. */
export const hostList = listOf(hostIn, 'host');

/** Web origins, as the `Origin` header carries them; also of extensions, whose scheme browsers do not know. */
export const originList = listOf((text) => {
  const isBare = /^[a-z][a-z\d+.-]*:\/\/[^/\s?#]+\/?$/i.test(text);
  const { protocol, host } = (isBare && urlIn(text)) || {};
  return host ? `${protocol}//${host}` : undefined;
}, 'origin');

/** A period in the words of the tools; its days are computed when they are needed. */
export function period(text: string): string {
  resolvePeriod({ period: text }, Date.now());
  return text;
}

/** Whether a host name means this machine, the only one that plain http may reach. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);
}

/** Reads a comma list, each item once. @param read undefined for a part that is no item */
function listOf<Item>(read: (text: string) => Item | undefined, kind: ItemKind) {
  return (text: string): Item[] => {
    const parts = text.split(',').flatMap((part) => part.trim() || []);
    const items = parts.map(
      (part) => read(part) ?? refuse(settingMessages.not_of_kind({ given: part, kind })),
    );
    return items.length > 0 ? [...new Set(items)] : refuse(settingMessages.must_name({ kind }));
  };
}

function hostIn(text: string): string | undefined {
  const isHost = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i.test(text);
  return (isHost && urlIn(`http://${text}`)?.hostname) || undefined;
}

function urlIn(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
