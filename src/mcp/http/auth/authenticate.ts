import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { quote } from '../../../core/text.ts';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { Caller } from '../../app/scoped-app.ts';
import { jsonRpcError } from '../../server/json-rpc-error.ts';
import type { Log } from '../../telemetry/log.ts';
import { IssuerUnavailable } from './jwks.ts';
import { type OAuthSettings, verifyJwt } from './jwt.ts';
import { resourceUrl } from './resource-metadata.ts';
import { knownScopes } from './scopes.ts';
import { findCaller } from './static-tokens.ts';
import type { TokenSource } from './token-file.ts';

/** Who gets in, where callers have to show who they are. */
export interface Gate {
  /** The caller, or the response that refuses the request. */
  enter(request: Request): Promise<Caller | Response>;
  /** 403 that asks for more scopes, for a caller whose scopes are granted elsewhere. */
  askForScope(request: Request, caller: Caller, scope: Toolset): Response | undefined;
}

export interface GateSettings {
  tokens: TokenSource;
  oauth: OAuthSettings | undefined;
  log: Pick<Log, 'info'>;
}

/** Lets in whoever carries a static token, or a JWT of the issuer. */
export function createGate({ tokens, oauth, log }: GateSettings): Gate {
  const grantable = oauth === undefined ? [] : knownScopes;

  async function verify(token: string): Promise<AuthInfo> {
    const caller = findCaller(await tokens.current(), token);
    if (caller !== undefined) return authInfoOf(caller);
    if (oauth !== undefined) return verifyJwt(token, oauth);
    throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not known here');
  }

  /** Where a client learns who grants tokens (RFC 9728); static ones are handed over by people. */
  function metadataUrl(request: Request): string | undefined {
    return oauth && getOAuthProtectedResourceMetadataUrl(resourceUrl(request, oauth.audience));
  }

  function challenge(request: Request, error: OAuthError, scopes: readonly string[]): Response {
    const resourceMetadataUrl = metadataUrl(request);
    return bearerAuthChallengeResponse(error, {
      requiredScopes: [...scopes],
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    });
  }

  return {
    async enter(request) {
      const header = request.headers.get('authorization');
      if (header === null) {
        log.info({ reason: 'no token' }, 'a caller was refused');
        return invitation(grantable, metadataUrl(request));
      }
      try {
        return callerOf(
          await verifyBearerToken(header, { verifier: { verifyAccessToken: verify } }),
        );
      } catch (error) {
        if (error instanceof IssuerUnavailable) return unavailable();
        if (error instanceof OAuthError) {
          // What the token is not; never a part of it.
          log.info({ reason: error.message }, 'a caller was refused');
          return challenge(request, error, grantable);
        }
        throw error;
      }
    },
    askForScope(request, caller, scope) {
      if (!caller.id.startsWith('oauth:')) return undefined;
      const error = new OAuthError(
        OAuthErrorCode.InsufficientScope,
        `This needs the scope ${scope}`,
      );
      return challenge(request, error, [...caller.toolsets, scope]);
    },
  };
}

/** A static token has no end but its removal. */
function authInfoOf({ id, toolsets: scopes }: Caller): AuthInfo {
  return { token: '', clientId: id, scopes: [...scopes], expiresAt: Number.POSITIVE_INFINITY };
}

function callerOf({ clientId, scopes, extra }: AuthInfo): Caller {
  const name = extra?.name ?? clientId.slice(clientId.indexOf(':') + 1);
  return {
    id: clientId,
    name: quote(String(name), 64),
    toolsets: toolsets.filter((toolset) => scopes.includes(toolset)),
  };
}

/** RFC 6750, section 3.1: who shows nothing is asked to, and told of no error. */
function invitation(scopes: readonly string[], metadataUrl: string | undefined): Response {
  const parts = [
    'realm="commerce-mcp"',
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ];
  return jsonRpcError(401, -32_000, 'Show who you are, as Authorization: Bearer TOKEN', {
    'www-authenticate': `Bearer ${parts.join(', ')}`,
  });
}

function unavailable(): Response {
  const error = 'temporarily_unavailable';
  const body = {
    error,
    error_description: 'The issuer of the token cannot be reached to check it',
  };
  return Response.json(body, { status: 503, headers: { 'retry-after': '5' } });
}
