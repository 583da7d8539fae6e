import { isIP } from 'node:net';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import {
  type Config,
  type ConfigProblem,
  needsAuthentication,
  type ServerConfig,
} from '../../config/config.ts';
import { isLoopback } from '../../config/values.ts';
import { messagesOf } from '../../core/message.ts';
import { quote } from '../../core/text.ts';
import type { AccountDirectory } from '../app/accounts.ts';
import { RefusalError, refusalMessages } from './refusals.ts';
import type { KeeperSettings } from './sign-in/keeper.ts';

export type AccessSettings = Pick<Config, 'httpHost'> & Partial<ServerConfig>;

const authAdvice = 'set COMMERCE_HTTP_TOKENS, COMMERCE_HTTP_TOKENS_FILE or COMMERCE_OAUTH_ISSUER';

/** Reasons not to serve settings; each sentence follows the name of the setting. */
export const accessMessages = messagesOf({
  issuer_without_audience:
    'is missing: with COMMERCE_OAUTH_ISSUER alone, a token for any other service would open this one',
  audience_without_issuer: 'is missing: COMMERCE_OAUTH_AUDIENCE has no effect without it',
  signs_in_elsewhere:
    'lets people sign in elsewhere: leave out COMMERCE_SIGN_IN, or leave out this',
  sign_in_needs: 'is missing: nobody can sign in without it (docs/http.md)',
  no_sign_in_store:
    'is missing: sign-ins are kept in this folder, or in COMMERCE_SIGN_IN_REDIS_URL or COMMERCE_REDIS_URL',
  no_default_account: `has no default, and callers do not show who they are: ${authAdvice}, or name a default`,
  open_address: ({ host }: { host: string }) =>
    `(--host) is ${host}, which other machines can reach, and callers would not have to show who they are: ${authAdvice}, or listen on 127.0.0.1`,
  open_hosts: ({ hosts }: { hosts: readonly string[] }) =>
    `has ${hosts.join(', ')}, by which others reach this server through a proxy, and callers would not have to show who they are: ${authAdvice}`,
  port_in_use: ({ port }: { port: number }) => `(--port) ${port} is in use: give another`,
  address_unusable: ({ host, error }: { host: string; error: string }) =>
    `(--host) ${host} cannot be used: ${error}`,
});

/** Reasons not to serve these settings. @param directory the accounts, where there are several */
export function accessProblems(
  settings: AccessSettings,
  directory?: Pick<AccountDirectory, 'list'>,
): ConfigProblem[] {
  const { httpHost, oauthIssuer, oauthAudience, allowedHosts = [] } = settings;
  const problems: ConfigProblem[] = [];
  const report = (name: string, problem: ConfigProblem['problem']) =>
    problems.push({ name, problem });
  if (oauthIssuer !== undefined && oauthAudience === undefined)
    report('COMMERCE_OAUTH_AUDIENCE', accessMessages.issuer_without_audience());
  if (oauthAudience !== undefined && oauthIssuer === undefined)
    report('COMMERCE_OAUTH_ISSUER', accessMessages.audience_without_issuer());
  if (settings.signIn === 'true') {
    const { httpTokens, httpTokensFile } = settings;
    if (oauthIssuer) report('COMMERCE_OAUTH_ISSUER', accessMessages.signs_in_elsewhere());
    if (!(httpTokens ?? httpTokensFile))
      report('COMMERCE_HTTP_TOKENS', accessMessages.sign_in_needs());
    problems.push(...storeProblems(settings));
  }
  if (needsAuthentication(settings)) return problems;
  if (directory && directory.list.default === undefined)
    report('COMMERCE_ACCOUNTS_FILE', accessMessages.no_default_account());
  const outsideHosts = allowedHosts.filter((host) => !isLoopback(host));
  if (!isLoopback(httpHost))
    report('COMMERCE_HTTP_HOST', accessMessages.open_address({ host: httpHost }));
  else if (outsideHosts.length > 0)
    report('COMMERCE_ALLOWED_HOSTS', accessMessages.open_hosts({ hosts: outsideHosts }));
  return problems;
}

/** Missing settings of the store of sign-ins. The public address belongs to it: Redis separates sign-ins by it. */
export function storeProblems(settings: KeeperSettings): ConfigProblem[] {
  const { publicUrl, signInRedisUrl, signInDir, redisUrl } = settings;
  const problems: ConfigProblem[] = [];
  if (!publicUrl)
    problems.push({ name: 'COMMERCE_PUBLIC_URL', problem: accessMessages.sign_in_needs() });
  if (!(signInRedisUrl ?? signInDir ?? redisUrl))
    problems.push({ name: 'COMMERCE_SIGN_IN_DIR', problem: accessMessages.no_sign_in_store() });
  return problems;
}

type Reach = ReturnType<typeof reachOf>;

/**
 * Names and origins by which the server may be reached: of this machine, the address that it listens on, and the
 * configured ones. A server on every address without configured names takes any IP address.
 */
export function reachOf(settings: AccessSettings) {
  const { httpHost, publicUrl } = settings;
  const names = [settings.allowedHosts ?? [], publicUrl ? new URL(publicUrl).hostname : []].flat();
  const isEveryAddress = httpHost === '0.0.0.0' || httpHost === '::';
  const boundHost = httpHost.includes(':') ? `[${httpHost}]` : httpHost.toLowerCase();
  return {
    hosts: [...localhostAllowedHostnames(), ...(isEveryAddress ? [] : [boundHost]), ...names],
    /** Whether any IP address is allowed. DNS rebinding needs a name, so it stays refused. */
    anyAddress: isEveryAddress && names.length === 0,
    /** Allowed web origins, besides pages of this machine. */
    origins: [settings.allowedOrigins ?? [], publicUrl ?? []].flat(),
  };
}

/** @throws {RefusalError} 403 for a request to another name or from a page of another origin. */
export function checkReach({ url, headers }: Request, { hosts, anyAddress, origins }: Reach): void {
  const header = `http://${headers.get('host')}`;
  const hostName = URL.canParse(header) ? new URL(header).hostname : header.slice('http://'.length);
  // RFC 9112, section 3.2.2: an absolute request target has a host of its own.
  for (const host of [hostName, new URL(url).hostname]) {
    if (hosts.includes(host) || (anyAddress && isIP(host.replace(/^\[(.*)\]$/, '$1')))) continue;
    const detail = quote(host, 100);
    throw new RefusalError(refusalMessages.host_not_allowed({ host: detail }), { detail });
  }
  const origin = headers.get('origin') ?? '';
  if (origins.includes(origin)) return;
  if (validateOriginHeader(origin, localhostAllowedOrigins()).ok) return;
  const detail = quote(origin, 100);
  throw new RefusalError(refusalMessages.origin_not_allowed({ origin: detail }), { detail });
}
