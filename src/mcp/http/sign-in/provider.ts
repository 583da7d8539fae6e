/** The authorization server: oidc-provider with the decisions of this server. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  type Adapter,
  type Configuration,
  errors,
  interactionPolicy,
  Provider,
} from 'oidc-provider';
import type { JsonObject } from '../../../core/json.ts';
import { toolsets } from '../../../endpoints/define.ts';
import { toolsetsOf } from '../auth/oauth.ts';
import type { StaticToken, TokenSource } from '../auth/tokens.ts';
import { clientIdOf, describedClient } from './client-id.ts';
import { clientRules } from './clients.ts';
import type { openDocuments } from './documents.ts';
import { type Keeper, nameOf, personOf } from './keeper.ts';
import { signInPage } from './page.ts';

/** The path that those of signing in begin with. */
export const root = '/sign-in';

const day = 24 * 60 * 60;

/** What came of somebody who was asked to sign in, or of what a client asked for. */
export type Outcome = 'signed_in' | 'cancelled' | 'wrong_token' | 'too_many' | 'refused' | 'failed';

/** Opens it, with a key that is made once for all replicas. @throws where nothing can be kept */
export async function openProvider(
  publicUrl: string,
  keeper: Keeper,
  tokens: TokenSource,
  note: (outcome: Outcome, facts: JsonObject) => void,
  { fetch, allowFetch, holdRefusals }: ReturnType<typeof openDocuments>,
) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const newKey = { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
  await keeper.put('Keys', 'keys', newKey, 36_500 * day, true);
  const key = createPrivateKey(String((await keeper.get('Keys', 'keys'))?.pem));
  const audience = `${publicUrl}/mcp`;
  const provider = new Provider(publicUrl, {
    ...configuration,
    features: featuresOf(audience, allowFetch),
    fetch,
    adapter: (kind) => adapterOf(kind, keeper),
    async findAccount({ oidc: { params = {} } }, accountId) {
      // The token endpoint compares the resource with the granted one after this, to the letter.
      if (isResource(params.resource, audience)) params.resource = audience;
      const entry = await findEntry(tokens, accountId);
      return entry && { accountId, claims: () => ({ sub: accountId }) };
    },
    jwks: { keys: [key.export({ format: 'jwk' })] },
  });
  provider.proxy = true;
  provider.use(holdRefusals);
  const refuse = ({ ip: remote }: { ip: string }, error: errors.OIDCProviderError) =>
    note('refused', {
      remote,
      reason: [error.error, error.error_description, error.error_detail].filter(Boolean).join(': '),
    });
  provider.on('authorization.error', refuse).on('grant.error', refuse);
  provider.on('server_error', (_, error) => note('failed', { reason: error.message }));
  return { provider, handle: provider.callback(), publicKey: createPublicKey(key) };
}

const { Check, Prompt } = interactionPolicy;

/** The same wherever the server is reached. */
const configuration: Configuration = {
  routes: {
    authorization: `${root}/authorize`,
    registration: `${root}/register`,
    token: `${root}/token`,
    jwks: `${root}/keys`,
  },
  responseTypes: ['code'],
  clientAuthMethods: ['none', 'private_key_jwt'],
  clientDefaults: { id_token_signed_response_alg: 'ES256', token_endpoint_auth_method: 'none' },
  clientBasedCORS: () => true,
  extraClientMetadata: clientRules,
  interactions: {
    url: (_, { uid }) => `${root}/page/${uid}`,
    policy: [
      new Prompt(
        { name: 'login', requestable: true },
        // The token says who somebody is: it is asked for each time.
        new Check('token', 'a person signs in', ({ oidc }) => !oidc.result?.login),
      ),
      new Prompt({ name: 'consent', requestable: true }),
    ],
  },
  loadExistingGrant: ({ oidc }) => oidc.provider.Grant.find(oidc.result?.consent?.grantId ?? ''),
  renderError(context, { error, error_description: reason = '' }) {
    const refused = { code: 'sign_in_refused', error, reason } as const;
    context.type = 'html';
    context.body = signInPage(error === 'server_error' ? { code: 'sign_in_broken' } : refused);
  },
  formats: {
    customizers: {
      jwt(_, token, { payload }) {
        if (!('grantId' in token)) return;
        Object.assign(payload, { sub: personOf({ ...token }), grant: token.grantId });
      },
    },
  },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  ttl: {
    AuthorizationCode: 60,
    AccessToken: 60 * 60,
    RefreshToken: 30 * day,
    // Its refresh token says how long a sign-in lasts.
    Grant: 3650 * day,
    Interaction: 10 * 60,
    Session: 60,
  },
};

