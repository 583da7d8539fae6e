import type { ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Toolset } from '../../endpoints/define.ts';
import type { Caller } from '../app/scoped-app.ts';
import { jsonRpcError } from '../server/json-rpc-error.ts';
import type { Log } from '../telemetry/log.ts';
import type { Admission } from './admission.ts';
import { isAllowedOrigin, type Reach, refuseStranger } from './allowed-hosts.ts';
import type { Gate } from './auth/authenticate.ts';
import type { OAuthSettings } from './auth/jwt.ts';
import { resourceMetadata } from './auth/resource-metadata.ts';
import { type Deadlines, hangUpOnUnread, inSlices } from './deadlines.ts';
import { type Inbound, readInbound } from './json-rpc-body.ts';
import { anybody, type McpEndpoint } from './mcp-endpoint.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/** What the routes lead to. */
export interface Routed {
  reach: Reach;
  /** Undefined where nobody has to show who they are. */
  gate: Gate | undefined;
  oauth: OAuthSettings | undefined;
  endpoint: McpEndpoint;
  admission: Admission;
  /** Those whose message is still arriving. */
  readers: Admission;
  deadlines: Deadlines;
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  log: Log;
}

/** The sockets behind a request, as @hono/node-server hands them over. */
export interface Bindings {
  outgoing: ServerResponse;
}

type Environment = { Bindings: Bindings };

/**
 * The HTTP surface: `/mcp`, `/healthz`, `/readyz`, `/metrics` and the metadata of OAuth. Every route
 * checks who is addressed and from where; all but health and metadata check who asks.
 */
export function createRoutes(routed: Routed): Hono<Environment> {
  const { reach, oauth, metrics, readiness, log } = routed;
  const routes = new Hono<Environment>();

  routes.use(async (context, next) => {
    await next();
    metrics.countResponse(context.res.status);
  });
  routes.use(async ({ req }, next) => refuseStranger(req.raw, reach) ?? next());
  const allowPages = cors({
    origin: (origin) => (reach.origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST'],
    exposeHeaders: ['Mcp-Session-Id', 'WWW-Authenticate', 'Retry-After'],
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
  routes.onError((error) => {
    log.error({ error: error.name }, 'a request failed inside the server');
    return jsonRpcError(500, -32_603, 'Internal error');
  });
  return routes;
}

async function enter(context: Context<Environment>, routed: Routed): Promise<Response> {
  const { gate, metrics } = routed;
  const request = context.req.raw;
  const caller = await gate?.enter(request);
  if (caller instanceof Response) return caller;
  switch (context.req.path) {
    case '/mcp': {
      return enterMcp(context, routed, caller);
    }
    case '/metrics': {
      if (request.method !== 'GET') return notAllowed('GET');
      const { text, contentType } = await metrics.render();
      return context.body(text, 200, { 'content-type': contentType });
    }
    case '/healthz':
    case '/readyz':
      return notAllowed('GET');
    default:
      return jsonRpcError(404, -32_000, 'There is nothing here; the server is at /mcp');
  }
}

/** The message is read before it takes a place: whoever sends slowly keeps nobody else waiting. */
async function enterMcp(
  context: Context<Environment>,
  { gate, endpoint, admission, readers, deadlines }: Routed,
  caller: Caller | undefined,
): Promise<Response> {
  const request = context.req.raw;
  const { signal } = request;
  const { outgoing } = context.env;
  const id = caller?.id ?? anybody;
  const needScope = (scope: Toolset) => caller && gate?.askForScope(request, caller, scope);
  let inbound: Inbound | undefined;
  let isSubscription = false;
  const hasLeft = new Promise<void>((resolve) => void outgoing.once('close', resolve));
  const entry = { caller: id, signal, refuse: overloaded };
  try {
    const unread = await readers.admit({
      ...entry,
      places: 1,
      async serve() {
        const read = await readInbound(request, deadlines.bodyMs);
        if (read instanceof Response) return read;
        inbound = read;
        return new Response();
      },
      over: async () => {},
    });
    if (inbound === undefined) return unread;
    const message: Inbound = inbound;
    hangUpOnUnread(outgoing, deadlines.unreadMs);
    return await admission.admit({
      ...entry,
      places: message.messages,
      async serve() {
        const exchange = await endpoint.serve(request, message, caller, needScope);
        ({ isSubscription } = exchange);
        return isSubscription ? exchange.response : inSlices(exchange.response);
      },
      // A subscription does no work and holds no place.
      over: async () => (isSubscription ? undefined : hasLeft),
    });
  } catch (error) {
    // The client has gone: nobody reads this.
    if (signal.aborted) return new Response(null, { status: 499 });
    throw error;
  }
}

function overloaded(reason: string): Response {
  return jsonRpcError(503, -32_000, reason, { 'retry-after': '1' });
}

function notAllowed(allow: string): Response {
  return jsonRpcError(405, -32_000, `Only ${allow} is allowed here`, { allow });
}
