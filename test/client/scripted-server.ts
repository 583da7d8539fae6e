import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '../../src/client/client.ts';
import type { ClientEvent, ClientSettings, Runtime } from '../../src/client/transport/runtime.ts';
import { settings } from './fake-world.ts';

/** Answers one API request, however nastily. */
type Script = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export type ScriptedServer = Awaited<ReturnType<typeof scripted>>;

/**
 * Starts a real server on loopback that runs `script` for each API request, wherever its path is, and has a
 * token endpoint of its own.
 */
export async function scripted(script: Script) {
  const clients: Client[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname.endsWith('/.well-known/oauth-authorization-server'))
      return json(response, 200, { token_endpoint: `${origin}/oauth/token` });
    if (url.pathname === '/oauth/token') {
      const access_token = `token-${++held.exchanges}`;
      return json(response, 200, { access_token, token_type: 'Bearer', expires_in: 3600 });
    }
    held.seen.push(`${request.method} ${request.url}`);
    script(request, response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const held = {
    origin,
    exchanges: 0,
    /** API requests, oldest first: method and path with query. */
    seen: [] as string[],
    /** What its clients did, oldest first. */
    events: [] as ClientEvent[],
    /** A client of it, closed with it. */
    client(more: Partial<ClientSettings> = {}, runtime: Partial<Runtime> = {}): Client {
      const impatient = { ...settings, timeoutMs: 2000, maxWaitMs: 4000 };
      const client = createClient(
        { ...impatient, baseUrl: origin, authUrl: origin, ...more },
        // Waits between attempts are not what these tests are about.
        { random: () => 0, log: (event) => held.events.push(event), ...runtime },
      );
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return held;
}

/** Answers with a JSON body. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
