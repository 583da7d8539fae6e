/** The built server before a platform that fails on demand, with a real client that times its calls. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  type CallOptions,
  type Connection,
  connectNewOver,
  type ToolAnswer,
} from '../mcp/clients.ts';
import { account, binary, environment } from '../mcp/spawn.ts';

/** A call that ends later than this has missed its deadline: the longest wait, four timeouts, some grace. */
export const deadlineMs = 2000 + 4 * 1000 + 750;

/** Short enough for a suite, long enough for two repeated attempts. */
export const patience = { COMMERCE_TIMEOUT_SECONDS: '1', COMMERCE_MAX_WAIT_SECONDS: '2' };

/** What a tool answered, and how long that took. */
export type TimedAnswer = ToolAnswer & { tookMs: number };

/** A server under trial. */
export interface Rehearsal {
  sandbox: Sandbox;
  connection: Connection;
  ask(tool: string, args?: JsonObject, options?: CallOptions): Promise<TimedAnswer>;
  /**
   * What must not have been said since last asked, to the client or on stderr: secrets, tokens,
   * failures of the server's own.
   */
  slips(): string[];
  close(): Promise<void>;
}

/** How the sandbox and the server should be. */
export interface RehearsalOptions extends SandboxOptions {
  settings?: Record<string, string>;
}

/** Spawns the server at its most talkative and connects to it. */
export async function openRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const { settings, ...wanted } = options;
  const sandbox = await startSandbox({ quota: 100_000, ...wanted });
  return rehearse(sandbox, settings);
}

/** The same before a sandbox that runs already; closes it in the end. */
export async function rehearse(
  sandbox: Sandbox,
  settings: Record<string, string> = {},
): Promise<Rehearsal> {
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
  const connection = await connectNewOver(transport, 'legacy');
  const said: string[] = [];
  return {
    sandbox,
    connection,
    async ask(tool, args = {}, callOptions = {}) {
      const startedMs = performance.now();
      const answer = await connection.call(tool, args, callOptions);
      said.push(JSON.stringify(answer));
      return { ...answer, tookMs: performance.now() - startedMs };
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
