/** A server under test over each of its transports: a sandbox behind it, a real client before it. */
import { InMemoryTransport, type RequestOptions } from '@modelcontextprotocol/client';
import { beforeAll, expect } from 'vitest';
import type { Runtime } from '../src/client/transport/runtime.ts';
import { readConfig } from '../src/config/config.ts';
import type { JsonObject } from '../src/core/json.ts';
import type { Log } from '../src/core/message.ts';
import { singleApp } from '../src/mcp/app/accounts.ts';
import { type App, createApp } from '../src/mcp/app/app.ts';
import { type ServingBounds, serveOverHttp } from '../src/mcp/http/serve.ts';
import { createServer } from '../src/mcp/server/server.ts';
import { createLog } from '../src/mcp/telemetry/log.ts';
import type { ApiKey } from '../src/sandbox/http/access.ts';
import {
  type ClientName,
  connectAs,
  connectNew,
  type NewConnection,
  type ToolAnswer,
} from './clients.ts';
import { engineFor } from './query-engine.ts';
import type { RoleName } from './sandbox/by-hand.ts';
import { type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts';
import { closeAfterwards } from './setup/closing.ts';
import { account, binary, environment, filesFolder, type Sandbox } from './spawn.ts';

/** Friday 20 November 2026, half past three in the afternoon in Amsterdam. */
export const now = Date.parse('2026-11-20T15:30:00+01:00');

/** A clock that goes on from there, for what waits: budgets return by it. */
export const goingOn = () => now + performance.now();

/** How much a platform may say of itself: what rests on columns is tested over each. */
export const describedAs = ['full', 'bare'] as const;

/** Accounts that differ in all that the API document leaves open: what speaks of rows is tested over each. */
export const accounts = [
  { description: 'full', dialect: 'plain' },
  { description: 'bare', dialect: 'other' },
] as const;

/** Where a platform is, and the keys to it. */
type Account = Pick<Sandbox, 'baseUrl' | 'authUrl'> & {
  keys: Partial<Record<RoleName, ApiKey>> & { owner: ApiKey };
};

/** How the sandbox and the server before it should be. */
export interface ServerOptions extends SandboxOptions {
  /** One that runs already, instead of one of the server's own. */
  sandbox?: Sandbox;
  /** Whose key the server holds. @default 'owner', who sees everything */
  role?: RoleName;
  /** The name that the server has for the account. @default none */
  account?: string;
  /** Variables beside the account. */
  settings?: Record<string, string>;
  log?: Log;
  /** Where it remembers the shape of the account. @default nowhere */
  cacheFolder?: string;
  /** Clocks, chance and sockets of its client. */
  runtime?: Partial<Runtime>;
  /** How long it waits for the platform's description. @default what a busy machine needs */
  describeWithinMs?: number;
}

/** How it should be as a process; the client is the 2.x one as older servers know it, unless named. */
type StdioOptions = ServerOptions & { client?: ClientName };

/** How it should be over HTTP. */
type HttpOptions = ServerOptions & { bounds?: ServingBounds };

/** Calls a tool; the options are those of the client, such as `signal` and `onprogress`. */
export type Ask = (
  tool: string,
  input?: JsonObject,
  options?: RequestOptions,
) => Promise<ToolAnswer>;

/** A server with a client, and the truth behind what the client is told. */
export type TestServer = Awaited<ReturnType<typeof overMemory>>;

/** The built server as a process. */
export type StdioServer = Awaited<ReturnType<typeof overStdio>>;

/** A server in this process over real sockets. */
export type HttpServer = Awaited<ReturnType<typeof overHttp>>;

/** A line of the log. */
export interface LogLine {
  level: Exclude<keyof Log, 'writes'>;
  facts: Record<string, unknown>;
  message: string;
}

/** Opens a server that closes with the test, or with the file of the hook. */
export function serverOver(over: 'memory', options?: ServerOptions): Promise<TestServer>;
export function serverOver(over: 'stdio', options?: StdioOptions): Promise<StdioServer>;
export function serverOver(over: 'http', options?: HttpOptions): Promise<HttpServer>;
export function serverOver(
  over: 'memory' | 'stdio' | 'http',
  options: StdioOptions & HttpOptions = {},
): Promise<TestServer | StdioServer | HttpServer> {
  if (over === 'memory') return overMemory(options);
  return over === 'stdio' ? overStdio(options) : overHttp(options);
}

/** One in this process that the tests of a file share; `ask` asks it. */
export function sharedServer(options: ServerOptions = {}): (() => TestServer) & { ask: Ask } {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await serverOver('memory', options);
  });
  const shared = () => server ?? expect.unreachable('the server is open within tests only');
  return Object.assign(shared, { ask: (...given: Parameters<Ask>) => shared().ask(...given) });
}

