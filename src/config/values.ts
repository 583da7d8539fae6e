import { z } from 'zod';
import { resolvePeriod } from '../core/periods.ts';
import { toolsets } from '../endpoints/define.ts';

/** A bare https address, or http on this machine; without a slash at the end. */
export const webAddress = z.string().transform((text, context) => {
  const url = readAddress(text, context);
  return url === undefined ? z.NEVER : `${url.origin}${url.pathname}`.replace(/\/+$/, '');
});

/** An address that is compared as it was written, such as the issuer of tokens. */
export const exactAddress = z.string().superRefine((text, context) => {
  readAddress(text, context);
});

/** The address of a Redis server: with a password, a port and a number of a database, where needed. */
export const redisAddress = z
  .string()
  .max(2000)
  .refine(
    isRedisAddress,
    'must be an address such as redis://redis.example.com:6379 or rediss://..., without options after a "?"',
  );

function isRedisAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(text);
  if (!/^rediss?:$/.test(protocol) || hostname === '' || search + hash !== '') return false;
  if (!/^(\/\d{0,4})?$/.test(pathname)) return false;
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

/** A whole number, bounds included. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);

/** Seconds, read as milliseconds. */
export const seconds = (min: number, max: number) =>
  wholeNumber(min, max).transform((count) => count * 1000);

/** A comma list of toolsets, in their own order. */
export const toolsetList = z.string().transform((text, context) => {
  const names = commaList(text);
  const unknown = names.filter((name) => !toolsets.some((known) => known === name));
  if (unknown.length > 0) {
    context.addIssue(
      `knows no ${unknown.map((name) => `"${name}"`).join(', ')}; the toolsets are ${toolsets.join(', ')}`,
    );
    return z.NEVER;
  }
  return toolsets.filter((known) => names.includes(known));
});

/** The name or IP address of a network interface, without brackets or port. */
export const bindAddress = z
  .string()
  .transform((text) => text.replace(/^\[(.*)\]$/, '$1'))
  .refine(
    (text) => hostnameOf(text.includes(':') ? `[${text}]` : text) !== undefined,
    'must be a host name or an IP address, without a port',
  );

/** A comma list of what `read` makes something of. */
function listOf(read: (text: string) => string | undefined, what: string) {
  return z.string().transform((text, context) => {
    const given = commaList(text).filter((part) => part !== '');
    const wrong = given.find((part) => read(part) === undefined);
    if (wrong === undefined) return given.flatMap((part) => read(part) ?? []);
    context.addIssue(`"${wrong}" is not ${what}`);
    return z.NEVER;
  });
}

/** Host names, as the `Host` header carries them; a port is accepted and ignored. */
export const hostList = listOf(hostnameOf, 'a host name such as mcp.example.com');

/** Web origins, as the `Origin` header carries them. */
export const originList = listOf(originOf, 'an origin such as https://app.example.com');

/** A period in the words of the tools; what it means is worked out when it is needed. */
export const period = z.string().superRefine((text, context) => {
  try {
    resolvePeriod({ period: text }, Date.now());
  } catch (error) {
    context.addIssue(
      error instanceof Error ? error.message.replace(/^period: /, '') : String(error),
    );
  }
});

/** Whether a host name means this machine, the only one that plain http may reach. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);
}

function readAddress(text: string, context: z.RefinementCtx): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    context.addIssue('must be an address such as https://api.example.com');
    return undefined;
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    context.addIssue('must be https; plain http is for this machine only');
    return undefined;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    context.addIssue('must be a bare address, without credentials, query or fragment');
    return undefined;
  }
  return url;
}

function commaList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
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
