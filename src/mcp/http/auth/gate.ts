import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import { quote } from '../../../core/text.ts';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { AccountDirectory } from '../../app/accounts.ts';
import type { Caller } from '../../app/app.ts';
import { RefusalError, refusalMessages } from '../refusals.ts';
import type { Issuer } from './oauth.ts';
import { findToken, isSameToken, type TokenSource } from './tokens.ts';

/** The bearer token of a request: empty for another kind of credentials, undefined without any. */
function bearerOf({ headers }: Request): string | undefined {
  const header = headers.get('authorization');
  return header === null ? undefined : (/^bearer +(\S+)$/i.exec(header)?.[1] ?? '');
}

/** Whether a request has the token of the operator. False if none is configured. */
export function isOperator(request: Request, operatorToken: string | undefined): boolean {
  const token = bearerOf(request);
  return Boolean(token && operatorToken) && isSameToken(token ?? '', operatorToken ?? '');
}

/**
 * A caller with their account. The id includes the account, since callers of two accounts may have one name.
 * @throws {RefusalError} 403 for a caller without an account; it names no other account
 */
export async function callerInAccount(
  caller: Caller,
  directory?: AccountDirectory,
): Promise<Caller> {
  if (directory === undefined) return caller;
  const account = await directory.find(caller.account);
  if (account !== undefined) return { ...caller, id: `${caller.id}@${account}`, account };
  const detail = caller.account === undefined ? 'none is named' : quote(caller.account, 60);
  throw new RefusalError(refusalMessages.account_not_open(), { detail });
}

export type Gate = ReturnType<typeof openGate>;

/** Lets in callers with a static token or, where there is an issuer, one of its JWTs. */
export function openGate(tokens: TokenSource, issuer: Issuer | undefined) {
  /** Adds the challenge of RFC 6750 and 9728: the error, the scopes, and where a client learns who grants them. */
  function challenge(
    request: Request,
    { reason, says, parts }: RefusalError,
    scopes: readonly Toolset[] = toolsets,
  ): RefusalError {
    const metadata = issuer && resourceUrl(request, issuer.audience);
    const error = reason === 'scope' ? 'insufficient_scope' : 'invalid_token';
    const values = Object.entries({
      realm: 'commerce-mcp',
      // RFC 6750, section 3.1: a request without a token is asked for one, without an error code.
      ...(reason !== 'no_token' && { error, error_description: says.text }),
      ...(metadata && {
        scope: scopes.join(' '),
        resource_metadata: getOAuthProtectedResourceMetadataUrl(metadata),
      }),
    }).map(([name, value]) => `${name}="${value}"`);
    const headers = { 'www-authenticate': `Bearer ${values.join(', ')}` };
    return new RefusalError(says, { ...parts, headers });
  }

  return {
    async identifyCaller(request: Request): Promise<Caller> {
      const token = bearerOf(request);
      if (token === undefined)
        throw challenge(request, new RefusalError(refusalMessages.token_needed()));
      const entry = findToken((await tokens()).tokens, token);
      if (entry !== undefined) return entry.caller;
      try {
        if (issuer !== undefined && token !== '') return await issuer.identifyCaller(token);
        throw new RefusalError(refusalMessages.token_unknown());
      } catch (error) {
        if (!(error instanceof RefusalError) || error.status === 503) throw error;
        throw challenge(request, new RefusalError(error.says, { detail: error.message }));
      }
    },

    /** @throws {RefusalError} that asks for the scope which opens a tool, where another token may have it */
    checkScope(request: Request, caller: Caller, tool: string, scope: Toolset) {
      const { toolsets: granted, grantable } = caller;
      if (granted.includes(scope) || !grantable?.includes(scope)) return;
      const refusal = new RefusalError(refusalMessages.scope_needed({ scope }), {
        tool,
        detail: scope,
      });
      throw challenge(request, refusal, [...granted, scope]);
    },
  };
}

/** The server's public address: the audience of its tokens (RFC 8707), or else the address of the request. */
export function resourceUrl(request: Request, audience: string): URL {
  if (/^https?:\/\//.test(audience) && URL.canParse(audience)) return new URL(audience);
  const url = new URL('/mcp', request.url);
  // Set by a proxy that ends TLS. It decides nothing but the addresses in answers.
  if (request.headers.get('x-forwarded-proto') === 'https') url.protocol = 'https:';
  return url;
}

/** RFC 9728: who grants tokens for this server, and with which scopes. */
export function resourceMetadata(request: Request, { issuer, audience }: Issuer) {
  return {
    resource: resourceUrl(request, audience).href,
    authorization_servers: [issuer],
    scopes_supported: toolsets,
    bearer_methods_supported: ['header'],
    resource_name: 'commerce-mcp',
  };
}
