/** An analyst's desk: a sandbox with a fixed clock, the server before it, and a real MCP client. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { createApp } from '../../src/mcp/app/app.ts';
import { createServer } from '../../src/mcp/server/server.ts';
import { createLog } from '../../src/mcp/telemetry/log.ts';
import type { RoleName } from '../../src/sandbox/http/role.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** Friday 20 November 2026, half past three in the afternoon in Amsterdam. */
export const now = Date.parse('2026-11-20T15:30:00+01:00');

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

/** Calls a tool. */
export type Ask = (tool: string, input?: JsonObject) => Promise<Reply>;

/** The client, and the truth behind what it is told. */
export interface Desk {
  client: Client;
  sandbox: Sandbox;
  ask: Ask;
  close(): Promise<void>;
}

/** How the sandbox should be, and whose key the server holds. */
export interface DeskOptions extends SandboxOptions {
  /** @default 'owner', who sees everything */
  role?: RoleName;
}

/** Opens a desk for one test and clears it when the test is over. */
export async function openDeskHere(options: DeskOptions = {}): Promise<Desk> {
  const desk = await openDesk(options);
  onTestFinished(desk.close);
  return desk;
}

async function openDesk({
  role = 'owner',
  now: clock = () => now,
  ...options
}: DeskOptions): Promise<Desk> {
  const sandbox = await startSandbox({ now: clock, quota: 10_000, ...options });
  const { baseUrl, authUrl, keys } = sandbox;
  const app = createApp({
    config: readConfig({ env: {}, fallback: { baseUrl, authUrl, ...keys[role] } }),
    source: 'sandbox',
    version: '0.0.0',
    promptsFolder: 'prompts',
    log: createLog('silent'),
    now: clock,
  });
  const server = createServer(app);
  const client = new Client({ name: 'analyst', version: '0.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  // As every client does before it calls; by then the catalogue has completed itself.
  await client.listTools();
  return {
    client,
    sandbox,
    ask: (tool, input = {}) => ask(client, tool, input),
    async close() {
      await client.close();
      await app.close();
      await sandbox.close();
    },
  };
}

async function ask(client: Client, name: string, input: JsonObject): Promise<Reply> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const body = isRecord(structuredContent) ? structuredContent : {};
  return {
    text,
    isError: isError === true,
    body,
    rows: Array.isArray(body.data) ? body.data.filter(isRecord) : [],
    context: isRecord(body.context) ? body.context : {},
  };
}
