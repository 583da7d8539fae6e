/** A server before a platform that fails on demand, with a real client, and an ear for what it lets slip. */
import { expect } from 'vitest';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { CallOptions, Connection, ToolAnswer } from '../clients.ts';
import { goingOn, keepLog, type LogLine, type ServerOptions, serverOver } from '../server-over.ts';

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

/** Tries a server of its own; whatever happened to it, it has let nothing slip. */
export async function withFaultyServer(
  options: ServerOptions,
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
export async function openFaultyServer(options: ServerOptions = {}): Promise<FaultyServer> {
  const lines: LogLine[] = [];
  const server = await serverOver('memory', {
    quota: 100_000,
    now: goingOn,
    log: keepLog(lines),
    ...options,
    settings: { ...patience, ...options.settings },
  });
  const asEntry = ({ level, ...line }: LogLine) => ({
    ...line,
    level: level === 'error' ? 50 : 20,
  });
  const asText = (line: LogLine) => JSON.stringify(asEntry(line));
  return observe(server, () => lines.splice(0).map(asText).join('\n'));
}

/** Spawns the built one, at its most talkative. */
export async function spawnFaultyServer(options: ServerOptions = {}): Promise<FaultyServer> {
  const server = await serverOver('stdio', {
    quota: 100_000,
    ...options,
    settings: { ...patience, COMMERCE_LOG_LEVEL: 'trace', ...options.settings },
  });
  return observe(server, server.printed);
}

function observe(
  server: Connection & { sandbox: Sandbox },
  printedSince: () => string,
): FaultyServer {
  const { sandbox } = server;
  const said: string[] = [];
  return {
    sandbox,
    connection: server,
    async ask(tool, args = {}, callOptions = {}) {
      const answer = await server.call(tool, args, callOptions);
      said.push(JSON.stringify(answer));
      return answer;
    },
    slips: () => {
      const printed = printedSince();
      return [...leaks([...said.splice(0), printed], sandbox), ...failures(printed)];
    },
    close: server.close,
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
