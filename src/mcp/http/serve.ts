import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { ConfigError, type ServerConfig } from '../../config/config.ts';
import type { Finished } from '../../core/message.ts';
import type { AppProvider } from '../app/accounts.ts';
import { checkAuditFile } from '../telemetry/log.ts';
import { accessMessages, accessProblems } from './access.ts';
import { openTokens } from './auth/tokens.ts';
import { RefusalError, refusalMessages } from './refusals.ts';
import { createRoutes, openParts, type RouteParts } from './routes.ts';
import type { Internet } from './sign-in/documents.ts';

/** When the server ends, requests are accepted this long, and until the event loop had so many turns without any. */
const settleMs = 50;
const quietTurns = 5;
const maxRounds = 20;

const defaultBounds = {
  /** Messages served at once, and messages that wait. */
  maxActive: 128,
  maxWaiting: 512,
  /** How long calls may go on when the server ends. */
  graceMs: 10_000,
  /** Longest that a request may take to arrive. */
  arrivalMs: 10_000,
  /** Longest that an answer may lie without the client reading any of it. */
  unreadMs: 20_000,
};

/** How much is served at once, how long it may take, and how documents of clients are reached. */
export type ServingBounds = Partial<typeof defaultBounds & { internet: Internet }>;

/**
 * Serves MCP over HTTP for many clients at once. @throws {ConfigError} for settings that leave the server open,
 * unreadable tokens, and an address that cannot be listened on.
 */
export async function serveOverHttp(
  apps: AppProvider,
  config: ServerConfig,
  overrides: ServingBounds = {},
) {
  const bounds = { ...defaultBounds, ...overrides };
  const { directory, log } = apps;
  if (config.auditFile !== undefined) checkAuditFile(config.auditFile);
  const problems = accessProblems(config, directory);
  if (problems.length > 0) throw new ConfigError(problems);
  const tokens = await openTokens(config, log, directory);
  const parts = await openParts(apps, config, tokens, bounds);
  const server = openServer(parts, bounds.arrivalMs);
  const arrivals = followArrivals(server);
  await listen(server, config);
  if (directory && config.operatorToken === undefined)
    log.warn({ variable: 'COMMERCE_OPERATOR_TOKEN' }, 'is missing: /metrics is closed to all');
  apps.onOpen((app) => app.begin('audit'));
  return {
    /** Address of the protocol's endpoint: `http://127.0.0.1:8787/mcp`. */
    url: addressOf(server, config),
    /** Whether callers have to show who they are. */
    isGuarded: parts.gate !== undefined,
    /** Whether clients reach it by any IP address of the machine, and by no name. */
    byAddressOnly: parts.reach.anyAddress,
    /** Accepts requests that were sent already, refuses later ones, lets calls finish within ten seconds, and ends. */
    async close() {
      const grace = sleep(bounds.graceMs, undefined, { ref: false });
      // A request that was sent already is served, not reset.
      await Promise.race([arrivals.settle().then(parts.endpoint.finish), grace]);
      const closed = once(server, 'close');
      server.close();
      await Promise.race([arrivals.answered(), grace]);
      await parts.endpoint.close();
      parts.signIn?.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function openServer(parts: RouteParts, arrivalMs: number): Server {
  const unread: Record<string, Finished> = {
    ERR_HTTP_REQUEST_TIMEOUT: refusalMessages.arrived_late({ seconds: arrivalMs / 1000 }),
    HPE_HEADER_OVERFLOW: refusalMessages.headers_too_long(),
  };
  /** Logs and counts a request that ended before any route saw it. */
  function refuseUnread(remote?: string, code = ''): RefusalError {
    const refusal = new RefusalError(unread[code] ?? refusalMessages.not_http());
    const { reason, status } = refusal;
    parts.metrics.responses.inc({ status });
    parts.noteRefusal({ reason, status, request_id: randomUUID(), remote });
    return refusal;
  }
  const listener = getRequestListener(createRoutes(parts).fetch, {
    overrideGlobalObjects: false,
    // Any other error is of a client that has gone and reads no answer.
    errorHandler: (error) =>
      new Response(null, { status: error instanceof RequestError ? refuseUnread().status : 499 }),
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
    const { status, says } = refuseUnread(socket.remoteAddress, error.code);
    const text = says.text;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n`;
    const type = `content-type: text/plain\r\ncontent-length: ${text.length}`;
    socket.write(`${head}${type}\r\n\r\n${text}`);
    socket.destroySoon();
  });
  return server;
}

/** Follows connections and requests, to know when the last ones have arrived as the server ends. */
function followArrivals(server: Server) {
  const responses = new Set<ServerResponse>();
  let count = 0;
  server.on('connection', () => count++);
  server.on('request', (_, response) => {
    count++;
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
  return {
    /** Resolves when requests sent a moment ago have been read; under steady traffic after some rounds. */
    async settle() {
      await sleep(settleMs);
      for (let round = 0, seen = -1; seen !== count && round < maxRounds; round++) {
        seen = count;
        for (let turn = 0; turn < quietTurns; turn++) await setImmediate();
      }
    },
    /** Resolves when the answer to each present request has begun. */
    async answered() {
      const waiting = [...responses].filter(({ headersSent }) => !headersSent);
      await Promise.all(waiting.map((response) => once(response, 'close')));
    },
  };
}

async function listen(server: Server, { httpHost, httpPort }: ServerConfig): Promise<void> {
  server.listen(httpPort, httpHost);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = String(error instanceof Error && 'code' in error ? error.code : error);
    const inUse = accessMessages.port_in_use({ port: httpPort });
    const unusable = accessMessages.address_unusable({ host: httpHost, error: code });
    throw new ConfigError([
      code === 'EADDRINUSE'
        ? { name: 'COMMERCE_HTTP_PORT', problem: inUse }
        : { name: 'COMMERCE_HTTP_HOST', problem: unusable },
    ]);
  }
}

function addressOf(server: Server, { httpHost, httpPort }: ServerConfig): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : httpPort;
  return `http://${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${port}/mcp`;
}
