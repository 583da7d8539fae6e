import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import type { Config } from '../../config.ts';

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
  const refusal = hostHeaderValidationResponse(request, hosts);
  if (refusal !== undefined || isAllowedOrigin(request, origins)) return refusal;
  return originValidationResponse(request, localhostAllowedOrigins());
}

/** Whether the request comes from a page of an origin that the configuration names. */
export function isAllowedOrigin(request: Request, origins: readonly string[]): boolean {
  return origins.includes(request.headers.get('origin') ?? '');
}
