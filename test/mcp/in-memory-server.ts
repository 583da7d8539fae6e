/** A server in this process: a sandbox with a fixed clock behind it, a real MCP client before it. */
import { Client, InMemoryTransport, type RequestOptions } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Fleet } from '../../src/client/fleet/fleet.ts';
import { readConfig } from '../../src/config.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type App, createApp } from '../../src/mcp/app/app.ts';
import { createServer } from '../../src/mcp/server/server.ts';
import { createLog, type Log } from '../../src/mcp/telemetry/log.ts';
import type { SqlEngine } from '../../src/query/engine.ts';
import type { ApiKey } from '../../src/sandbox/access/keyring.ts';
import type { RoleName } from '../../src/sandbox/access/role.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { engineFor } from '../query-engine.ts';
import { type Connection, compilesOnce, connectNewOver, readAnswer } from './clients.ts';

/** Friday 20 November 2026, half past three in the afternoon in Amsterdam. */
export const now = Date.parse('2026-11-20T15:30:00+01:00');

/** Orders of an average day: what is asked of many shows with a few as well. */
export const ordersPerDay = 30;

/** A clock that goes on from there, for what waits: budgets return by it. */
export const goingOn = () => now + performance.now();

/** What a tool answered, in both of its channels. */
export interface Reply {
  text: string;
  isError: boolean;
  /** The structured answer; empty on errors. */
  body: JsonObject;
  /** Its rows, none where it is one object. */
  rows: JsonObject[];
  context: JsonObject;
}

/** Calls a tool; the options are those of the client, such as `signal` and `onprogress`. */
export type Ask = (tool: string, input?: JsonObject, options?: RequestOptions) => Promise<Reply>;

/** The client, and the truth behind what it is told. */
export interface InMemoryServer {
  client: Client;
  sandbox: Sandbox;
  app: App;
  ask: Ask;
  close(): Promise<void>;
}

/** How the sandbox should be, and whose key the server holds. */
export interface InMemoryServerOptions extends SandboxOptions {
  /** @default 'owner', who sees everything */
  role?: RoleName;
  /** Variables beside the account. */
  settings?: Record<string, string>;
}

/** Where a platform is, and the keys to it. */
type Account = Pick<Sandbox, 'baseUrl' | 'authUrl'> & { keys: { owner: ApiKey } };

/** How a server stands before a sandbox that runs already. */
export interface ServerOptions {
  /** @default the key of the owner, who sees everything */
  key?: ApiKey;
  /** Variables beside the account. */
  settings?: Record<string, string>;
  log?: Log;
  /** What it shares with replicas; closed with it. */
  fleet?: Fleet;
  /** @default the one of this worker, unless settings are about the engine */
  queryEngine?: SqlEngine;
  /** @default a clock that stands still */
  now?: () => number;
  /** How long it waits for the platform's description. @default what a busy machine needs */
  describeWithinMs?: number;
}

/** Opens one for one test and closes it when the test is over. */
export async function openInMemoryServer(
  options: InMemoryServerOptions = {},
): Promise<InMemoryServer> {
  const server = await open(options);
  onTestFinished(server.close);
  return server;
}

/** Opens one that the tests of a file share. */
export function shareInMemoryServer(options: InMemoryServerOptions = {}): () => InMemoryServer {
  let server: InMemoryServer | undefined;
  beforeAll(async () => {
    server = await open(options);
  });
  afterAll(() => server?.close());
  return () => {
    if (server === undefined) throw new Error('the server is open within tests only');
    return server;
  };
}

/** Runs a statement that has to succeed. */
export async function runSql(
  { ask }: InMemoryServer,
  sql: string,
  maxCalls?: number,
): Promise<Reply> {
  const reply = await ask('query', { sql, ...(maxCalls !== undefined && { max_calls: maxCalls }) });
  expect(reply.isError, reply.text).toBe(false);
  return reply;
}

/** Requests that reached a path of the sandbox while something was done. */
export async function requestsTo(
  { sandbox: { stats } }: InMemoryServer,
  path: string,
  doing: () => Promise<unknown>,
): Promise<number> {
  const before = stats.byPath[path] ?? 0;
  await doing();
  return (stats.byPath[path] ?? 0) - before;
}

async function open({
  role = 'owner',
  settings = {},
  now: clock = () => now,
  ...options
}: InMemoryServerOptions): Promise<InMemoryServer> {
  const sandbox = await startSandbox({ now: clock, quota: 10_000, ordersPerDay, ...options });
  const own = { key: sandbox.keys[role], settings, now: clock };
  const { app, transport, close } = await serve(sandbox, own);
  const client = new Client({ name: 'analyst', version: '0.0.0' }, compilesOnce);
  await client.connect(transport);
  // As every client does before it calls; by then the catalogue has completed itself.
  await client.listTools();
  return {
    client,
    sandbox,
    app,
    ask: (tool, input = {}, options = {}) => ask(client, tool, input, options),
    async close() {
      await client.close();
      await close();
      await sandbox.close();
    },
  };
}

/** A sandbox whose clock stands at `now`. */
export function startFixedSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ now: () => now, ordersPerDay, ...options });
}

/** Connects a client to a server of its own before this sandbox; closing it ends the server. */
export async function connectInMemory(
  sandbox: Account,
  options: ServerOptions = {},
): Promise<Connection> {
  const { transport, close } = await serve(sandbox, options);
  const connection = await connectNewOver(transport, 'legacy');
  return {
    ...connection,
    async close() {
      await connection.close();
      await close();
    },
  };
}

/** The server, and the client's end of a pair of linked transports. */
async function serve(sandbox: Account, options: ServerOptions) {
  const { key, settings = {}, log, fleet, queryEngine } = options;
  const { baseUrl, authUrl, keys } = sandbox;
  const account = { baseUrl, authUrl, ...(key ?? keys.owner) };
  const app = await createApp({
    config: readConfig({ env: settings, fallback: account }),
    source: 'sandbox',
    version: '0.0.0',
    promptsFolder: 'prompts',
    ...(queryEngine ? { queryEngine } : engineFor(settings)),
    log: log ?? createLog('silent'),
    ...(fleet && { fleet }),
    now: options.now ?? (() => now),
    describeWithinMs: options.describeWithinMs ?? 20_000,
  });
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await createServer(app).connect(far);
  return { app, transport, close: () => app.close() };
}

async function ask(
  client: Client,
  name: string,
  input: JsonObject,
  options: RequestOptions,
): Promise<Reply> {
  const answer = readAnswer(await client.callTool({ name, arguments: input }, options));
  const { text, isError, structured: body, rows, context } = answer;
  return { text, isError, body, rows, context };
}
