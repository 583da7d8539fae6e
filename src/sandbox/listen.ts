/** Real sockets under a Hono application. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Environment } from './wire/environment.ts';

/** A server that listens. */
export interface Listening {
  /** Such as http://127.0.0.1:40123, without a slash at the end. */
  url: string;
  /** Drops all connections at once. */
  close(): Promise<void>;
}

/** Serves an application; port 0 takes any free one. */
export async function listen(
  app: Hono<Environment>,
  host: string,
  port: number,
): Promise<Listening> {
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(listener);
  // Longer than clients keep idle connections: the server never closes one that is about to be used.
  server.keepAliveTimeout = 120_000;
  server.listen(port, host);
  await once(server, 'listening');
  return { url: addressOf(server, host), close: () => close(server) };
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
