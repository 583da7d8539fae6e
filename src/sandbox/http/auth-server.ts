/** The account's authorization server: discovery and exchange (docs/platform.md#token-exchange). */
import { Hono } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { breakAnswers } from './breakage.ts';
import type { Platform } from './payload.ts';
import { type Environment, traceRequests } from './problem.ts';

/** The authorization server as a Hono application; its address is known once it listens. */
export function createAuthServer(platform: Platform, url: () => string): Hono<Environment> {
  const { keyring, stats } = platform;
  const app = new Hono<Environment>();
  app.use(traceRequests, breakAnswers(platform));

  app.get('/.well-known/oauth-authorization-server', (c) => {
    // No other member is documented.
    return c.json({ token_endpoint: `${url()}/oauth/token` });
  });

  app.post('/oauth/token', async (c) => {
    c.header('Cache-Control', 'no-store');
    const key = auth(c.req.raw);
    // RFC 6749, section 2.3.1: both are form-encoded within the Basic credentials.
    const token = key && keyring.exchange(formDecode(key.username), formDecode(key.password));
    if (token === undefined) {
      stats.failedExchanges += 1;
      c.header('WWW-Authenticate', 'Basic realm="sandbox"');
      return c.json(oauthError('invalid_client', 'The API key is wrong or was revoked.'), 401);
    }
    const isForm = c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded');
    const grant = new URLSearchParams(isForm ? await c.req.text() : '').get('grant_type');
    if (grant === null) return c.json(oauthError('invalid_request', 'grant_type is missing.'), 400);
    if (grant !== 'client_credentials') {
      return c.json(oauthError('unsupported_grant_type', 'Use client_credentials.'), 400);
    }
    stats.exchanges += 1;
    return c.json({
      access_token: token,
      token_type: 'Bearer',
      expires_in: Math.floor(keyring.lifetimeMs / 1000),
    });
  });

  return app;
}

function formDecode(text: string): string {
  return new URLSearchParams(`text=${text.replaceAll('&', '%26')}`).get('text') ?? '';
}

/** The error body of RFC 6749, section 5.2. */
function oauthError(error: string, description: string) {
  return { error, error_description: description };
}
