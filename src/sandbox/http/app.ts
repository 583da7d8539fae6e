/**
 * Both origins: the API, and the authorization server with discovery and exchange (docs/platform.md#token-exchange).
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { auth } from 'hono/utils/basic-auth';
import type { Endpoint } from './endpoint.ts';
import { type Description, describeApi } from './openapi.ts';
import type { Environment, Platform } from './platform.ts';
import { ProblemError, problemDocument } from './problem.ts';
import * as orders from './routes/orders.ts';
import * as products from './routes/products.ts';
import * as reference from './routes/reference.ts';
import * as reports from './routes/reports.ts';

export interface ApiOptions {
  description?: Description | undefined;
  /** Runs before the answers of both origins, which it may count, delay or change. @default none */
  middleware?: readonly MiddlewareHandler<Environment>[];
}

/** All endpoints. "{" sorts behind letters, so fixed paths precede those with an id. */
const ENDPOINTS: readonly Endpoint[] = [orders, products, reference, reports]
  .flatMap((subject): Endpoint[] => Object.values(subject))
  .sort((a, b) => (a.path < b.path ? -1 : 1));

export function createApi(
  platform: Platform,
  url: () => string,
  { description = 'full', middleware = [] }: ApiOptions,
): Hono<Environment> {
  const app = new Hono<Environment>();
  // A sent X-Request-Id is kept, so that answers can be compared byte by byte.
  app.use(requestId(), ...middleware);
  app.get('/openapi.json', (c) => {
    if (description === 'none') throw new ProblemError(404, 'No such path.');
    return c.json(describeApi(ENDPOINTS, url(), description));
  });
  app.use('/api/*', authenticate(platform), limit(platform));
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replace('{id}', ':id');
    app.get(path, (c) => {
      const request = { world: platform.world, caller: c.get('caller'), url: url() };
      const answer = endpoint.answer(c.req.queries(), c.req.param('id'), request);
      return c.body(JSON.stringify(answer), 200, { 'Content-Type': 'application/json' });
    });
    app.all(path, () => {
      throw new ProblemError(405, 'This interface is read-only: use GET.', { Allow: 'GET, HEAD' });
    });
  }
  app.notFound(() => {
    throw new ProblemError(404, 'No such path.');
  });
  app.onError(answerProblem);
  return app;
}

export function createAuthServer(
  { keyring }: Platform,
  url: () => string,
  { middleware = [] }: Pick<ApiOptions, 'middleware'>,
): Hono<Environment> {
  const app = new Hono<Environment>();
  app.use(requestId(), ...middleware);

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
      c.header('WWW-Authenticate', 'Basic realm="sandbox"');
      return c.json(oauthError('invalid_client', 'The API key is wrong or was revoked.'), 401);
    }
    const isForm = c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded');
    const grant = new URLSearchParams(isForm ? await c.req.text() : '').get('grant_type');
    if (grant !== 'client_credentials')
      return c.json(oauthError('unsupported_grant_type', 'Use client_credentials.'), 400);
    return c.json({
      access_token: token,
      token_type: 'Bearer',
      expires_in: Math.floor(keyring.lifetimeMs / 1000),
    });
  });

  return app;
}

/** Answers 401 without a valid token; such requests are not counted (docs/platform.md#bearer-tokens). */
function authenticate(platform: Platform): MiddlewareHandler<Environment> {
  return async (c, next) => {
    const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller =
      token === undefined ? 'No access token was sent.' : platform.keyring.recognise(token);
    if (typeof caller === 'string')
      throw new ProblemError(401, caller, { 'WWW-Authenticate': 'Bearer' });
    c.set('caller', caller);
    await next();
  };
}

/** Counts the request against its key (docs/platform.md#request-budget). */
function limit({ limiter, world }: Platform): MiddlewareHandler<Environment> {
  return async (c, next) => {
    const { isRefused, headers } = limiter.take(c.get('caller').role.clientId, world.now());
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (isRefused)
      throw new ProblemError(429, 'The general request ceiling of this key is reached.');
    await next();
  };
}

function answerProblem(error: Error, c: Context<Environment>): Response {
  const { status, headers } =
    error instanceof ProblemError ? error : { status: 500 as const, headers: {} };
  const body = problemDocument(status, error.message, c.get('requestId'));
  return c.newResponse(JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
  });
}

function formDecode(text: string): string {
  return new URLSearchParams(`text=${text.replaceAll('&', '%26')}`).get('text') ?? '';
}

/** The error body of RFC 6749, section 5.2. */
function oauthError(error: string, description: string) {
  return { error, error_description: description };
}
