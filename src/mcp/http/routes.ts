import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { type FairQueue, QueueFullError } from '../../core/fair-queue.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { Caller } from '../app/scoped-app.ts';
import type { Log } from '../telemetry/log.ts';
import { checkReach, isAllowedOrigin, type Reach } from './access.ts';
import { type Gate, resourceMetadata } from './auth/gate.ts';
import type { OAuthSettings } from './auth/jwt.ts';
import { readInbound } from './body.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';
import {
  jsonRpcError,
  RefusalError,
  type Refusals,
  type RefusedRequest,
  refusal,
} from './refusals.ts';

/** What the routes lead to. */
export interface Routed {
  reach: Reach;
  /** Undefined where callers do not have to show who they are. */
  gate: Gate | undefined;
  oauth: OAuthSettings | undefined;
  endpoint: McpEndpoint;
  /** Bounds the bodies that are arriving: a slow one takes no place. */
  arriving: FairQueue;
  /** Places of messages that are served, and who waits for one. */
  places: FairQueue;
  /** Longest that an answer may lie without the client reading any of it. */
  unreadMs: number;
  metrics: Metrics;
  refusals: Refusals;
  readiness: () => Promise<Readiness>;
  log: Log;
}

type Environment = { Bindings: HttpBindings; Variables: { requestId: string; caller?: Caller } };
type Exchange = Context<Environment>;

/**
 * The HTTP surface: `/mcp`, `/healthz`, `/readyz`, `/metrics` and the metadata of OAuth. Every route
 * checks who is addressed and from where; all but health and metadata check who asks.
 */
export function createRoutes(routed: Routed): Hono<Environment> {
  const { reach, oauth, metrics, refusals, readiness, log, unreadMs } = routed;
  const routes = new Hono<Environment>();

  routes.use(async (context, next) => {
    context.set('requestId', requestIdOf(context.req.raw));
    // Node calls back while nothing moves: an answer that waits to be read is given up, and one that
    // is still being made is not.
    context.env.outgoing.setTimeout(unreadMs, () => {
      const { socket } = context.env.incoming;
      if (socket.writableLength > 0) socket.destroy();
    });
    await next();
    context.header('x-request-id', context.get('requestId'));
    metrics.countResponse(context.res.status);
  });
  routes.use(async ({ req }, next) => {
    checkReach(req.raw, reach);
    await next();
  });
  const allowPages = cors({
    origin: (origin) => (reach.origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST'],
    exposeHeaders: ['Mcp-Session-Id', 'WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
  });
  routes.use((context, next) =>
    isAllowedOrigin(context.req.raw, reach.origins) ? allowPages(context, next) : next(),
  );

  routes.get('/healthz', (context) => context.json({ status: 'alive' }));
  routes.get('/readyz', async (context) => {
    const { isReady, checks } = await readiness();
    return context.json({ status: isReady ? 'ready' : 'not ready', checks }, isReady ? 200 : 503);
  });
  if (oauth !== undefined) {
    const path = '/.well-known/oauth-protected-resource';
    for (const place of [path, `${path}/*`])
      routes.get(place, ({ req }) => Response.json(resourceMetadata(req.raw, oauth)));
  }
  routes.all('*', (context) => enter(context, routed));
  routes.onError((error, context) => {
    if (error instanceof RefusalError) {
      const { reason, response, facts } = error;
      const caller = context.get('caller')?.name;
      refusals.note(reason, response.status, originOf(context), { caller, ...facts });
      return response;
    }
    // The client has gone, and reads nothing of this.
    const hasGone = context.req.raw.signal.aborted || context.env.incoming.socket.destroyed;
    if (hasGone) return new Response(null, { status: 499 });
    log.error({ error: error.name }, 'a request failed inside the server');
    return jsonRpcError(500, 'Internal error', -32_603);
  });
  return routes;
}

async function enter(context: Exchange, routed: Routed): Promise<Response> {
  const { gate, metrics } = routed;
  const { path, method, raw } = context.req;
  const caller = (await gate?.enter(raw)) ?? anybody;
  context.set('caller', caller);
  if (path === '/mcp') return enterMcp(context, routed, caller);
  const isKnown = ['/metrics', '/healthz', '/readyz'].includes(path);
  if (!isKnown) throw refusal('not_found', 404, 'There is nothing here; the server is at /mcp');
  if (path !== '/metrics' || method !== 'GET')
    throw refusal('method', 405, 'Only GET is allowed here', -32_000, { allow: 'GET' });
  const { text, contentType } = await metrics.render();
  return context.body(text, 200, { 'content-type': contentType });
}

/** The message is read before it takes a place: a slow sender keeps no other waiting. */
async function enterMcp(
  context: Exchange,
  { gate, endpoint, arriving, places, refusals }: Routed,
  caller: Caller,
): Promise<Response> {
  const request = context.req.raw;
  const { outgoing } = context.env;
  const over = new Promise<void>((resolve) => void outgoing.once('close', resolve));
  const turn = { caller: caller.id, signal: request.signal };
  const read = await arriving.enter(turn).catch(refuseBusy);
  const inbound = await readInbound(request).finally(read);
  const lacked = endpoint.lackedTool(inbound, caller);
  const refusal = lacked && gate?.scopeRefusal(request, caller, lacked.tool, lacked.scope);
  if (refusal) throw refusal;
  const leave = await places.enter({ ...turn, places: inbound.messages }).catch(refuseBusy);
  void over.then(leave);
  const response = await endpoint.serve({ request, inbound, caller, over });
  if (response.status >= 400)
    refusals.note('protocol', response.status, originOf(context), { caller: caller.name });
  return response;
}

/** The caller where no one has to show who they are: the same on every replica. */
const anybody: Caller = { id: 'anybody', toolsets };

function refuseBusy(error: unknown): never {
  if (!(error instanceof QueueFullError)) throw error;
  const { reason, limit } = error;
  const texts = {
    all: 'Too many requests are waiting; try again in a moment',
    caller: `${limit} requests of yours are waiting, the most of one caller; try again in a moment`,
    closed: 'The server is ending',
    places: `A batch may carry ${limit} messages at most`,
  };
  if (reason === 'places') throw refusal('too_large', 413, texts.places);
  throw refusal('busy', 503, texts[reason], -32_000, { 'retry-after': '1' });
}

/** The name of a request in logs: the one that a proxy gave it, or a new one. */
function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id') ?? '';
  return /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

function originOf(context: Exchange): RefusedRequest {
  const forwarded = context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return {
    request_id: context.get('requestId'),
    remote: context.env.incoming.socket.remoteAddress,
    ...(/^[\da-fA-F.:]{3,45}$/.test(forwarded) && { forwarded_for: forwarded }),
  };
}
