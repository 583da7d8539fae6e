import { isIP } from 'node:net';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type Config, type ConfigProblem, isLoopback } from '../../config.ts';
import { quote } from '../../core/text.ts';
import { jsonRpcError, RefusalError } from './refusals.ts';

/** The settings that decide who may reach the server. */
export type AccessSettings = Pick<
  Config,
  'httpHost' | 'allowedHosts' | 'httpTokens' | 'httpTokensFile' | 'oauthIssuer' | 'oauthAudience'
>;

/** Whether callers have to show who they are. */
export function needsAuthentication(settings: AccessSettings): boolean {
  const { httpTokens, httpTokensFile, oauthIssuer } = settings;
  return [httpTokens, httpTokensFile, oauthIssuer].some((given) => given !== undefined);
}

/** Why these settings may not be served: none when they may. */
export function accessProblems(settings: AccessSettings): ConfigProblem[] {
  const { httpHost, oauthIssuer, oauthAudience } = settings;
  const isGuarded = needsAuthentication(settings);
  const remedy = 'set COMMERCE_HTTP_TOKENS, COMMERCE_HTTP_TOKENS_FILE or COMMERCE_OAUTH_ISSUER';
  const problems: ConfigProblem[] = [];
  const add = (name: string, problem: string) => void problems.push({ name, problem });
  if (oauthIssuer !== undefined && oauthAudience === undefined)
    add(
      'COMMERCE_OAUTH_AUDIENCE',
      'is missing: with COMMERCE_OAUTH_ISSUER alone, a token for any other service would open this one',
    );
  if (oauthAudience !== undefined && oauthIssuer === undefined)
    add('COMMERCE_OAUTH_ISSUER', 'is missing: COMMERCE_OAUTH_AUDIENCE says nothing without it');
  const outside = (settings.allowedHosts ?? []).filter((host) => !isLoopback(host));
  if (!isGuarded && !isLoopback(httpHost))
    add(
      'COMMERCE_HTTP_HOST',
      `(--host) is ${httpHost}, which other machines can reach, and callers would not have to show who they are: ${remedy}, or listen on 127.0.0.1`,
    );
  else if (!isGuarded && outside.length > 0)
    add(
      'COMMERCE_ALLOWED_HOSTS',
      `has ${outside.join(', ')}, by which others reach this server through a proxy, and callers would not have to show who they are: ${remedy}`,
    );
  return problems;
}

/** By which names the server may be addressed, and from which pages. */
export interface Reach {
  /** Host names without ports. */
  hosts: string[];
  /** Whether any IP address will do: a DNS name that was rebound to this machine is none. */
  anyAddress: boolean;
  /** Web origins to the letter, besides pages served by this machine. */
  origins: readonly string[];
}

/**
 * This machine's names, the address that is listened on, and what the configuration adds. A server on
 * every address does not know by which ones it is reached: without a list it takes them all.
 */
export function reachOf(
  settings: Pick<Config, 'httpHost' | 'allowedHosts' | 'allowedOrigins'>,
): Reach {
  const { httpHost, allowedHosts = [], allowedOrigins = [] } = settings;
  const isEveryAddress = httpHost === '0.0.0.0' || httpHost === '::';
  const bound = httpHost.includes(':') ? `[${httpHost}]` : httpHost.toLowerCase();
  return {
    hosts: [...localhostAllowedHostnames(), ...(isEveryAddress ? [] : [bound]), ...allowedHosts],
    anyAddress: isEveryAddress && allowedHosts.length === 0,
    origins: allowedOrigins,
  };
}

/** @throws {RefusalError} 403 for a request to another name or from a page of another origin. */
export function checkReach(request: Request, { hosts, anyAddress, origins }: Reach): void {
  for (const host of hostsOf(request)) {
    if (hosts.includes(host) || (anyAddress && isIP(host.replace(/^\[(.*)\]$/, '$1')))) continue;
    const name = quote(host, 100);
    throw refuse(
      'host',
      name,
      `Invalid Host: this server is not known as "${name}". To allow that name, add it to COMMERCE_ALLOWED_HOSTS (--allowed-hosts ${name})`,
    );
  }
  if (isAllowedOrigin(request, origins)) return;
  if (originValidationResponse(request, localhostAllowedOrigins()) === undefined) return;
  const origin = quote(request.headers.get('origin') ?? '', 100);
  throw refuse(
    'origin',
    origin,
    `Invalid Origin: pages of "${origin}" may not call this server. To allow them, add it to COMMERCE_ALLOWED_ORIGINS (--allowed-origins ${origin})`,
  );
}

function refuse(reason: 'host' | 'origin', detail: string, message: string): RefusalError {
  return new RefusalError(reason, jsonRpcError(403, message), { detail });
}

/** The `Host` header and, RFC 9112, section 3.2.2, the host of an absolute request target. */
function hostsOf(request: Request): string[] {
  const header = `http://${request.headers.get('host')}`;
  return [
    URL.canParse(header) ? new URL(header).hostname : header.slice('http://'.length),
    new URL(request.url).hostname,
  ];
}

/** Whether the request comes from a page of an origin that the configuration names. */
export function isAllowedOrigin(request: Request, origins: readonly string[]): boolean {
  return origins.includes(request.headers.get('origin') ?? '');
}
