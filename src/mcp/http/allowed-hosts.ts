import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import type { Config } from '../../config.ts';
import { jsonRpcError } from '../server/json-rpc-error.ts';

/** By which names the server may be addressed, and from which pages. */
export interface Reach {
  /** Host names without ports. */
  hosts: string[];
  /** Web origins to the letter, beside pages served by this machine. */
  origins: readonly string[];
}

/** This machine's names, the address that is listened on, and what the configuration adds. */
export function reachOf(
  settings: Pick<Config, 'httpHost' | 'allowedHosts' | 'allowedOrigins'>,
): Reach {
  const { httpHost, allowedHosts = [], allowedOrigins = [] } = settings;
  const isEveryAddress = httpHost === '0.0.0.0' || httpHost === '::';
  const bound = httpHost.includes(':') ? `[${httpHost}]` : httpHost.toLowerCase();
  return {
    hosts: [...localhostAllowedHostnames(), ...(isEveryAddress ? [] : [bound]), ...allowedHosts],
    origins: allowedOrigins,
  };
}

/** 403 for a request to another name or from another page: what a rebound DNS name leads to. */
export function refuseStranger(request: Request, { hosts, origins }: Reach): Response | undefined {
  const refused = hostHeaderValidationResponse(request, hosts);
  if (refused !== undefined) return refused;
  // RFC 9112, section 3.2.2: an absolute request target counts, whatever `Host` says.
  const { hostname } = new URL(request.url);
  if (!hosts.includes(hostname)) return jsonRpcError(403, -32_000, `Invalid Host: ${hostname}`);
  if (isAllowedOrigin(request, origins)) return undefined;
  return originValidationResponse(request, localhostAllowedOrigins());
}

/** Whether the request comes from a page of an origin that the configuration names. */
export function isAllowedOrigin(request: Request, origins: readonly string[]): boolean {
  return origins.includes(request.headers.get('origin') ?? '');
}
