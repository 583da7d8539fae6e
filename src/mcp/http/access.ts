import { isIP } from 'node:net';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { type Config, type ConfigProblem, needsAuthentication } from '../../config/config.ts';
import { isLoopback } from '../../config/values.ts';
import { quote } from '../../core/text.ts';
import type { AccountDirectory } from '../app/accounts.ts';
import { RefusalError } from './refusals.ts';

/** The settings that decide who may reach the server. */
export type AccessSettings = Pick<Config, 'httpHost'> &
  Partial<
    Pick<Config, 'allowedHosts' | 'httpTokens' | 'httpTokensFile' | 'oauthIssuer' | 'oauthAudience'>
  >;

const remedy = 'set COMMERCE_HTTP_TOKENS, COMMERCE_HTTP_TOKENS_FILE or COMMERCE_OAUTH_ISSUER';

/**
 * Why these settings may not be served: none when they may.
 * @param directory the accounts, where there are several
 */
export function accessProblems(
  settings: AccessSettings,
  directory?: Pick<AccountDirectory, 'list'>,
): ConfigProblem[] {
  const { httpHost, oauthIssuer, oauthAudience, allowedHosts = [] } = settings;
  const problems: ConfigProblem[] = [];
  if (oauthIssuer !== undefined && oauthAudience === undefined)
    problems.push({
      name: 'COMMERCE_OAUTH_AUDIENCE',
      problem:
        'is missing: with COMMERCE_OAUTH_ISSUER alone, a token for any other service would open this one',
    });
  if (oauthAudience !== undefined && oauthIssuer === undefined)
    problems.push({
      name: 'COMMERCE_OAUTH_ISSUER',
      problem: 'is missing: COMMERCE_OAUTH_AUDIENCE says nothing without it',
    });
  if (needsAuthentication(settings)) return problems;
  if (directory && directory.list.default === undefined)
    problems.push({
      name: 'COMMERCE_ACCOUNTS_FILE',
      problem: `has no default, and callers do not show who they are: ${remedy}, or name a default`,
    });
  const outside = allowedHosts.filter((host) => !isLoopback(host));
  if (!isLoopback(httpHost))
    problems.push({
      name: 'COMMERCE_HTTP_HOST',
      problem: `(--host) is ${httpHost}, which other machines can reach, and callers would not have to show who they are: ${remedy}, or listen on 127.0.0.1`,
    });
  else if (outside.length > 0)
    problems.push({
      name: 'COMMERCE_ALLOWED_HOSTS',
      problem: `has ${outside.join(', ')}, by which others reach this server through a proxy, and callers would not have to show who they are: ${remedy}`,
    });
  return problems;
}

/** By which names the server may be addressed, and from which pages. */
type Reach = ReturnType<typeof reachOf>;

/**
 * This machine's names, the address that is listened on, and what the configuration adds. A server on
 * every address does not know by which ones it is reached: without a list it takes them all.
 */
export function reachOf(settings: Pick<Config, 'httpHost' | 'allowedHosts' | 'allowedOrigins'>) {
  const { httpHost, allowedHosts = [], allowedOrigins: origins = [] } = settings;
  const isEveryAddress = httpHost === '0.0.0.0' || httpHost === '::';
  const bound = httpHost.includes(':') ? `[${httpHost}]` : httpHost.toLowerCase();
  return {
    /** Host names without ports. */
    hosts: [...localhostAllowedHostnames(), ...(isEveryAddress ? [] : [bound]), ...allowedHosts],
    /** Whether any IP address will do: a DNS name that was rebound to this machine is none. */
    anyAddress: isEveryAddress && allowedHosts.length === 0,
    /** Web origins to the letter, besides pages served by this machine. */
    origins,
  };
}

/** @throws {RefusalError} 403 for a request to another name or from a page of another origin. */
export function checkReach({ url, headers }: Request, { hosts, anyAddress, origins }: Reach): void {
  const header = `http://${headers.get('host')}`;
  const named = URL.canParse(header) ? new URL(header).hostname : header.slice('http://'.length);
  // RFC 9112, section 3.2.2: an absolute request target has a host of its own.
  for (const host of [named, new URL(url).hostname]) {
    if (hosts.includes(host) || (anyAddress && isIP(host.replace(/^\[(.*)\]$/, '$1')))) continue;
    const detail = quote(host, 100);
    throw new RefusalError('host', 403, { code: 'host_not_allowed', host: detail }, { detail });
  }
  const origin = headers.get('origin') ?? '';
  if (origins.includes(origin)) return;
  if (validateOriginHeader(origin, localhostAllowedOrigins()).ok) return;
  const detail = quote(origin, 100);
  throw new RefusalError('origin', 403, { code: 'origin_not_allowed', origin: detail }, { detail });
}
