/** A server over real sockets: a sandbox behind it, its log and its metrics at hand. */
import { onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { type App, createApp } from '../../../src/mcp/app/app.ts';
import { type ServingBounds, serveOverHttp } from '../../../src/mcp/http/serve.ts';
import type { Log } from '../../../src/mcp/telemetry/log.ts';
import type { RoleName } from '../../../src/sandbox/access/role.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { engineFor } from '../../query-engine.ts';

/** A line of the log. */
export interface LogLine {
  level: Exclude<keyof Log, 'writes'>;
  facts: Record<string, unknown>;
  message: string;
}

export interface HttpServer {
  sandbox: Sandbox;
  app: App;
  /** Of the protocol's endpoint. */
  url: string;
  /** The same server without its path. */
  origin: string;
  log: LogLine[];
  /** The value of the first metric line that begins with this text; 0 while there is none. */
  metric(beginning: string, headers?: Record<string, string>): Promise<number>;
  close(): Promise<void>;
}

export interface HttpServerOptions {
  /** Variables, beside the account and a free port. */
  settings?: Record<string, string>;
  bounds?: ServingBounds;
  /** Whose key asks the platform. @default the owner's, who sees everything */
  role?: RoleName;
  /** An address to ask the platform at, given its own. */
  through?: (baseUrl: string) => Promise<string>;
  sandbox?: SandboxOptions;
}

/** Starts it all on free ports. */
export async function openHttpServer({
  settings = {},
  sandbox: options = {},
  through = async (address) => address,
  bounds,
  role = 'owner',
}: HttpServerOptions = {}): Promise<HttpServer> {
  const sandbox = await startSandbox({ quota: 10_000, ...options });
  const { authUrl, keys } = sandbox;
  const baseUrl = await through(sandbox.baseUrl);
  const log: LogLine[] = [];
  const config = readConfig({
    env: { COMMERCE_HTTP_PORT: '0', ...settings },
    fallback: { baseUrl, authUrl, ...keys[role] },
  });
  const app = await createApp({
    config,
    source: 'sandbox',
    version: '0.0.0',
    promptsFolder: 'prompts',
    ...engineFor(settings),
    log: keepLog(log),
  });
  const end = async () => {
    await app.close();
    await sandbox.close();
  };
  const serving = await serveOverHttp(app, config, bounds).catch(async (error) => {
    await end();
    throw error;
  });
  const { origin } = new URL(serving.url);
  const server: HttpServer = {
    sandbox,
    app,
    url: serving.url,
    origin,
    log,
    async metric(beginning, headers = {}) {
      const text = await (await fetch(`${server.origin}/metrics`, { headers })).text();
      const line = text.split('\n').find((it) => it.startsWith(beginning));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
    async close() {
      await serving.close();
      await end();
    },
  };
  return server;
}

/** Starts it for one test. */
export async function openHttpServerHere(options?: HttpServerOptions): Promise<HttpServer> {
  const server = await openHttpServer(options);
  onTestFinished(server.close);
  return server;
}

function keepLog(lines: LogLine[]): Log {
  const write = (level: LogLine['level']) => (facts: Record<string, unknown>, message: string) =>
    void lines.push({ level, facts, message });
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    writes: () => true,
  };
}

/** Headers that every message of the older revisions carries. */
export const posted = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** Headers that carry a bearer token. */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** A message of the older revisions, which needs no handshake here. */
export function message(method: string, params: unknown = {}, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** Posts a message of the older revisions. */
export function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const init = { method: 'POST', headers: { ...posted, ...headers }, body };
  return fetch(url, signal ? { ...init, signal } : init);
}

/** The last JSON-RPC message of a response, whether it came as JSON or as a stream of events. */
export async function lastMessage(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .at(-1)
    ?.slice(6);
  return JSON.parse(data ?? text);
}

/** What every message of the 2026-07-28 revision says about its client. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
};

/** A message of the 2026-07-28 revision. */
export function modern(method: string, params: Record<string, unknown> = {}): string {
  return message(method, { ...params, _meta: envelope });
}

/** The headers that go with it. */
export function modernHeaders(method: string, version = '2026-07-28', name?: string) {
  const own = { 'mcp-protocol-version': version, 'mcp-method': method };
  return name === undefined ? own : { ...own, 'mcp-name': name };
}
