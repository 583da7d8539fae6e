import { hasCode, PlatformError } from '../../../core/errors.ts';

/** Which of the two servers did not do what was asked, and the setting that names it. */
export interface Place {
  what: string;
  variable: 'COMMERCE_AUTH_URL' | 'COMMERCE_BASE_URL';
  address: string;
}

/** What to do about a failure, in the words of somebody who stands beside. */
export function remedyFor(error: unknown, { what, variable, address }: Place): string {
  if (!(error instanceof PlatformError))
    return 'Run the check again; if it fails again, report it.';
  const check = `Check ${variable} (${address})`;
  switch (error.code) {
    case 'unreachable':
      if (/WRONG_VERSION|EPROTO|PACKET_LENGTH/.test(error.message))
        return `${check}: what listens on this port speaks no TLS. It is the wrong port, or plain http.`;
      if (address.startsWith('http:') && /RESET|SOCKET|HPE_|PARSER/.test(error.message))
        return `${check}: if what listens on this port speaks TLS, write https://.`;
      return /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(error.message)
        ? `The certificate at ${address} is not trusted on this machine. Behind a company proxy, name its certificate authority in NODE_EXTRA_CA_CERTS; otherwise: ${check}.`
        : `${check} for typing errors, and that this machine reaches it: network, VPN, firewall.`;
    case 'timeout':
      return `${check}, and whether network, VPN or firewall hold it up. A slow line: raise COMMERCE_TIMEOUT_SECONDS.`;
    case 'redirected':
      return `${check}: give the address that it redirects to, if that is ${what}.`;
    case 'key_refused':
      return 'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.';
    case 'unauthorized':
      return 'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.';
    case 'forbidden':
      return 'Ask an account administrator what the role of this API key may see.';
    case 'rate_limited':
      return `Wait ${seconds(error.retryAfterMs)} and run it again. Does another integration use this key? One key serves one integration.`;
    case 'upstream_failed':
      return isServerError(error.status)
        ? "It is on the platform's side and mostly passes: run it again in a few minutes; if it stays, give its support the trace_id."
        : `${check}: what answers there may not be ${what}.`;
    case 'exchange_failed':
      return isServerError(error.status) || error.status === 429
        ? 'The authorization server has trouble of its own: run it again in a few minutes.'
        : `${check}: it has to be the account's own authorization server, which is not the address of the API.`;
    default:
      return `${check}: what answers there may not be ${what}, or a proxy stands between.`;
  }
}

const proxies = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
];

/** What else to think of where a proxy is set, which this program does not go through. */
export function proxyAdvice(
  error: unknown,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const isProxys = error instanceof PlatformError && error.status === 407;
  const name = proxies.find((it) => env[it]);
  if (isProxys)
    return ['A proxy answers in its place and wants credentials: let this program past it.'];
  if (name === undefined || !isOutOfReach(error)) return [];
  return [
    `${name} names a proxy, and this program connects directly: let it through to that address.`,
  ];
}

/** Whether nothing of the platform was there to answer. */
export function isOutOfReach(error: unknown): boolean {
  return hasCode(error, 'unreachable') || hasCode(error, 'timeout') || hasCode(error, 'redirected');
}

function isServerError(status: number | undefined): boolean {
  return status !== undefined && status >= 500;
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? 'a minute' : `${Math.ceil(ms / 1000)} s`;
}
