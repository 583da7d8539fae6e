/** The account's own authorization server (section 5.3): discovery and token exchange. */
import { Hono } from 'hono';
import type { Keyring } from '../access/keyring.ts';
import { breakAnswers, type FaultTools } from '../faults/breakage.ts';
import type { Environment } from '../wire/environment.ts';
import type { Stats } from './stats.ts';
import { traceRequests } from './trace.ts';

export interface AuthServerOptions {
  keyring: Keyring;
  stats: Stats;
  faults: FaultTools;
  /** Its own address, known once it listens. */
  url: () => string;
  /** Hold nothing but `token_endpoint`, which is all that the API document promises. */
  isDiscoveryMinimal: boolean;
}

/** The authorization server as a Hono application. */
export function createAuthServer(options: AuthServerOptions): Hono<Environment> {
  const { keyring, stats, url } = options;
  const app = new Hono<Environment>();
  app.use(traceRequests, breakAnswers(options.faults));

  app.get('/.well-known/oauth-authorization-server', (c) => {
    const endpoint = { token_endpoint: `${url()}/oauth/token` };
    if (options.isDiscoveryMinimal) return c.json(endpoint);
    return c.json({
      issuer: url(),
      ...endpoint,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  });

  app.post('/oauth/token', async (c) => {
    c.header('Cache-Control', 'no-store');
    const credentials = readBasic(c.req.header('authorization'));
    const token = credentials && keyring.exchange(...credentials);
    if (token === undefined) {
      stats.failedExchanges += 1;
      c.header('WWW-Authenticate', 'Basic realm="sandbox"');
      return c.json(oauthError('invalid_client', 'The API key is wrong or was revoked.'), 401);
    }
    const form = new URLSearchParams(
      isForm(c.req.header('content-type')) ? await c.req.text() : '',
    );
    const grant = form.get('grant_type');
    if (grant === null) return c.json(oauthError('invalid_request', 'grant_type is missing.'), 400);
    if (grant !== 'client_credentials') {
      return c.json(oauthError('unsupported_grant_type', 'Use client_credentials.'), 400);
    }
    stats.exchanges += 1;
    return c.json({
      access_token: token.text,
      token_type: 'Bearer',
      expires_in: Math.floor(keyring.lifetimeMs / 1000),
    });
  });

  return app;
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded inside the Basic credentials. */
function readBasic(header: string | undefined): [id: string, secret: string] | undefined {
  const encoded = /^Basic ([\w+/=-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id, secret] = Buffer.from(encoded, 'base64').toString().split(':');
  if (id === undefined || secret === undefined) return undefined;
  return [formDecode(id), formDecode(secret)];
}

function formDecode(text: string): string {
  return new URLSearchParams(`text=${text.replaceAll('&', '%26')}`).get('text') ?? '';
}

function isForm(contentType: string | undefined): boolean {
  return contentType?.startsWith('application/x-www-form-urlencoded') ?? false;
}

/** The error body of RFC 6749, section 5.2. */
function oauthError(error: string, description: string) {
  return { error, error_description: description };
}
