import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isLoopback } from '../../../config.ts';

/** The keys of an issuer cannot be had: nothing is known about the token. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

const metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

/** Longest that the search for the keys may take, and each reading of them. */
const timeoutMs = 5000;

/** An unknown key has the key set read again, at most this often however many tokens name one. */
const cooldownMs = 1000;

/** A key that the issuer withdrew is good for this long at most. */
const keysFreshMs = 5 * 60_000;

/**
 * The keys of an issuer, found through its metadata when first needed. A token signed with a key
 * that is not known yet has them read again: keys may rotate at any time.
 */
export function openIssuer(issuer: string): JWTVerifyGetKey {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;

  async function open(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const url = new URL(await findKeys(issuer));
    const options = { timeoutDuration: timeoutMs, cooldownDuration: cooldownMs };
    return createRemoteJWKSet(url, { ...options, cacheMaxAge: keysFreshMs });
  }

  return async (header, token) => {
    keys ??= open();
    try {
      const known = await keys;
      return await known(header, token).catch(async (error) => {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !known.coolingDown) throw error;
        // The keys were read a moment ago; the one that is asked for may be newer still.
        await sleep(cooldownMs);
        return known(header, token);
      });
    } catch (cause) {
      if (isAboutToken(cause)) throw cause;
      if (!(cause instanceof errors.JOSEError)) keys = undefined;
      throw new IssuerUnavailableError('the keys of the issuer cannot be read', { cause });
    }
  };
}

/** RFC 8414 and OpenID Connect: where the metadata of an issuer may lie, in the order to look. */
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

async function findKeys(issuer: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (const url of metadataUrls(issuer)) {
    // A place that redirects to a login, or answers with a page, is as good as an empty one.
    const found = await fetch(url, { signal, redirect: 'error' })
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    const { data } = metadata.safeParse(found);
    // RFC 8414, section 3.3: metadata that names another issuer must not be used.
    if (data?.issuer !== issuer) continue;
    const { protocol, hostname } = new URL(data.jwks_uri);
    if (protocol === 'https:' || isLoopback(hostname)) return data.jwks_uri;
  }
  throw new Error(`no metadata of ${issuer} names its keys`);
}

/** Whether a failure says something about the token, and not about the way to its key. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== errors.JOSEError.code
  );
}
