import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { ConfigError, type ServerConfig } from '../../config/config.ts';
import type { Message } from '../../core/message.ts';
import type { AppProvider } from '../app/accounts.ts';
import { checkAuditFile } from '../telemetry/log.ts';
import { accessMessages, accessProblems } from './access.ts';
import { openTokens } from './auth/tokens.ts';
import { RefusalError, refusalMessages } from './refusals.ts';
import { createRoutes, type HttpConfig, openParts, type RouteParts } from './routes.ts';
import type { Internet } from './sign-in/documents.ts';

/** Milliseconds, then turns of the event loop, in which a closing server accepts requests that were already sent. */
const settleMs = 50;
const settleTurns = 100;

const defaultBounds = {
  maxActive: 128,
  maxWaiting: 512,
  /** Time that running calls get when the server closes. */
  graceMs: 10_000,
  /** Time that a request may take to arrive. */
  arrivalMs: 10_000,
  /** Time that an answer may wait without the client reading any of it. */
  unreadMs: 20_000,
};

export type ServingBounds = Partial<typeof defaultBounds & { internet: Internet }>;

/**
 * Serves MCP over HTTP.
 * @throws {ConfigError} for settings that leave the server open, unreadable tokens, and an address that cannot be
 * listened on
 */
export async function serveOverHttp(
  apps: AppProvider,
  config: HttpConfig,
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
  const responses = new Set<ServerResponse>();
  server.on('request', (_, response) => {
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
  await listen(server, config);
  if (directory && config.operatorToken === undefined)
    log.warn({ variable: 'COMMERCE_OPERATOR_TOKEN' }, 'is missing: /metrics is closed to all');
  apps.onOpen((app) => app.begin('audit'));
  return {
    url: addressOf(server, config),
    isGuarded: parts.gate !== undefined,
    /** Whether it is reached by any IP address of the machine, but by no name. */
    byAddressOnly: parts.reach.anyAddress,
    /** Accepts requests that were already sent, lets calls finish within ten seconds, and closes. */
    async close() {
      const grace = sleep(bounds.graceMs, undefined, { ref: false });
      await sleep(settleMs);
      for (let turn = 0; turn < settleTurns; turn++) await setImmediate();
      await Promise.race([parts.endpoint.finish(), grace]);
      const closed = once(server, 'close');
      server.close();
      const unanswered = [...responses].filter(({ headersSent }) => !headersSent);
      const endings = unanswered.map((response) => once(response, 'close'));
      await Promise.race([Promise.all(endings), grace]);
      await parts.endpoint.close();
      parts.signIn?.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function openServer(parts: RouteParts, arrivalMs: number): Server {
  const messages: Record<string, Message> = {
    ERR_HTTP_REQUEST_TIMEOUT: refusalMessages.arrived_late({ seconds: arrivalMs / 1000 }),
    HPE_HEADER_OVERFLOW: refusalMessages.headers_too_long(),
  };
  /** Logs and counts a request that ended before any route saw it. */
  function refuseUnread(remote?: string, code = ''): RefusalError {
    const refusal = new RefusalError(messages[code] ?? refusalMessages.not_http());
    const { reason, status } = refusal;
    parts.metrics.responses.inc({ status });
    parts.noteRefusal({ reason, status, request_id: randomUUID(), remote });
    return refusal;
  }
  const listener = getRequestListener(createRoutes(parts).fetch, {
    overrideGlobalObjects: false,
    // Other errors mean that the client has gone.
    errorHandler: (error) =>
      new Response(null, { status: error instanceof RequestError ? refuseUnread().status : 499 }),
  });
  const timeouts = {
    requestTimeout: arrivalMs,
    headersTimeout: arrivalMs,
    connectionsCheckingInterval: Math.min(1000, arrivalMs / 2),
    // Longer than proxies keep idle connections, because otherwise requests are lost.
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
