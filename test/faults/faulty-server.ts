/** A server before a platform that fails on demand, with a real client, and an ear for what it lets slip. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';
import type { Log } from '../../src/mcp/telemetry/log.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  type CallOptions,
  type Connection,
  connectNewOver,
  type ToolAnswer,
} from '../mcp/clients.ts';
import { connectInMemory, goingOn, ordersPerDay } from '../mcp/in-memory-server.ts';
import { account, binary, environment } from '../mcp/spawn.ts';

/** Short enough for a suite, long enough for two repeated attempts. */
const patience = { COMMERCE_TIMEOUT_SECONDS: '1', COMMERCE_MAX_WAIT_SECONDS: '2' };

/** For what is to be answered, however busy the machine. */
export const patient = { COMMERCE_TIMEOUT_SECONDS: '25', COMMERCE_MAX_WAIT_SECONDS: '25' };

/** A server under trial. */
export interface FaultyServer {
  sandbox: Sandbox;
  connection: Connection;
  ask(tool: string, args?: JsonObject, options?: CallOptions): Promise<ToolAnswer>;
  /**
   * What must not have been said since last asked, to the client or in the log: secrets, tokens,
   * failures of the server's own.
   */
  slips(): string[];
  close(): Promise<void>;
}

/** How the sandbox and the server should be. */
export interface FaultyServerOptions extends SandboxOptions {
  settings?: Record<string, string>;
}

/** Tries a server of its own; whatever happened to it, it has let nothing slip. */
export async function withFaultyServer(
  options: FaultyServerOptions,
  trial: (server: FaultyServer) => Promise<void>,
): Promise<void> {
  const server = await openFaultyServer(options);
  try {
    await server.connection.listTools();
    await trial(server);
    expect(server.slips()).toEqual([]);
  } finally {
    await server.close();
  }
}

/** Opens one in this process, where the year is always the same. */
export async function openFaultyServer(options: FaultyServerOptions = {}): Promise<FaultyServer> {
  const { settings, ...wanted } = options;
  const sandbox = await startSandbox({ quota: 100_000, ordersPerDay, now: goingOn, ...wanted });
  const logged: string[] = [];
  const connection = await connectInMemory(sandbox, {
    settings: { ...patience, ...settings },
    log: keepLines(logged),
    now: goingOn,
  });
  return observe(sandbox, connection, logged);
}

/** Spawns the built one, at its most talkative. */
export async function spawnFaultyServer(options: FaultyServerOptions = {}): Promise<FaultyServer> {
  const { settings, ...wanted } = options;
  const sandbox = await startSandbox({ quota: 100_000, ...wanted });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, 'stdio'],
    env: environment({
      ...account(sandbox),
      ...patience,
      COMMERCE_LOG_LEVEL: 'trace',
      ...settings,
    }),
    stderr: 'pipe',
  });
  const logged: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => logged.push(chunk.toString()));
  return observe(sandbox, await connectNewOver(transport, 'legacy'), logged);
}

function observe(sandbox: Sandbox, connection: Connection, logged: string[]): FaultyServer {
  const said: string[] = [];
  return {
    sandbox,
    connection,
    async ask(tool, args = {}, callOptions = {}) {
      const answer = await connection.call(tool, args, callOptions);
      said.push(JSON.stringify(answer));
      return answer;
    },
    slips: () => {
      const printed = logged.splice(0);
      return [...leaks([...said.splice(0), ...printed], sandbox), ...failures(printed.join(''))];
    },
    async close() {
      await connection.close();
      await sandbox.close();
    },
  };
}

/** A log that keeps the lines of stderr. */
function keepLines(lines: string[]): Log {
  const write = (level: number) => (facts: Record<string, unknown>, msg: string) =>
    void lines.push(`${JSON.stringify({ ...facts, level, msg })}\n`);
  return {
    debug: write(20),
    info: write(30),
    warn: write(40),
    error: write(50),
    writes: () => true,
  };
}

/** The texts in which a secret or a token of the sandbox stands, in any of its forms. */
function leaks(texts: readonly string[], { keys }: Sandbox): string[] {
  const secrets = Object.values(keys).flatMap(({ clientId, clientSecret }) => [
    clientSecret,
    Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
  ]);
  return texts.filter((text) => ['sbx_', ...secrets].some((secret) => text.includes(secret)));
}

/** The lines of a log that tell of a failure of the server's own, or that no logger wrote. */
function failures(log: string): string[] {
  return log.split('\n').filter((line) => {
    if (line === '') return false;
    const entry = parseJson(line);
    return !isRecord(entry) || Number(entry.level) >= 50;
  });
}
