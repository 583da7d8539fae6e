import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isLoopback } from '../../../config.ts';

/** The keys of an issuer cannot be had: nothing is known about the token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Where the issuer and its keys are asked. */
export interface IssuerRuntime {
  fetch(url: string, init: { signal: AbortSignal; redirect: 'error' }): Promise<Response>;
  sleep(ms: number): Promise<unknown>;
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
export function openIssuer(issuer: string, runtime: IssuerRuntime): JWTVerifyGetKey {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;

  async function open(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const url = new URL(await findKeys(issuer, runtime));
    const options = { timeoutDuration: timeoutMs, cooldownDuration: cooldownMs };
    return createRemoteJWKSet(url, { ...options, cacheMaxAge: keysFreshMs });
  }

  return async (header, token) => {
    keys ??= open();
    const known = await keys.catch((cause) => {
      keys = undefined;
      throw new IssuerUnavailable('the metadata of the issuer cannot be read', { cause });
    });
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw asUnavailable(error);
      if (!known.coolingDown) throw error;
    }
    // The keys were read a moment ago; the one that is asked for may be newer still.
    await runtime.sleep(cooldownMs);
    return known(header, token).catch((error) => {
      throw asUnavailable(error);
    });
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

async function findKeys(issuer: string, runtime: IssuerRuntime): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  const read = (url: string) => runtime.fetch(url, { signal, redirect: 'error' });
  const failures: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const keys = await keysUrlOf(await read(url), issuer);
      if (keys !== undefined) return keys;
    } catch (cause) {
      // A place that redirects to a login, or answers with a page, is as good as an empty one.
      failures.push(cause);
    }
  }
  throw new AggregateError(failures, `no metadata of ${issuer} names its keys`);
}

async function keysUrlOf(response: Response, issuer: string): Promise<string | undefined> {
  if (!response.ok) return undefined;
  const { data } = metadata.safeParse(await response.json());
  // RFC 8414, section 3.3: metadata that names another issuer must not be used.
  if (data?.issuer !== issuer) return undefined;
  const { protocol, hostname } = new URL(data.jwks_uri);
  return protocol === 'https:' || isLoopback(hostname) ? data.jwks_uri : undefined;
}

/** What says nothing about the token, but about the way to its key. */
function asUnavailable(error: unknown): unknown {
  const isAboutToken =
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== errors.JOSEError.code;
  return isAboutToken
    ? error
    : new IssuerUnavailable('the keys of the issuer cannot be read', { cause: error });
}
