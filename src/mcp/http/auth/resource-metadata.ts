import {
  buildOAuthProtectedResourceMetadata,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/server';
import type { OAuthSettings } from './jwt.ts';
import { knownScopes } from './scopes.ts';

/**
 * The public address of the server: the audience of its tokens where that is an address (RFC 8707),
 * else the one that the request was sent to.
 */
export function resourceUrl(request: Request, audience: string): URL {
  if (/^https?:\/\//.test(audience) && URL.canParse(audience)) return new URL(audience);
  const url = new URL('/mcp', request.url);
  // Whoever ends TLS before us says so; it decides nothing but the addresses that are told.
  if (request.headers.get('x-forwarded-proto') === 'https') url.protocol = 'https:';
  return url;
}

/** RFC 9728: who grants tokens for this server, and with which scopes. */
export function resourceMetadata(
  request: Request,
  { issuer, audience }: OAuthSettings,
): OAuthProtectedResourceMetadata {
  return {
    ...buildOAuthProtectedResourceMetadata({
      resourceServerUrl: resourceUrl(request, audience),
      scopesSupported: [...knownScopes],
      resourceName: 'commerce-mcp',
      // The configuration has seen to it: https, or this machine.
      dangerouslyAllowInsecureIssuerUrl: true,
      // The builder reads the issuer alone; clients fetch the rest from the issuer itself.
      oauthMetadata: {
        issuer,
        authorization_endpoint: '',
        token_endpoint: '',
        response_types_supported: [],
      },
    }),
    bearer_methods_supported: ['header'],
  };
}
