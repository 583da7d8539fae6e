import type { Config } from '../../../config.ts';
import { type ErrorCode, PlatformError } from '../../../core/errors.ts';

/** A server of the platform, and the setting that names it. */
interface Place {
  what: string;
  variable: string;
  address: string;
}

/** What to do about an error of the authorization server. */
export function ofAuthorization(error: unknown, { authUrl }: Config): string {
  const what = "the account's own authorization server, which is not the address of the API";
  return remedyFor(error, { what, variable: 'COMMERCE_AUTH_URL', address: authUrl });
}

/** What to do about an error of the platform API. */
export function ofApi(error: unknown, { baseUrl }: Config): string {
  const what = 'the platform API';
  return remedyFor(error, { what, variable: 'COMMERCE_BASE_URL', address: baseUrl });
}

/** What to do where Redis does not answer. */
export function ofRedis(): string {
  return 'Check COMMERCE_REDIS_URL: host, port, user and password, and rediss:// where it speaks TLS. Until then each replica goes on with a share of the budget.';
}

/** What to do where the query engine does not start. */
export function ofEngine(): string {
  return 'Install the package again on this machine: its native part has to be of this system. Until then query fails and everything else works.';
}

const remedies: Partial<Record<ErrorCode, (check: string, place: Place) => string>> = {
  unreachable: (check) =>
    `${check} for typing errors, its port and https or http, and that this machine reaches it: network, VPN, firewall. A proxy is not used. For the certificate of a company's own authority, set NODE_EXTRA_CA_CERTS.`,
  timeout: (check) =>
    `${check}, and whether network, VPN or firewall hold it up. A slow line: raise COMMERCE_TIMEOUT_SECONDS.`,
  redirected: (check, { what }) =>
    `${check}: give the address that it redirects to, if that is ${what}.`,
  key_refused: () =>
    'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.',
  unauthorized: () =>
    'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.',
  forbidden: () => 'Ask an account administrator what the role of this API key may see.',
  upstream_failed: (check, { what }) =>
    `Run it again in a few minutes: it is mostly on the platform's side and passes. If it stays, give its support the trace_id. ${check}: what answers there may not be ${what}.`,
  exchange_failed: (check, { what }) =>
    `${check}: it has to be ${what}. If it is, that server has trouble: run it again in a few minutes.`,
};

function remedyFor(error: unknown, place: Place): string {
  if (!(error instanceof PlatformError)) return 'Run it again; if it fails again, report it.';
  if (error.code === 'rate_limited') {
    const wait = error.retryAfterMs === undefined ? 60 : Math.ceil(error.retryAfterMs / 1000);
    return `Wait ${wait} s and run it again. Does another integration use this key? One key serves one integration.`;
  }
  const check = `Check ${place.variable} (${place.address})`;
  const remedy = remedies[error.code];
  return remedy?.(check, place) ?? `${check}: what answers there may not be ${place.what}.`;
}
