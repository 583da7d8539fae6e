/**
 * The API origin: every request is traced, counted, authenticated and limited before a route sees
 * it.
 */
import { Hono, type MiddlewareHandler } from 'hono';
import type { Keyring } from '../access/keyring.ts';
import { breakAnswers, type FaultTools } from '../faults/breakage.ts';
import type { Sleep } from '../sleep.ts';
import type { Environment } from '../wire/environment.ts';
import { ProblemError, problemDocument } from '../wire/problem.ts';
import { renameFields } from '../wire/rename.ts';
import type { World } from '../world/world.ts';
import { describeApi } from './openapi.ts';
import { type RateLimiter, rateHeaders } from './rate-limit.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { countEnd, countStart, type Stats } from './stats.ts';
import { traceRequests } from './trace.ts';

export interface ApiOptions {
  world: World;
  keyring: Keyring;
  limiter: RateLimiter;
  stats: Stats;
  faults: FaultTools;
  /** Added to each answer under /api, in milliseconds. */
  latencyMs: () => number;
  sleep: Sleep;
  /** Its own address, known once it listens. */
  url: () => string;
  /** Whether, or as what, openapi.json is served. */
  openapi: boolean | ((document: unknown) => unknown);
  /** Other names for inner fields, in all payloads. */
  renamed: Readonly<Record<string, string>>;
}

/** The API as a Hono application. */
export function createApi(options: ApiOptions): Hono<Environment> {
  const app = new Hono<Environment>();
  app.use(traceRequests, count(options.stats));
  app.use(breakAnswers(options.faults));
  app.get('/openapi.json', (c) => {
    if (options.openapi === false) throw new ProblemError(404, 'No such path.');
    const document = describeApi(ROUTES, options.url());
    return c.json(typeof options.openapi === 'function' ? options.openapi(document) : document);
  });
  app.use('/api/*', authenticate(options), limit(options));
  for (const route of ROUTES) addRoute(app, route, options);

  app.notFound(() => {
    throw new ProblemError(404, 'No such path.');
  });
  app.onError((error, c) => {
    const isProblem = error instanceof ProblemError;
    const status = isProblem ? error.status : 500;
    const body = problemDocument(status, error.message, c.get('requestId'));
    const headers = { ...(isProblem && error.headers), 'Content-Type': 'application/problem+json' };
    return c.newResponse(JSON.stringify(body), { status, headers });
  });
  return app;
}

function count(stats: Stats): MiddlewareHandler<Environment> {
  return async (c, next) => {
    countStart(stats, c.req.path);
    await next();
    countEnd(stats, c.res.status);
  };
}

/**
 * Section 5.1: a token minted from an API key, or 401. Uncounted, so without rate-limit headers.
 */
function authenticate({
  keyring,
  latencyMs,
  sleep,
  faults,
}: ApiOptions): MiddlewareHandler<Environment> {
  return async (c, next) => {
    if (latencyMs() > 0) await sleep(latencyMs(), faults.closing);
    const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller = token === undefined ? 'No access token was sent.' : keyring.recognise(token);
    if (typeof caller === 'string') {
      throw new ProblemError(401, caller, { 'WWW-Authenticate': 'Bearer' });
    }
    c.set('caller', caller);
    await next();
  };
}

/** Section 8: counts the request against its key. */
function limit({ limiter, world }: ApiOptions): MiddlewareHandler<Environment> {
  return async (c, next) => {
    const isWrite = !['GET', 'HEAD', 'OPTIONS'].includes(c.req.method);
    const reading = limiter.take(c.get('caller').token.clientId, isWrite, world.now());
    for (const [name, value] of Object.entries(rateHeaders(reading, limiter.quota))) {
      c.header(name, value);
    }
    if (reading.isRefused) {
      throw new ProblemError(429, `The ${reading.policy} request ceiling of this key is reached.`);
    }
    await next();
  };
}

function addRoute(app: Hono<Environment>, route: Route, options: ApiOptions): void {
  const path = route.path.replace('{id}', ':id');
  const hasRenames = Object.keys(options.renamed).length > 0;
  app.get(path, (c) => {
    const answer = route.answer({
      query: new URL(c.req.url).searchParams,
      id: readPathId(c.req.param('id')),
      caller: c.get('caller'),
      world: options.world,
      baseUrl: options.url(),
    });
    const payload = hasRenames ? renameFields(answer, options.renamed) : answer;
    return c.body(JSON.stringify(payload), 200, { 'Content-Type': 'application/json' });
  });
  app.all(path, () => {
    throw new ProblemError(405, 'This interface is read-only: use GET.', { Allow: 'GET, HEAD' });
  });
}

function readPathId(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}
