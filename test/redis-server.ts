import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis of a test's own, in a folder of its own, that keeps nothing on disk. */
export interface RedisServer {
  url: string;
  /** Ends it at once, with all that it holds. */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  start(): Promise<void>;
  /** Lets it hang: connections stay, answers stop. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Why tests that need a real Redis cannot run here; undefined when they can. */
export const missingRedis = findRedis();
if (missingRedis) console.warn(`Tests with a real Redis are skipped: ${missingRedis}`);

/** Starts `redis-server` on a free port. */
export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    child = spawn('redis-server', settings, { stdio: 'ignore' });
    await untilListening(port, child);
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async close() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

function findRedis(): string | undefined {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no redis-server on the PATH (Debian: apt-get install redis-server)';
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = createConnection(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`redis-server ended with ${child.exitCode}`);
}
