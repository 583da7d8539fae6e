/** A server before a platform that fails on demand, with a real client, and an ear for what it lets slip. */
import { expect } from 'vitest';
import type { Runtime } from '../../src/client/transport/runtime.ts';
import {
  goingOn,
  keepLog,
  type LogLine,
  type ServerOptions,
  serverOver,
  type TestServer,
} from '../server-over.ts';

/** What is slow on purpose runs into a deadline; whatever else is late is the fault of a busy machine. */
const patient = { COMMERCE_TIMEOUT_SECONDS: '25', COMMERCE_MAX_WAIT_SECONDS: '25' };
const hasty = { COMMERCE_TIMEOUT_SECONDS: '2', COMMERCE_MAX_WAIT_SECONDS: '4' };

const isSlow = (fault: string) => /^slow/.test(fault);

/** The settings that suit a fault. */
export const patienceFor = (fault: string) => (isSlow(fault) ? hasty : patient);

/**
 * The shortest waits between attempts, cut short: how long they are is told on a fake clock
 * (client/request/attempts.test.ts).
 * @param part of all longer waits and deadlines that they take
 */
export function hurried(part = () => 1): Partial<Runtime> {
  return {
    random: () => 0,
    alarm(ms, ring) {
      const timer = setTimeout(ring, ms * (ms < 2000 ? 0.1 : part()));
      return () => clearTimeout(timer);
    },
  };
}

/** A server under trial. */
export interface FaultyServer extends TestServer {
  /**
   * What must not have been said since last asked, to the client or in the log: secrets, tokens,
   * failures of the server's own.
   */
  slips(): string[];
  /** From now on deadlines take a tenth of their time where this fault is a slow one: they pass anyway. */
  hurry(fault?: string): void;
}

/** Tries a server of its own; whatever happened to it, it has let nothing slip. */
export async function withFaultyServer(
  options: ServerOptions,
  trial: (server: FaultyServer) => Promise<void>,
): Promise<void> {
  const server = await openFaultyServer(options);
  try {
    await trial(server);
    expect(server.slips()).toEqual([]);
  } finally {
    await server.close();
  }
}

/** Opens one, at its most talkative, where the year is always the same. */
export async function openFaultyServer({
  settings,
  ...options
}: ServerOptions = {}): Promise<FaultyServer> {
  const log: LogLine[] = [];
  let part = 1;
  const server = await serverOver('memory', {
    quota: 100_000,
    now: goingOn,
    log: keepLog(log),
    runtime: hurried(() => part),
    ...options,
    settings: { ...patient, ...settings },
  });
  const answers: string[] = [];
  const secrets = Object.values(server.sandbox.keys).flatMap(({ clientId, clientSecret }) => [
    clientSecret,
    Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
  ]);
  return {
    ...server,
    async ask(...question) {
      const answer = await server.ask(...question);
      answers.push(JSON.stringify(answer));
      return answer;
    },
    hurry(fault = '') {
      part = isSlow(fault) ? 0.1 : 1;
    },
    slips() {
      const lines = log.splice(0);
      const failures = lines.filter(({ level }) => level === 'error');
      const texts = [...answers.splice(0), ...lines.map((line) => JSON.stringify(line))];
      const leaks = texts.filter((text) => ['sbx_', ...secrets].some((it) => text.includes(it)));
      return [...leaks, ...failures.map(({ message }) => message)];
    },
  };
}
