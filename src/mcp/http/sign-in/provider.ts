import { createLocalJWKSet } from 'jose';
import {
  type Adapter,
  type Configuration,
  errors,
  interactionPolicy,
  Provider,
} from 'oidc-provider';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { toolsets } from '../../../endpoints/define.ts';
import { toolsetsOf } from '../auth/oauth.ts';
import type { StaticToken, TokenSource } from '../auth/tokens.ts';
import { refusalMessages } from '../refusals.ts';
import { clientIdOf, describedClient } from './client-id.ts';
import { clientRules } from './clients.ts';
import type { openDocuments } from './documents.ts';
import { daySeconds, type Keeper, nameOf, personOf } from './keeper.ts';
import { accessSeconds, type SigningKey } from './keys.ts';
import { signInPage } from './page.ts';

export const root = '/sign-in';

/** Seconds for which a refresh token may be used again. Hosts renew in parallel, and once more after a lost answer. */
const reuseSeconds = 120;

const codeSeconds = 60;

const pageSeconds = 10 * 60;

/** Outcomes of signing in, and events of sign-ins, for the log and the metrics. */
export type Outcome =
  | 'signed_in'
  | 'cancelled'
  | 'wrong_token'
  | 'too_many'
  | 'refused'
  | 'failed'
  | 'used_again'
  | 'keys_differ';

/** Opens the library. @param keys the first one signs */
export function openProvider(
  publicUrl: string,
  keeper: Keeper,
  tokens: TokenSource,
  keys: readonly SigningKey[],
  note: (outcome: Outcome, facts: JsonObject) => void,
  { fetch, allowFetch, holdRefusals }: ReturnType<typeof openDocuments>,
) {
  const audience = `${publicUrl}/mcp`;
  const provider = new Provider(publicUrl, {
    ...configuration,
    features: featuresOf(audience, allowFetch),
    fetch,
    adapter: (kind) => adapterOf(kind, keeper),
    async findAccount({ oidc: { params = {} } }, accountId) {
      // The token endpoint then compares the resource with the granted one character by character.
      if (isResource(params.resource, audience)) params.resource = audience;
      const entry = await findEntry(tokens, accountId);
      return entry && { accountId, claims: () => ({ sub: accountId }) };
    },
    jwks: { keys: keys.map(({ jwk }) => jwk) },
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
  provider.on('grant.revoked', ({ ip: remote, oidc: { client, entities } }) => {
    const caller = personOf({ accountId: entities.Account?.accountId });
    note('used_again', { remote, caller, client: client?.clientName ?? client?.clientId });
  });
  provider.use(async (context, next) => {
    await next();
    const { grantId } = context.oidc?.entities.RefreshToken ?? {};
    if (!isRecord(context.body) || context.body.refresh_token === undefined) return;
    context.body.refresh_token = `${grantId}.${context.body.refresh_token}`;
  });
  const publicKeys = keys.map(({ jwk: { d: _, ...jwk } }) => jwk);
  const handle = provider.callback();
  return { provider, handle, keys, verifyingKey: createLocalJWKSet({ keys: publicKeys }) };
}

const { Check, Prompt } = interactionPolicy;

/** Settings that do not depend on the address of the server. */
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
        // A person enters the token each time, because it tells who they are.
        new Check('token', 'a person signs in', ({ oidc }) => !oidc.result?.login),
      ),
      new Prompt({ name: 'consent', requestable: true }),
    ],
  },
  loadExistingGrant: ({ oidc }) => oidc.provider.Grant.find(oidc.result?.consent?.grantId ?? ''),
  renderError(context, { error, error_description: reason = '' }) {
    const refused = `This server refuses the request of the client (${error}: ${reason}). Begin again in the client; if that does not help, add this server to it anew.`;
    const isBroken = error === 'server_error';
    context.type = 'html';
    context.body = signInPage(isBroken ? refusalMessages.sign_in_broken().text : refused);
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
    AuthorizationCode: codeSeconds,
    AccessToken: accessSeconds,
    RefreshToken: 30 * daySeconds,
    // A sign-in lasts as long as its refresh token.
    Grant: 3650 * daySeconds,
    Interaction: pageSeconds,
    Session: 60,
  },
};

