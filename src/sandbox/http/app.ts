/** The API origin: a request is traced, counted, authenticated and limited before it is answered. */
import { Hono, type MiddlewareHandler } from 'hono';
import type { Keyring } from '../access/keyring.ts';
import type { World } from '../world/world.ts';
import { breakAnswers, type FaultTools, sleep } from './breakage.ts';
import type { Endpoint } from './endpoint.ts';
import { type Description, describeApi } from './openapi.ts';
import { answerProblem, type Environment, ProblemError, traceRequests } from './problem.ts';
import { type RateLimiter, rateHeaders } from './rate-limit.ts';
import * as customers from './routes/customers.ts';
import * as orders from './routes/orders.ts';
import * as products from './routes/products.ts';
import * as reference from './routes/reference.ts';
import * as reports from './routes/reports.ts';

/** Live counters of what the sandbox was asked, since it started. */
export class Stats {
  /** Requests to the API origin, openapi.json included. */
  requests = 0;
  /** 429s among them. */
  refused = 0;
  /** Successful token exchanges. */
  exchanges = 0;
  /** Exchanges answered with 401. */
  failedExchanges = 0;
  inFlight = 0;
  /** By the path without its query, ids written as `{id}`. */
  readonly byPath: Record<string, number> = {};
  readonly byStatus: Record<number, number> = {};
}

export interface ApiOptions {
  world: World;
  /** Its own address, known once it listens. */
  url: () => string;
  keyring: Keyring;
  limiter: RateLimiter;
  stats: Stats;
  faults: FaultTools;
  /** Added to each answer under /api, in milliseconds. */
  latencyMs: () => number;
  description: Description;
  /** Changes openapi.json before it is served. */
  openapi: (document: unknown) => unknown;
  /** Other names for inner fields, in all payloads. */
  renamed: Readonly<Record<string, string>>;
}

/** What the files of routes export; "{" sorts behind letters, so that fixed paths come before those with an id. */
const ENDPOINTS: readonly Endpoint[] = [customers, orders, products, reference, reports]
  .flatMap((subject): Endpoint[] => Object.values(subject))
  .sort((a, b) => (a.path < b.path ? -1 : 1));

/** The API as a Hono application. */
export function createApi(options: ApiOptions): Hono<Environment> {
  const { description, openapi, renamed, url } = options;
  const app = new Hono<Environment>();
  let document: object | undefined;
  // A quote within a text is written with a backslash: only the name of a field is followed by a colon.
  const fields = new RegExp(`"(${Object.keys(renamed).join('|') || '(?!)'})":`, 'g');
  app.use(traceRequests, count(options.stats), breakAnswers(options.faults));
  app.get('/openapi.json', (c) => {
    if (description === 'none') throw new ProblemError(404, 'No such path.');
    document ??= describeApi(ENDPOINTS, url(), description);
    return c.json(openapi(document));
  });
  app.use('/api/*', authenticate(options), limit(options));
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replace('{id}', ':id');
    app.get(path, (c) => {
      const request = { world: options.world, caller: c.get('caller'), url: url() };
      const answer = endpoint.answer(c.req.queries(), c.req.param('id'), request);
      const text = JSON.stringify(answer).replace(
        fields,
        (_, name) => `${JSON.stringify(renamed[name])}:`,
      );
      return c.body(text, 200, { 'Content-Type': 'application/json' });
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

function count(stats: Stats): MiddlewareHandler<Environment> {
  return async (c, next) => {
    stats.requests += 1;
    const pattern = c.req.path.replace(/\/\d+/g, '/{id}');
    stats.byPath[pattern] = (stats.byPath[pattern] ?? 0) + 1;
    stats.inFlight += 1;
    await next();
    const { status } = c.res;
    stats.inFlight -= 1;
    stats.byStatus[status] = (stats.byStatus[status] ?? 0) + 1;
    if (status === 429) stats.refused += 1;
  };
}

/** A token minted from an API key, or 401, which is not counted (docs/platform.md#bearer-tokens). */
function authenticate({ keyring, latencyMs, faults }: ApiOptions): MiddlewareHandler<Environment> {
  return async (c, next) => {
    if (latencyMs() > 0) await sleep(latencyMs(), faults.closing);
    const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller = token === undefined ? 'No access token was sent.' : keyring.recognise(token);
    if (typeof caller === 'string')
      throw new ProblemError(401, caller, { 'WWW-Authenticate': 'Bearer' });
    c.set('caller', caller);
    await next();
  };
}

/** Counts the request against its key (docs/platform.md#request-budget). */
function limit({ limiter, world }: ApiOptions): MiddlewareHandler<Environment> {
  return async (c, next) => {
    const reading = limiter.take(c.get('caller').token.clientId, world.now());
    for (const [name, value] of Object.entries(rateHeaders(reading, limiter.quota)))
      c.header(name, value);
    if (reading.isRefused)
      throw new ProblemError(429, 'The general request ceiling of this key is reached.');
    await next();
  };
}
