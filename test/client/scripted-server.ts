import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, type ClientSettings, createClient } from '../../src/client/client.ts';
import type { ClientEvent, Runtime } from '../../src/client/transport/runtime.ts';

/** Answers one API request, however nastily. */
export type Script = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A real server on loopback whose behaviour a test writes down, with a token endpoint of its own. */
export interface ScriptedServer extends AsyncDisposable {
  origin: string;
  /** API requests seen, oldest first: method and path with query. */
  seen: string[];
  exchanges: number;
  /** What its clients did, oldest first. */
  events: ClientEvent[];
  /** A client of it, closed with it. */
  client(settings?: Partial<ClientSettings>, runtime?: Partial<Runtime>): Client;
}

/** The settings of a client whose patience suits a test. */
export const testSettings: ClientSettings = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'commerce.acme.1',
  clientSecret: 'the-secret-of-acme',
  concurrency: 8,
  timeoutMs: 2000,
  maxWaitMs: 4000,
  maxRows: 100_000,
};

/** Starts a server that runs `script` for each API request, wherever its path is. */
export async function scripted(script: Script): Promise<ScriptedServer> {
  const seen: string[] = [];
  const events: ClientEvent[] = [];
  const clients: Client[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname.endsWith('/.well-known/oauth-authorization-server')) {
      return json(response, 200, { token_endpoint: `${origin}/oauth/token` });
    }
    if (url.pathname === '/oauth/token') {
      const access_token = `token-${++held.exchanges}`;
      return json(response, 200, { access_token, token_type: 'Bearer', expires_in: 3600 });
    }
    seen.push(`${request.method} ${request.url}`);
    script(request, response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const held: ScriptedServer = {
    origin,
    seen,
    exchanges: 0,
    events,
    client(settings = {}, runtime = {}) {
      const client = createClient(
        { ...testSettings, baseUrl: origin, authUrl: origin, ...settings },
        // Waits between attempts are not what these tests are about.
        { random: () => 0, log: (event) => events.push(event), ...runtime },
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