const disabled = { enabled: false };

function featuresOf(
  audience: string,
  allowFetch: ReturnType<typeof openDocuments>['allowFetch'],
): Configuration['features'] {
  return {
    devInteractions: disabled,
    dPoP: disabled,
    rpInitiatedLogout: disabled,
    userinfo: disabled,
    pushedAuthorizationRequests: disabled,
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
        const requested = toolsetsOf({ scope: params.scope });
        if (route === 'authorization') {
          params.resource = audience;
          // A client that asks for no known scope gets all.
          params.scope = (requested.length > 0 ? requested : toolsets).join(' ');
        }
        return { audience, scope: toolsets.join(' '), accessTokenFormat: 'jwt' };
      },
    },
  };
}

/** Whether an address is the root of this server or its `/mcp`, whatever its case and last slash. */
function isResource(address: unknown, audience: string): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { href } = new URL(address);
  const { href: own } = new URL(audience);
  return [own, `${own}/`, new URL('/', own).href].includes(href);
}

/** The entry of a sign-in; undefined once it was removed. */
export async function findEntry(tokens: TokenSource, accountId: unknown) {
  return (await tokens()).tokens.find((entry) => accountIdOf(entry) === accountId);
}

/** The id of an entry: its name and the digest of its token, which is not secret. */
export function accountIdOf({ caller, digest }: StaticToken): string {
  return `${caller.name} ${digest.toString('base64url')}`;
}

export function adapterOf(kind: string, keeper: Keeper): Adapter {
  const adapter: Adapter = {
    async upsert(id, { jti: _, ...value }, seconds = 0) {
      // A session would let the next client of the same browser in without asking. A client is stored in its id.
      if (kind === 'Session' || kind === 'Client') return;
      // A grant is of no use until its code is exchanged.
      await keeper.put(kind, nameOf(id), value, kind === 'Grant' ? pageSeconds : seconds);
    },
    async find(id) {
      const client = kind === 'Client' && describedClient(id);
      if (client) return client;
      const value = await keeper.get(kind, nameOf(id));
      if (value === undefined) return undefined;
      const isUsed = kind === 'AuthorizationCode' && (await keeper.get('Used', nameOf(id)));
      return { ...value, jti: id, consumed: isUsed ? true : undefined };
    },
    async consume(id) {
      if (await keeper.put('Used', nameOf(id), {}, codeSeconds, true)) return;
      const { grantId } = (await keeper.get(kind, nameOf(id))) ?? {};
      await keeper.remove('Grant', nameOf(String(grantId)));
      throw new errors.InvalidGrant('used at the same time');
    },
    destroy: (id) => keeper.remove(kind, nameOf(id)),
    // Codes and tokens are invalid without their grant.
    revokeByGrantId: async () => {},
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
  return kind === 'RefreshToken' ? { ...adapter, ...refreshTokensOf(keeper, adapter) } : adapter;
}

/**
 * Stores refresh tokens. Clients get the id of the grant, a dot, and the id of the token. A sign-in lasts as long as
 * its last token. If a grant is stored and its token is not, the token was used before.
 */
function refreshTokensOf(keeper: Keeper, { upsert }: Adapter) {
  const kind = 'RefreshToken';
  return {
    async upsert(id, payload, seconds = 0) {
      await upsert(id, payload, seconds);
      await keeper.prolong('Grant', nameOf(String(payload.grantId)), seconds);
    },
    async find(token) {
      const [grantId = '', jti = ''] = token.split('.');
      const stored = await keeper.get(kind, nameOf(jti));
      if (stored) return { ...stored, jti };
      const grant = await keeper.get('Grant', nameOf(grantId));
      return grant && { ...grant, kind, jti, grantId, scope: toolsets.join(' '), consumed: true };
    },
    async consume(id) {
      const stored = await keeper.get(kind, nameOf(id));
      if (stored === undefined || stored.isUsed) return;
      await keeper.put(kind, nameOf(id), { ...stored, isUsed: true }, reuseSeconds);
    },
  } satisfies Partial<Adapter>;
}
