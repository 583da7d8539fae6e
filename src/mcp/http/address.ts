/** Addresses of who asks: as proxies write them, as they are counted, and whether they are of the internet. */
import ipaddr from 'ipaddr.js';

/** The address that the last proxy names in `X-Forwarded-For`, without its port; undefined where it is none. */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  const last = header?.split(',').at(-1)?.trim() ?? '';
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(last) ?? [];
  const address = bracketed ?? plain ?? last;
  return isAddress(address) ? address : undefined;
}

/**
 * The address that counts where attempts are bounded: one of IPv6 by its first 64 bits, of which a single household may
 * use all others, and one of IPv4 in the clothes of IPv6 as itself.
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

/** Whether an address is of the internet, and not of this machine, its network or any other special use. */
export function isPublicAddress(address: string): boolean {
  return isAddress(address) && ipaddr.process(address).range() === 'unicast';
}

/** In its usual form: the library also reads `127.1` and `2130706433`. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
