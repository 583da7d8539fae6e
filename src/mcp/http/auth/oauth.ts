import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import { isLoopback } from '../../../config/values.ts';
import { withDeadline } from '../../../core/deadline.ts';
import type { Log } from '../../../core/message.ts';
import { quote } from '../../../core/text.ts';
import { type Toolset, toolsets } from '../../../endpoints/define.ts';
import type { Caller } from '../../app/app.ts';
import { RefusalError, refusalMessages } from '../refusals.ts';

export function issuerAwayError() {
  return new RefusalError(refusalMessages.issuer_not_reached(), {
    headers: { 'retry-after': '5' },
  });
}

export type Issuer = ReturnType<typeof openIssuer>;

const timeoutMs = 5000;

/** Shortest time between two reads of the key set, however many tokens name an unknown key. */
const cooldownMs = 1000;

/** Shortest time between two checks of an issuer that is away. */
const checkAgainMs = 5000;

/** Time for which keys are used without being read again, so a withdrawn key stops working after it. */
const maxKeyAgeMs = 5 * 60_000;

/** The `typ` of access tokens: RFC 9068, or `JWT` or nothing, as other issuers write it. */
const accessTokenTyp = /^(application\/)?(at\+)?jwt$/i;

/** Seconds that the issuer's clock may differ from this one. */
const clockTolerance = 5;

/** Codes of errors that the token caused, not an issuer that is away. */
const tokenErrors: readonly string[] = [
  ...[errors.JWKSNoMatchingKey.code, errors.JWKSMultipleMatchingKeys.code],
  errors.JOSENotSupported.code,
];

/**
 * Finds the keys of an issuer through its metadata, as soon as the issuer can be reached; keys may rotate.
 * @param issuer the `iss` of its tokens
 * @param accountClaim the claim that names the account of a token, where the server has several
 */
export function openIssuer(
  issuer: string,
  audience: string,
  log: Pick<Log, 'info' | 'warn'>,
  accountClaim?: string,
) {
  let keySet: Promise<KeySet> | undefined;
  let isAway = false;
  let checkedMs = 0;
  function noteReach(isAwayNow: boolean): void {
    checkedMs = performance.now();
    if (isAwayNow === isAway) return;
    isAway = isAwayNow;
    if (isAway)
      log.warn({ issuer }, 'the issuer gives no keys: tokens that it granted cannot be checked');
    else log.info({ issuer }, 'the issuer gives keys again');
  }
  async function withKeys<Result>(work: (keys: KeySet) => Promise<Result>): Promise<Result> {
    keySet ??= withDeadline({ ms: timeoutMs }, (signal) =>
      findKeys(issuer, () => noteReach(false), signal),
    );
    const usedKeySet = keySet;
    try {
      return await work(await usedKeySet);
    } catch (error) {
      if (error instanceof errors.JOSEError && tokenErrors.includes(error.code)) throw error;
      // Known keys stay while the issuer is away, even if a token names an unknown key.
      const isFresh = await usedKeySet.then(({ fresh }) => fresh).catch(() => false);
      if (!isFresh && keySet === usedKeySet) keySet = undefined;
      noteReach(true);
      throw issuerAwayError();
    }
  }
  function check(): void {
    checkedMs = performance.now();
    withKeys((keys) => keys.reload()).catch(() => {});
  }
  check();
  const keys: JWTVerifyGetKey = (...token) => withKeys((find) => find(...token));
  return {
    issuer,
    audience,
    identifyCaller: async (token: string) =>
      callerOf(await readClaims(token, { issuer, audience, keys }), issuer, accountClaim),
    /** Whether the last read of its keys failed. Reads them again from time to time. */
    isAway() {
      if (isAway && performance.now() - checkedMs > checkAgainMs) check();
      return isAway;
    },
  };
}

