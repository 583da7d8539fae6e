import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { type Config, ConfigError } from '../../config.ts';
import type { App } from '../app/app.ts';
import { auditCalls } from '../telemetry/call-tracking.ts';
import { type AdmissionSettings, createAdmission } from './admission.ts';
import { reachOf } from './allowed-hosts.ts';
import { createGate } from './auth/authenticate.ts';
import { openIssuer } from './auth/jwks.ts';
import type { OAuthSettings } from './auth/jwt.ts';
import { openTokenSource } from './auth/token-file.ts';
import { accessProblems, needsAuthentication } from './bind-rule.ts';
import type { Deadlines } from './deadlines.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { createMetrics } from './metrics.ts';
import { createReadiness } from './readiness.ts';
import { createRoutes } from './routes.ts';

/** A running HTTP server. */
export interface HttpServing {
  /** Address of the protocol's endpoint: `http://127.0.0.1:8787/mcp`. */
  readonly url: string;
  /** Whether callers have to show who they are. */
  readonly isGuarded: boolean;
  /** Stops accepting, lets what runs finish within ten seconds, and ends. */
  close(): Promise<void>;
}

/** How much is served at once, and how long what runs may go on when the server ends. */
export interface ServingBounds extends AdmissionSettings {
  graceMs: number;
  deadlines?: Deadlines;
}

const standardBounds: ServingBounds = { maxActive: 128, maxWaiting: 512, graceMs: 10_000 };

const standardDeadlines: Deadlines = { bodyMs: 10_000, unreadMs: 20_000 };

/** Messages that may arrive at once: more than are served, as a slow one takes no place. */
const reading: AdmissionSettings = { maxActive: 512, maxWaiting: 512 };

const timeouts = {
  // A request that dribbles in holds a place: it has a quarter of a minute to arrive.
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  // Longer than what stands in front keeps idle connections: the reverse loses requests.
  keepAliveTimeout: 75_000,
};

/**
 * Serves MCP over HTTP for many clients at once.
 *
 * @throws {ConfigError} when the settings would let in who must not, the tokens cannot be read, or
 * the address cannot be listened on.
 */
export async function serveOverHttp(
  app: App,
  config: Config,
  bounds: ServingBounds = standardBounds,
): Promise<HttpServing> {
  const problems = accessProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  const tokens = await openTokenSource(config, app.log);
  const isGuarded = needsAuthentication(config);
  const oauth = oauthOf(config);
  const endpoint = createMcpEndpoint(app);
  // Where callers are told apart, none of them can take all places.
  const share = { ownShare: isGuarded ? 0.5 : 1 };
  const admission = createAdmission({ ...share, ...bounds });
  const state = { queue: admission.count, subscriptions: endpoint.subscriptions };
  const elapsed = () => performance.now();
  auditCalls(app.activity, app.log, 'info');
  const routes = createRoutes({
    reach: reachOf(config),
    gate: isGuarded ? createGate({ tokens, oauth, log: app.log }) : undefined,
    oauth,
    endpoint,
    admission,
    readers: createAdmission({ ...share, ...reading }),
    deadlines: bounds.deadlines ?? standardDeadlines,
    metrics: createMetrics(app, state),
    readiness: createReadiness({
      tokensProblem: tokens.problem,
      client: app.services.client,
      activity: app.activity,
      ...(app.fleet && { fleet: app.fleet }),
      elapsed,
    }),
    log: app.log,
  });
  const listener = getRequestListener(routes.fetch, { overrideGlobalObjects: false });
  const server = createServer(timeouts, listener);
  await listen(server, config);
  app.services.client.prepare();
  return {
    url: addressOf(server, config),
    isGuarded,
    async close() {
      const closed = once(server, 'close');
      server.close();
      const finished = admission.close();
      await Promise.race([finished, sleep(bounds.graceMs, undefined, { ref: false })]);
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function oauthOf({ oauthIssuer, oauthAudience }: Config): OAuthSettings | undefined {
  if (oauthIssuer === undefined || oauthAudience === undefined) return undefined;
  const keys = openIssuer(oauthIssuer, { fetch, sleep });
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