const off = { enabled: false };

/** @param audience the address of what tokens are good for */
function featuresOf(
  audience: string,
  allowFetch: ReturnType<typeof openDocuments>['allowFetch'],
): Configuration['features'] {
  return {
    devInteractions: off,
    dPoP: off,
    rpInitiatedLogout: off,
    userinfo: off,
    pushedAuthorizationRequests: off,
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: ({ oidc }) => clientIdOf(oidc.body),
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch,
    },
    resourceIndicators: {
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo({ oidc: { route, params = {} } }, resource) {
        if (!isResource(resource, audience)) throw new errors.InvalidTarget();
        const named = toolsetsOf({ scope: params.scope });
        if (route === 'authorization') {
          params.resource = audience;
          // Who asks for none of these scopes asks for all of them.
          params.scope = (named.length > 0 ? named : toolsets).join(' ');
        }
        return { audience, scope: toolsets.join(' '), accessTokenFormat: 'jwt' };
      },
    },
  };
}

/** Whether an address is that of this server: its root or `/mcp`, in any case of scheme and host, with a last slash or not. */
function isResource(address: unknown, audience: string): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { href } = new URL(address);
  const { href: own } = new URL(audience);
  return [own, `${own}/`, new URL('/', own).href].includes(href);
}

/** The entry that somebody signed in with, as long as it is there. */
export async function findEntry(tokens: TokenSource, accountId: unknown) {
  return (await tokens()).tokens.find((entry) => accountIdOf(entry) === accountId);
}

/** An entry of the tokens, without what is secret of it: its name and the digest of its token. */
export function accountIdOf({ caller, digest }: StaticToken): string {
  return `${caller.name} ${digest.toString('base64url')}`;
}

const usedOnce = ['AuthorizationCode', 'RefreshToken'];

export function adapterOf(kind: string, keeper: Keeper): Adapter {
  const put = (id: string, value: object, seconds = 400 * day) =>
    keeper.put(kind, nameOf(id), value, seconds);
  return {
    async upsert(id, { jti: _, ...value }, seconds) {
      // A session would let in the next client of the same browser without asking.
      // A client is described by its own id.
      if (kind === 'Session' || kind === 'Client') return;
      await put(id, value, seconds);
      if (kind === 'RefreshToken') await keeper.list('');
    },
    async find(id) {
      const client = kind === 'Client' && describedClient(id);
      if (client) return client;
      const value = await keeper.get(kind, nameOf(id));
      if (value === undefined) return undefined;
      const isUsed = usedOnce.includes(kind) && (await keeper.get('Used', nameOf(id)));
      return { ...value, jti: id, consumed: isUsed ? true : undefined };
    },
    async consume(id) {
      if (await keeper.put('Used', nameOf(id), {}, 30 * day, true)) return;
      const { grantId } = (await keeper.get(kind, nameOf(id))) ?? {};
      await keeper.remove('Grant', nameOf(String(grantId)));
      throw new errors.InvalidGrant('used at the same time');
    },
    destroy: (id) => keeper.remove(kind, nameOf(id)),
    // What a grant gave is no good without it.
    revokeByGrantId: async () => {},
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}