/** Addresses of the metadata of an issuer by RFC 8414 and OpenID Connect, in the order to try. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

const callerName = z.string().min(1).max(256);
const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** @param onKeys called after each read of the keys */
async function findKeys(issuer: string, onKeys: () => void, signal: AbortSignal): Promise<KeySet> {
  for (const url of metadataUrls(issuer)) {
    // An address that redirects to a login, or answers with a page, has no metadata.
    const document = await fetch(url, { signal, redirect: 'error' })
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    const { data } = metadata.safeParse(document);
    // RFC 8414, section 3.3: metadata that names another issuer must not be used.
    if (data?.issuer !== issuer) continue;
    const keysUrl = new URL(data.jwks_uri);
    if (keysUrl.protocol !== 'https:' && !isLoopback(keysUrl.hostname)) continue;
    return createRemoteJWKSet(keysUrl, {
      timeoutDuration: timeoutMs,
      cooldownDuration: cooldownMs,
      cacheMaxAge: maxKeyAgeMs,
      async [customFetch](...request) {
        const response = await fetch(...request);
        if (response.ok) onKeys();
        return response;
      },
    });
  }
  throw new Error(`no metadata of ${issuer} names its keys`);
}

/**
 * The toolsets that a token opens by its scopes (`scope` of RFC 9068, or `scp` as a text or a list). A scope is the
 * name of a toolset, alone or as `commerce:NAME`; `commerce` opens all.
 */
export function toolsetsOf({ scope, scp }: JWTPayload): readonly Toolset[] {
  const texts = [scope, scp].flat().filter((scope) => typeof scope === 'string');
  const scopes = texts.flatMap((text) => text.split(' '));
  if (scopes.includes('commerce')) return toolsets;
  return toolsets.filter((name) => scopes.includes(name) || scopes.includes(`commerce:${name}`));
}

type Trust = { issuer: string; audience: string; keys: JWTVerifyGetKey };

/** The claims of a valid token. @throws {RefusalError} */
export async function readClaims(token: string, trust: Trust): Promise<JWTPayload> {
  const { keys, ...claims } = trust;
  try {
    const options = { ...claims, requiredClaims: ['exp'], clockTolerance };
    const { payload, protectedHeader } = await jwtVerify(token, keys, options);
    if (accessTokenTyp.test(protectedHeader.typ ?? 'JWT')) return payload;
    throw new RefusalError(refusalMessages.token_not_good({ check: 'typ' }));
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    // Tells jose's code and the claim alone: messages of jose may hold parts of the token.
    const code = error instanceof errors.JOSEError ? error.code : 'no JWT';
    const { JWTExpired, JWTClaimValidationFailed } = errors;
    const isOfClaim = error instanceof JWTExpired || error instanceof JWTClaimValidationFailed;
    const check = isOfClaim ? `${code}, ${error.claim}` : code;
    throw new RefusalError(refusalMessages.token_not_good({ check }));
  }
}

/** The caller of a verified token. @throws {RefusalError} for a token without a name or a scope */
function callerOf(claims: JWTPayload, issuer: string, accountClaim?: string): Caller {
  const { sub, client_id, azp } = claims;
  const account = accountClaim === undefined ? undefined : claims[accountClaim];
  const [name] = [sub, client_id, azp].flatMap((claim) => callerName.safeParse(claim).data ?? []);
  if (name === undefined) throw new RefusalError(refusalMessages.token_of_nobody());
  const granted = toolsetsOf(claims);
  if (granted.length === 0) throw new RefusalError(refusalMessages.token_without_scope());
  const kind = name === sub ? 'sub' : 'client';
  return {
    // Kind and issuer tell apart a subject and a client of the same name.
    id: `oauth:${JSON.stringify([kind, issuer, name])}`,
    name: quote(name, 64),
    toolsets: granted,
    grantable: toolsets,
    // A claim that is not a text opens no account, not even the default.
    account: account === undefined || typeof account === 'string' ? account : '',
  };
}
