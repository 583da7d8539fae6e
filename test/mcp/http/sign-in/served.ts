/** Servers that sign people in, and clients with which somebody signed in. */
import { createHash } from 'node:crypto';
import { auth } from '@modelcontextprotocol/client';
import { isRecord } from '../../../../src/core/json.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { freePort } from '../../../setup/free-port.ts';
import { bearer, message, post } from '../messages.ts';
import { callback, type KeepingClient, keepingClient, openBrowser } from './person.ts';

/** The secret of PKCE for requests without the library of a client. */
export const verifier = 'v'.repeat(43);

/** Tokens with which people sign in. */
export const alice = 'alice-has-a-long-token';
export const bob = 'bob-has-a-long-token';

/** Settings with a folder of its own for sign-ins, and a free port. */
export async function signInSettings(more: Record<string, string> = {}) {
  const port = await freePort();
  return {
    COMMERCE_SIGN_IN: 'true',
    COMMERCE_HTTP_PORT: String(port),
    COMMERCE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    COMMERCE_SIGN_IN_DIR: folderWith(),
    COMMERCE_HTTP_TOKENS: `alice:${alice};bob:${bob}:reports,reference`,
    ...more,
  };
}

export async function serveSignIn(more: Record<string, string> = {}): Promise<HttpServer> {
  return serverOver('http', { settings: await signInSettings(more) });
}

const registered = new Map<string, KeepingClient['kept']['information']>();

/** A client that was led to the sign-in page, with the address of the page. */
export async function authorizing(url: string, client = keepingClient()) {
  // Registrations are bounded, so clients with the same metadata share one.
  const key = url + JSON.stringify(client.clientMetadata);
  client.kept.information ??= registered.get(key);
  await auth(client, { serverUrl: url });
  registered.set(key, client.kept.information);
  const { authorization } = client.kept;
  if (authorization === undefined) throw new Error('the client was not led to the page');
  return { client, authorization };
}

/** A browser at the sign-in page, with the address of the page. */
export async function atPage(url: string, client?: KeepingClient) {
  const { authorization } = await authorizing(url, client);
  const browser = openBrowser();
  return { browser, page: await browser.open(authorization), authorization };
}

/** Registers a client. */
export const register = (origin: string, client: object, headers: Record<string, string> = {}) =>
  fetch(`${origin}/sign-in/register`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(client),
  });

export async function registeredId(origin: string): Promise<string> {
  const registered: unknown = await (await register(origin, { redirect_uris: [callback] })).json();
  return isRecord(registered) ? String(registered.client_id) : '';
}

/** The address at which a client asks for authorization. @param clientId may be the address of its document */
export function authorizationOf(origin: string, clientId: string, redirect = callback): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${origin}/sign-in/authorize?${query}`;
}

/** A client with which somebody has signed in. */
export async function signedIn(url: string, token = alice, given?: KeepingClient) {
  const { client, authorization } = await authorizing(url, given);
  const back = await openBrowser().signIn(authorization, token);
  await finish(url, client, back);
  return client;
}

/** Exchanges the code in the address that led back to a client. */
export async function finish(url: string, client: KeepingClient, back: URL): Promise<void> {
  const [authorizationCode = '', iss = ''] = ['code', 'iss'].map(
    (name) => back.searchParams.get(name) ?? undefined,
  );
  await auth(client, { serverUrl: url, authorizationCode, iss });
}

export const renew = (url: string, client: KeepingClient) => auth(client, { serverUrl: url });

export async function statusOf(url: string, { kept }: KeepingClient): Promise<number> {
  const token = kept.tokens?.access_token ?? 'none';
  return (await post(url, message('ping'), bearer(token))).status;
}

/** Asks the token endpoint without the library of a client. */
export async function askForToken(url: string, fields: Record<string, string>) {
  const reply = await fetch(new URL('/sign-in/token', url), {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  const body: unknown = await reply.json();
  return { status: reply.status, body };
}
