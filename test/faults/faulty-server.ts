/** A server before a platform that fails on demand, with a real client, and an ear for what it lets slip. */
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Connection } from '../clients.ts';
import {
  type Ask,
  goingOn,
  keepLog,
  type LogLine,
  type ServerOptions,
  serverOver,
} from '../server-over.ts';

/** What is slow on purpose runs into a deadline; whatever else is late is the fault of a busy machine. */
const patient = { COMMERCE_TIMEOUT_SECONDS: '25', COMMERCE_MAX_WAIT_SECONDS: '25' };
const hasty = { COMMERCE_TIMEOUT_SECONDS: '2', COMMERCE_MAX_WAIT_SECONDS: '4' };

/** The settings that suit a fault. */
export const patienceFor = (fault: string) => (/^slow/.test(fault) ? hasty : patient);

/** A server under trial. */
export interface FaultyServer extends Connection {
  sandbox: Sandbox;
  ask: Ask;
  /**
   * What must not have been said since last asked, to the client or in the log: secrets, tokens,
   * failures of the server's own.
   */
  slips(): string[];
}

/** Tries a server of its own; whatever happened to it, it has let nothing slip. */
export async function withFaultyServer(
  options: ServerOptions,
  trial: (server: FaultyServer) => Promise<void>,
  open = openFaultyServer,
): Promise<void> {
  const server = await open(options);
  try {
    await trial(server);
    expect(server.slips()).toEqual([]);
  } finally {
    await server.close();
  }
}

/** Opens one in this process, where the year is always the same. */
export async function openFaultyServer({
  settings,
  ...options
}: ServerOptions = {}): Promise<FaultyServer> {
  const log: LogLine[] = [];
  const own = { quota: 100_000, now: goingOn, log: keepLog(log) };
  const given = { ...own, ...options, settings: { ...patient, ...settings } };
  const server = await serverOver('memory', given);
  return observe(server, () => log.splice(0).map((line) => JSON.stringify(line)));
}

/** Spawns the built one, at its most talkative. */
export async function spawnFaultyServer({
  settings,
  ...options
}: ServerOptions = {}): Promise<FaultyServer> {
  const talkative = { ...patient, COMMERCE_LOG_LEVEL: 'trace', ...settings };
  const server = await serverOver('stdio', { quota: 100_000, ...options, settings: talkative });
  await server.listTools();
  return observe(server, () => server.printed().split('\n').filter(Boolean));
}

/** How a line of the log begins that tells of no failure of the server's own. */
const calm = /^\{"level":([1-4]0|"debug"|"info"|"warn"),/;

function observe(
  server: Connection & { sandbox: Sandbox; ask: Ask },
  logged: () => string[],
): FaultyServer {
  const said: string[] = [];
  const secrets = Object.values(server.sandbox.keys).flatMap(({ clientId, clientSecret }) => [
    clientSecret,
    Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
  ]);
  const hasLeaked = (text: string) => ['sbx_', ...secrets].some((secret) => text.includes(secret));
  return {
    ...server,
    async ask(...question) {
      const answer = await server.ask(...question);
      said.push(JSON.stringify(answer));
      return answer;
    },
    slips() {
      const lines = logged();
      return [
        ...[...said.splice(0), ...lines].filter(hasLeaked),
        ...lines.filter((line) => !calm.test(line)),
      ];
    },
  };
}