/** A sandbox that closes with the test or with the file; its clock stands still unless it is given one. */
export async function sandboxAt(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    now: () => now,
    quota: 10_000,
    ordersPerDay: 30,
    ...options,
  });
  return Object.assign(sandbox, { close: closeAfterwards(sandbox.close) });
}

/** Runs a statement that has to succeed. */
export async function runSql(
  { ask }: TestServer,
  sql: string,
  maxCalls?: number,
): Promise<ToolAnswer> {
  const reply = await ask('query', { sql, ...(maxCalls !== undefined && { max_calls: maxCalls }) });
  expect(reply.isError, reply.text).toBe(false);
  return reply;
}

/** Requests that reached a path of the sandbox while something was done. */
export async function requestsTo(
  { sandbox: { stats } }: TestServer,
  path: string,
  doing: () => Promise<unknown>,
): Promise<number> {
  const before = stats.byPath[path] ?? 0;
  await doing();
  return (stats.byPath[path] ?? 0) - before;
}

async function overMemory(options: ServerOptions) {
  const sandbox = options.sandbox ?? (await sandboxAt(options));
  const connection = await connectInMemory(sandbox, options);
  // As every client does before it calls.
  await connection.listTools();
  const ask: Ask = connection.call;
  return { ...connection, ask, sandbox };
}

/** Connects a client to a server in this process before a platform that is no sandbox, or broken. */
export async function connectInMemory(
  platform: Account,
  options: ServerOptions = {},
): Promise<NewConnection & { app: App }> {
  const app = await createApp(settingsOf(platform, { now: () => now, ...options }));
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await createServer(app).connect(far);
  const connection = await connectNew(transport, 'legacy');
  const close = closeAfterwards(async () => {
    await connection.close();
    await app.close();
  });
  return { ...connection, app, close };
}

async function overStdio({ client = 'the 2.x client', ...options }: StdioOptions) {
  const sandbox = options.sandbox ?? (await sandboxAt({ now: Date.now, ...options }));
  const settings = {
    ...account(sandbox, sandbox.keys[options.role ?? 'owner']),
    ...options.settings,
  };
  const printed: string[] = [];
  const connection = await connectAs(client, {
    command: process.execPath,
    args: [binary, 'stdio'],
    env: environment(settings),
    stderr: 'pipe',
    onPrinted: (text) => printed.push(text),
  });
  return {
    ...connection,
    ask: connection.call,
    sandbox,
    /** Takes what it has printed to stderr since last asked. */
    printed: () => printed.splice(0).join(''),
    close: closeAfterwards(connection.close),
  };
}

async function overHttp(options: HttpOptions) {
  const sandbox =
    options.sandbox ?? (await sandboxAt({ now: Date.now, ordersPerDay: 60, ...options }));
  const log: LogLine[] = [];
  const prepared = settingsOf(sandbox, {
    log: keepLog(log),
    ...options,
    settings: { COMMERCE_HTTP_PORT: '0', ...options.settings },
  });
  const app = await createApp(prepared);
  const closeApp = closeAfterwards(app.close);
  const serving = await serveOverHttp(singleApp(app), prepared.config, options.bounds);
  const { origin } = new URL(serving.url);
  return {
    sandbox,
    app,
    /** Of the protocol's endpoint. */
    url: serving.url,
    /** The same server without its path. */
    origin,
    log,
    /** The value of the first metric line that begins with this text; 0 while there is none. */
    async metric(beginning: string, headers: Record<string, string> = {}) {
      const text = await (await fetch(`${origin}/metrics`, { headers })).text();
      const line = text.split('\n').find((it) => it.startsWith(beginning));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
    close: closeAfterwards(async () => {
      await serving.close();
      await closeApp();
    }),
  };
}

/** What a server in this process is made of. */
function settingsOf({ baseUrl, authUrl, keys }: Account, options: ServerOptions) {
  const { role = 'owner', settings = {}, log = createLog('silent') } = options;
  const { now, runtime, describeWithinMs = 20_000, account: name, cacheFolder } = options;
  const account = { baseUrl, authUrl, ...(keys[role] ?? keys.owner) };
  return {
    config: readConfig({
      env: { COMMERCE_FILES_DIR: filesFolder, ...settings },
      fallback: account,
    }),
    source: 'sandbox' as const,
    ...engineFor(settings),
    log,
    describeWithinMs,
    cacheFolder,
    ...(now && { now }),
    ...(runtime && { runtime }),
    ...(name !== undefined && { account: name }),
  };
}

/** A log that keeps its lines. */
export function keepLog(lines: LogLine[]): Log {
  const write = (level: LogLine['level']) => (facts: Record<string, unknown>, message: string) =>
    void lines.push({ level, facts, message });
  const [debug, info, warn, error] = [write('debug'), write('info'), write('warn'), write('error')];
  return {
    debug,
    info,
    warn,
    error,
    audit: info,
    auditProblem: () => undefined,
    writes: () => true,
  };
}
