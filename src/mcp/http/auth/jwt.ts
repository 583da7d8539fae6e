import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { quote } from '../../../core/text.ts';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { Caller } from '../../app/scoped-app.ts';
import { IssuerUnavailableError } from './jwks.ts';

/** Signatures by a private key of the issuer; none by a secret that both sides hold. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Seconds that the issuer's clock may be ahead of this one: its tokens are good from the start. */
const clockTolerance = 5;

export interface OAuthSettings {
  /** As the tokens write it. */
  issuer: string;
  audience: string;
  keys: JWTVerifyGetKey;
}

/**
 * Checks a JWT: signature, issuer, audience, lifetime, and a scope that opens something.
 *
 * @throws {OAuthError} `invalid_token` or `insufficient_scope`.
 * @throws {IssuerUnavailableError} when the keys cannot be had.
 */
export async function verifyJwt(token: string, settings: OAuthSettings): Promise<Caller> {
  const claims = await read(token, settings);
  const { id, name } = callerOf(claims, settings.issuer);
  const opened = toolsetsOf(scopesOf(claims));
  const { InsufficientScope } = OAuthErrorCode;
  if (opened.length > 0) return { id: `oauth:${id}`, name: quote(name, 64), toolsets: opened };
  throw new OAuthError(InsufficientScope, 'The token carries no scope of this server');
}

/** The scopes of a token: `scope` as RFC 9068 has it, or `scp` as a text or a list. */
export function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope, scp]
    .flat()
    .flatMap((value) => (typeof value === 'string' ? value.split(' ') : []))
    .filter((name) => name !== '');
}

/** What scopes open: a toolset by its name, alone or as `commerce:NAME`; `commerce` opens all. */
export function toolsetsOf(scopes: readonly string[]): readonly Toolset[] {
  if (scopes.includes('commerce')) return toolsets;
  return toolsets.filter((name) => scopes.includes(name) || scopes.includes(`commerce:${name}`));
}

async function read(token: string, { issuer, audience, keys }: OAuthSettings): Promise<JWTPayload> {
  try {
    const options = { issuer, audience, algorithms, requiredClaims: ['exp'], clockTolerance };
    const { payload } = await jwtVerify(token, keys, options);
    // The tolerance is for tokens that begin; what has expired is over.
    if (Number(payload.exp) * 1000 <= Date.now()) throw new errors.JWTExpired('expired', payload);
    return payload;
  } catch (error) {
    if (error instanceof IssuerUnavailableError) throw error;
    throw new OAuthError(OAuthErrorCode.InvalidToken, describe(error));
  }
}

/** Which check failed, without a word of the token. */
function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The token's ${quote(error.claim, 20)} does not fit this server`;
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'The token is signed with a key that its issuer does not list';
  return 'The token is not a valid JWT of the issuer';
}

/**
 * Who a token is of: its subject, or the client that it was given to, each with its kind and
 * issuer, so that no caller is taken for another.
 *
 * @throws {OAuthError} for a token that names neither: all such callers would be one.
 */
function callerOf({ sub, client_id, azp }: JWTPayload, issuer: string) {
  const isName = (claim: unknown): claim is string =>
    typeof claim === 'string' && claim !== '' && claim.length <= maxName;
  const name = [sub, client_id, azp].find(isName);
  const kind = name === sub ? 'sub' : 'client';
  if (name !== undefined) return { id: JSON.stringify([kind, issuer, name]), name };
  throw new OAuthError(
    OAuthErrorCode.InvalidToken,
    'The token says neither whose it is (sub) nor which client it was given to (client_id)',
  );
}

/** Longest name of a caller. */
const maxName = 256;
