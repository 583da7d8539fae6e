import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type Config, ConfigError } from '../../config.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import type { App } from '../app/app.ts';
import { auditCalls } from '../telemetry/call-tracking.ts';
import { accessProblems, needsAuthentication, reachOf } from './access.ts';
import { Gate } from './auth/gate.ts';
import { openIssuer } from './auth/jwks.ts';
import type { OAuthSettings } from './auth/jwt.ts';
import { openTokens } from './auth/tokens.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createReadiness } from './readiness.ts';
import { type RefusalReason, Refusals } from './refusals.ts';
import { createRoutes } from './routes.ts';

/** A running HTTP server. */
export interface HttpServing {
  /** Address of the protocol's endpoint: `http://127.0.0.1:8787/mcp`. */
  readonly url: string;
  /** Whether callers have to show who they are. */
  readonly isGuarded: boolean;
  /** Whether it is reached by any IP address of the machine, and by no name yet. */
  readonly byAddressOnly: boolean;
  /** Stops accepting, lets what runs finish within ten seconds, and ends. */
  close(): Promise<void>;
}

/** How much is served at once, and how long it may take. */
export interface ServingBounds {
  /** Messages served at once, and messages that wait. */
  maxActive: number;
  maxWaiting: number;
  /** How long what runs may go on when the server ends. */
  graceMs: number;
  /** Longest that a request may take to arrive. @default 10,000 */
  arrivalMs?: number;
  /** Longest that an answer may lie without the client reading any of it. @default 20,000 */
  unreadMs?: number;
}

const standardBounds: ServingBounds = { maxActive: 128, maxWaiting: 512, graceMs: 10_000 };

/** Bodies that may arrive at once, each of a megabyte at most. */
const maxArriving = 512;

/**
 * Serves MCP over HTTP for many clients at once.
 *
 * @throws {ConfigError} when the settings would let in who must not, the tokens cannot be read, or
 * the address cannot be listened on.
 */
export async function serveOverHttp(
  app: App,
  config: Config,
  { maxActive, maxWaiting, graceMs, arrivalMs = 10_000, unreadMs = 20_000 } = standardBounds,
): Promise<HttpServing> {
  const problems = accessProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  const tokens = await openTokens(config, app.log);
  const isGuarded = needsAuthentication(config);
  const oauth = oauthOf(config);
  const reach = reachOf(config);
  const endpoint = new McpEndpoint(app);
  const places = queueOf(maxActive, maxWaiting, isGuarded);
  const metrics = createMetrics(app, places);
  const refusals = new Refusals(app.log, metrics.countRefusal);
  auditCalls(app.activity, app.log, 'info');
  const routes = createRoutes({
    reach,
    gate: isGuarded ? new Gate(tokens, oauth) : undefined,
    oauth,
    endpoint,
    arriving: queueOf(maxArriving, maxArriving, isGuarded),
    places,
    unreadMs,
    metrics,
    refusals,
    readiness: createReadiness({
      tokensProblem: tokens.problem,
      client: app.services.client,
      activity: app.activity,
      ...(app.fleet && { fleet: app.fleet }),
      elapsed: () => performance.now(),
    }),
    log: app.log,
  });
  const unread = { metrics, refusals, arrivalMs };
  const listener = getRequestListener(routes.fetch, {
    overrideGlobalObjects: false,
    // Anything else comes from a client that has gone, and reads no answer.
    errorHandler: (error) =>
      new Response(null, {
        status: error instanceof RequestError ? refuseUnread(unread, undefined).status : 499,
      }),
  });
  const timeouts = {
    requestTimeout: arrivalMs,
    headersTimeout: arrivalMs,
    connectionsCheckingInterval: Math.min(1000, arrivalMs / 2),
    // Longer than proxies keep idle connections: the reverse loses requests.
    keepAliveTimeout: 75_000,
  };
  const server = createServer(timeouts, listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const hasAsked = socket.writable && socket.bytesRead > 0 && error.code !== 'ECONNRESET';
    if (!hasAsked) return void socket.destroy();
    const { status, text } = refuseUnread(unread, socket.remoteAddress, error.code);
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n`;
    const type = `content-type: text/plain\r\ncontent-length: ${text.length}`;
    socket.write(`${head}${type}\r\n\r\n${text}`);
    socket.destroySoon();
  });
  await listen(server, config);
  app.services.client.prepare();
  return {
    url: addressOf(server, config),
    isGuarded,
    byAddressOnly: reach.anyAddress,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await Promise.race([places.close(), sleep(graceMs, undefined, { ref: false })]);
      await endpoint.close();
      server.closeAllConnections();
      refusals.flush();
      await closed;
    },
  };
}

/** Where callers are told apart, none of them can take all places. */
function queueOf(maxActive: number, maxWaiting: number, isShared: boolean): FairQueue {
  const share = (all: number) => (isShared ? Math.max(1, Math.floor(all / 2)) : all);
  return new FairQueue({
    maxActive,
    maxWaiting,
    maxActivePerCaller: share(maxActive),
    maxWaitingPerCaller: share(maxWaiting),
  });
}

/** Notes a request that ended before any route saw it, and says with which status and why. */
function refuseUnread(
  { metrics, refusals, arrivalMs }: { metrics: Metrics; refusals: Refusals; arrivalMs: number },
  remote: string | undefined,
  code?: string,
): { status: number; text: string } {
  const late = `a request has to arrive within ${arrivalMs / 1000} seconds`;
  const known: Record<string, [RefusalReason, number, string]> = {
    ERR_HTTP_REQUEST_TIMEOUT: ['too_slow', 408, late],
    HPE_HEADER_OVERFLOW: ['too_large', 431, 'the headers are too long'],
    HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too_large', 413, 'the chunk extensions are too long'],
  };
  const [reason, status, text] = known[code ?? ''] ?? ['malformed', 400, 'this is no HTTP request'];
  metrics.countResponse(status);
  refusals.note(reason, status, { request_id: randomUUID(), remote });
  return { status, text };
}

function oauthOf({ oauthIssuer, oauthAudience }: Config): OAuthSettings | undefined {
  if (oauthIssuer === undefined || oauthAudience === undefined) return undefined;
  const keys = openIssuer(oauthIssuer);
  return { issuer: oauthIssuer, audience: oauthAudience, keys };
}

async function listen(server: Server, { httpHost, httpPort }: Config): Promise<void> {
  server.listen(httpPort, httpHost);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new ConfigError([
      code === 'EADDRINUSE'
        ? { name: 'COMMERCE_HTTP_PORT', problem: `(--port) ${httpPort} is in use: give another` }
        : { name: 'COMMERCE_HTTP_HOST', problem: `(--host) ${httpHost} cannot be used: ${code}` },
    ]);
  }
}

function addressOf(server: Server, { httpHost, httpPort }: Config): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : httpPort;
  return `http://${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${port}/mcp`;
}
