/** Signing in: the server grants tokens for itself to people who show a token of its list. */
import { isDeepStrictEqual } from 'node:util';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { readRequestBody } from '@modelcontextprotocol/server';
import type { JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { errors, type InteractionResults } from 'oidc-provider';
import { messageOf } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Log } from '../../../core/message.ts';
import { quote } from '../../../core/text.ts';
import { type Issuer, issuerAwayError, readClaims, toolsetsOf } from '../auth/oauth.ts';
import { findToken, type TokenSource } from '../auth/tokens.ts';
import { RefusalError, type RefusalLine, refusalMessages } from '../refusals.ts';
import { openAttempts } from './attempts.ts';
import { openDocuments, openInternet } from './documents.ts';
import { type KeeperSettings, nameOf, openKeeper } from './keeper.ts';
import { followKeys } from './keys.ts';
import { hostOf, pageHeaders, signInPage } from './page.ts';
import { accountIdOf, findEntry, type Outcome, openProvider, root } from './provider.ts';
import { endRemovedSignIns } from './upkeep.ts';

export type SignIn = Awaited<ReturnType<typeof openSignIn>>;

type Origin = Omit<RefusalLine, 'reason' | 'status'>;

interface Arrival extends HttpBindings {
  request: Request;
  origin: Origin;
  address: string;
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Opens signing in. While its store is broken nobody can sign in, and the rest of the server works. */
export async function openSignIn(...settings: Parameters<typeof openParts>) {
  const parts = await openParts(...settings);
  const { publicUrl, keeper, provider, note, countAttempt } = parts;
  let isBroken = false;
  const stop = endRemovedSignIns(keeper, parts.tokens);
  return {
    issuer: issuerOf(parts),
    /** `broken`: the store takes no values. `keys_differ`: the store had a signing key that this replica lacked. */
    async trouble(): Promise<'broken' | 'keys_differ' | undefined> {
      try {
        const { keysDiffer } = await provider();
        await keeper.put('Probe', 'probe', {}, 60);
        isBroken = false;
        return keysDiffer ? 'keys_differ' : undefined;
      } catch (error) {
        if (!isBroken) note('failed', { reason: messageOf(error) });
        isBroken = true;
        return 'broken';
      }
    },
    paths: [
      `${root}/*`,
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
    ],
    /** @throws {RefusalError} for requests that do not accept a page */
    async answer(request: Request, env: HttpBindings, origin: Origin): Promise<Response> {
      const { remote = '', forwarded_for: forwarded = remote } = origin;
      // An https address means that a proxy stands in front, so its header counts.
      const address = publicUrl.startsWith('https:') ? forwarded : remote;
      const { pathname } = new URL(request.url);
      const arrival = { ...env, request, origin, address };
      try {
        if (pathname.startsWith(`${root}/page/`)) return await showPage(parts, arrival);
        if (pathname === `${root}/register`) countAttempt('registrations', address);
        if (pathname === `${root}/authorize`) countAttempt('pages', address);
        return await delegateRequest(parts, arrival);
      } catch (error) {
        const refusal = refusalOf(error);
        const { status, says, parts: more } = refusal;
        note(status === 429 ? 'too_many' : 'failed', { ...origin, reason: messageOf(error) });
        if (!request.headers.get('accept')?.includes('text/html')) throw refusal;
        return respond(status, signInPage(says.text), more.headers);
      }
    },
    close() {
      stop();
      keeper.close();
    },
  };
}

async function openParts(
  config: KeeperSettings,
  tokens: TokenSource,
  log: Pick<Log, 'audit' | 'error'>,
  count: (outcome: Outcome) => void,
  internet = openInternet(),
) {
  const { publicUrl = '' } = config;
  const keeper = await openKeeper(config);
  const countAttempt = openAttempts();
  const documents = openDocuments(new URL(publicUrl).host, countAttempt, internet);
  const note = (outcome: Outcome, facts: JsonObject) => {
    count(outcome);
    log.audit({ ...facts, outcome }, 'sign-in');
    if (outcome !== 'failed' && outcome !== 'keys_differ') return;
    const { request_id, reason = outcome } = facts;
    log.error({ request_id, reason: String(reason) }, 'signing in is in trouble');
  };
  let library: ReturnType<typeof openProvider> | undefined;
  return {
    publicUrl,
    audience: `${publicUrl}/mcp`,
    keeper,
    tokens,
    note,
    countAttempt,
    /** The library with the currently stored keys. @throws where they cannot be read */
    async provider() {
      const { keys, keysDiffer } = await followKeys(keeper, library?.keys ?? []);
      if (keysDiffer) note('keys_differ', {});
      if (!library || !isDeepStrictEqual(keys, library.keys))
        library = openProvider(publicUrl, keeper, tokens, keys, note, documents);
      return { ...library, keysDiffer };
    },
    /** The key that verifies a token, among the keys that were read last. */
    verifyingKey: () => library?.verifyingKey,
  };
}

/** Finds the caller of an access token, with the toolsets of the entry that they signed in with. */
function issuerOf({
  publicUrl: issuer,
  audience,
  keeper,
  tokens,
  provider,
  verifyingKey,
}: Parts): Issuer {
  /** Grants that were read before, which count while the store is away. */
  const lastGrants = new LRUCache<string, JsonObject>({ max: 10_000 });
  const fail = (): never => {
    throw issuerAwayError();
  };
  const keys: JWTVerifyGetKey = async (...token) => {
    const key = await verifyingKey()?.(...token).catch(() => undefined);
    // Another replica may sign with a new key.
    return key ?? (await provider().catch(fail)).verifyingKey(...token);
  };
  async function findGrant(name: string): Promise<JsonObject | undefined> {
    const grant = await keeper.get('Grant', name).catch(() => lastGrants.get(name) ?? fail());
    if (grant) lastGrants.set(name, grant);
    else lastGrants.delete(name);
    return grant;
  }
  return {
    issuer,
    audience,
    isAway: () => false,
    async identifyCaller(token) {
      const claims = await readClaims(token, { issuer, audience, keys });
      const grant = await findGrant(nameOf(String(claims.grant)));
      const { caller } = (await findEntry(tokens, grant?.accountId)) ?? {};
      if (caller === undefined) throw new RefusalError(refusalMessages.token_unknown());
      const { toolsets: grantable } = caller;
      const scopes = toolsetsOf(claims);
      const granted = grantable.filter((toolset) => scopes.includes(toolset));
      if (granted.length === 0) throw new RefusalError(refusalMessages.token_without_scope());
      return { ...caller, toolsets: granted, grantable };
    },
  };
}

async function showPage(parts: Parts, { request, incoming, outgoing, origin, address }: Arrival) {
  const { tokens, note, audience } = parts;
  const { provider } = await parts.provider();
  const { params } = await provider.interactionDetails(incoming, outgoing);
  const clientId = String(params.client_id);
  const client = quote((await provider.Client.find(clientId))?.clientName ?? clientId);
  const redirectUri = String(params.redirect_uri);
  const toolsets = toolsetsOf({ scope: params.scope });
  const facts = { ...origin, client: hostOf(redirectUri) };
  const show = (status: number, problem?: string) => {
    const page = signInPage(problem, { client, redirectUri, toolsets });
    return respond(status, page, pageHeaders(redirectUri));
  };
  const finish = async (outcome: Outcome, result: InteractionResults, caller?: string) => {
    note(outcome, { ...facts, caller });
    const location = await provider.interactionResult(incoming, outgoing, result);
    return respond(303, '', { location });
  };
  if (request.method !== 'POST') return show(200);
  const body = await readRequestBody(request, 10_000);
  const form = new URLSearchParams(body.tooLarge ? '' : body.text);
  if (form.get('answer') === 'cancel') return finish('cancelled', { error: 'access_denied' });
  const { tokens: entries } = await tokens();
  const uncountAttempt = parts.countAttempt('wrong tokens', address);
  const entry = findToken(entries, (form.get('token') ?? '').trim());
  if (entry === undefined) {
    note('wrong_token', facts);
    return show(401, refusalMessages.token_unknown().text);
  }
  uncountAttempt();
  const accountId = accountIdOf(entry);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addResourceScope(audience, toolsets.join(' '));
  const consent = { grantId: await grant.save() };
  return finish('signed_in', { login: { accountId, remember: false }, consent }, entry.caller.name);
}

/** Hands a request to the library, which knows this server by its public address alone. */
async function delegateRequest(
  { publicUrl, provider }: Parts,
  { incoming, outgoing, origin, address }: Arrival,
) {
  const { handle } = await provider();
  const { host, protocol } = new URL(publicUrl);
  delete incoming.headers['x-forwarded-host'];
  const scheme = { 'x-forwarded-proto': protocol.slice(0, -1) };
  Object.assign(incoming.headers, { host, ...scheme, 'x-forwarded-for': address });
  const headers = { ...pageHeaders(), 'x-request-id': origin.request_id };
  outgoing.setHeaders(new Map(Object.entries(headers)));
  await handle(incoming, outgoing);
  const { headers: sentMark } = RESPONSE_ALREADY_SENT;
  return new Response(null, { status: outgoing.statusCode, headers: sentMark });
}

function refusalOf(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error;
  const hasExpired = error instanceof errors.SessionNotFound;
  return new RefusalError(
    hasExpired ? refusalMessages.sign_in_page_over() : refusalMessages.sign_in_broken(),
  );
}

function respond(status: number, body: string, headers: Record<string, string> = {}): Response {
  const type = { 'content-type': 'text/html; charset=utf-8' };
  return new Response(body, { status, headers: { ...pageHeaders(), ...type, ...headers } });
}
