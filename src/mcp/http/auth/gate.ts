import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { Caller } from '../../app/scoped-app.ts';
import { jsonRpcError, RefusalError } from '../refusals.ts';
import { IssuerUnavailableError } from './jwks.ts';
import { type OAuthSettings, verifyJwt } from './jwt.ts';
import { findCaller, type TokenSource } from './tokens.ts';

/** Lets in callers with a static token or, where there is an issuer, one of its JWTs. */
export class Gate {
  readonly #tokens: TokenSource;
  readonly #oauth: OAuthSettings | undefined;

  constructor(tokens: TokenSource, oauth: OAuthSettings | undefined) {
    this.#tokens = tokens;
    this.#oauth = oauth;
  }

  /** @throws {RefusalError} for a request that shows no token, or one that opens nothing. */
  async enter(request: Request): Promise<Caller> {
    const header = request.headers.get('authorization');
    if (header === null) throw new RefusalError('no_token', this.#invitation(request));
    try {
      return await this.#verify(/^bearer +(\S+)$/i.exec(header)?.[1] ?? '');
    } catch (error) {
      if (error instanceof IssuerUnavailableError)
        throw new RefusalError('issuer_away', unavailable());
      if (!(error instanceof OAuthError)) throw error;
      const isKnown = error.code === OAuthErrorCode.InsufficientScope;
      // What the token is not; never a part of it.
      const facts = { detail: error.message };
      const response = this.#challenge(request, error, this.#grantable);
      throw new RefusalError(isKnown ? 'scope' : 'wrong_token', response, facts);
    }
  }

  /** Asks a caller whose scopes are granted elsewhere for one more. */
  scopeRefusal(request: Request, caller: Caller, tool: string, scope: Toolset) {
    if (!caller.id.startsWith('oauth:')) return undefined;
    const error = new OAuthError(OAuthErrorCode.InsufficientScope, `This needs the scope ${scope}`);
    const response = this.#challenge(request, error, [...caller.toolsets, scope]);
    return new RefusalError('scope', response, { caller: caller.name, tool, detail: scope });
  }

  async #verify(token: string): Promise<Caller> {
    const caller = findCaller(await this.#tokens.current(), token);
    if (caller !== undefined) return caller;
    if (this.#oauth !== undefined && token !== '') return verifyJwt(token, this.#oauth);
    throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not known here');
  }

  /** Scopes that a caller may be granted; static tokens are handed over by people. */
  get #grantable(): readonly string[] {
    return this.#oauth === undefined ? [] : toolsets;
  }

  /** Where a client learns who grants tokens (RFC 9728). */
  #metadataUrl(request: Request): string | undefined {
    const audience = this.#oauth?.audience;
    return audience && getOAuthProtectedResourceMetadataUrl(resourceUrl(request, audience));
  }

  #challenge(request: Request, error: OAuthError, scopes: readonly string[]): Response {
    const resourceMetadataUrl = this.#metadataUrl(request);
    return bearerAuthChallengeResponse(error, {
      requiredScopes: [...scopes],
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    });
  }

  /** RFC 6750, section 3.1: a request without a token is asked for one, and told of no error. */
  #invitation(request: Request): Response {
    const metadataUrl = this.#metadataUrl(request);
    const parts = [
      'realm="commerce-mcp"',
      ...(this.#grantable.length > 0 ? [`scope="${this.#grantable.join(' ')}"`] : []),
      ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    ];
    const headers = { 'www-authenticate': `Bearer ${parts.join(', ')}` };
    return jsonRpcError(401, 'Show who you are, as Authorization: Bearer TOKEN', -32_000, headers);
  }
}

function unavailable(): Response {
  const body = {
    error: 'temporarily_unavailable',
    error_description: 'The issuer of the token cannot be reached to check it',
  };
  return Response.json(body, { status: 503, headers: { 'retry-after': '5' } });
}

/**
 * The public address of the server: the audience of its tokens where that is an address (RFC 8707),
 * else the one that the request was sent to.
 */
export function resourceUrl(request: Request, audience: string): URL {
  if (/^https?:\/\//.test(audience) && URL.canParse(audience)) return new URL(audience);
  const url = new URL('/mcp', request.url);
  // A proxy that ends TLS says so; it decides nothing but the addresses that are answered.
  if (request.headers.get('x-forwarded-proto') === 'https') url.protocol = 'https:';
  return url;
}

/** RFC 9728: who grants tokens for this server, and with which scopes. */
export function resourceMetadata(request: Request, { issuer, audience }: OAuthSettings) {
  return {
    resource: resourceUrl(request, audience).href,
    authorization_servers: [issuer],
    scopes_supported: toolsets,
    bearer_methods_supported: ['header'],
    resource_name: 'commerce-mcp',
  };
}
