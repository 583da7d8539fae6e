/** Addresses of callers: read from a proxy, made comparable, and checked for the internet. */
import ipaddr from 'ipaddr.js';

/** The address that the last proxy names in `X-Forwarded-For`, without its port; undefined for anything else. */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  // Saves time: the library throws and catches an error for each text that is no address.
  if (!header) return undefined;
  const last = header.split(',').at(-1)?.trim() ?? '';
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(last) ?? [];
  const address = bracketed ?? plain ?? last;
  return isAddress(address) ? address : undefined;
}

/**
 * The address by which attempts are counted: IPv6 by its first 64 bits, as one household may use all addresses below
 * them, and IPv4 mapped into IPv6 as IPv4.
 */
export function countedAddress(address: string): string {
  if (!isAddress(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString();
}

/** Whether the internet routes an address, so that it is not of this machine, its network or another special use. */
export function isPublicAddress(address: string): boolean {
  return isAddress(address) && ipaddr.process(address).range() === 'unicast';
}

/** Whether a text is an address in its usual form: the library also reads `127.1` and `2130706433`. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
