import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { folderWith } from './setup/folder.ts';
import { freePort } from './setup/free-port.ts';

/** A Redis of a test's own that keeps nothing on disk. */
export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** Why tests that need a real Redis cannot run here; undefined when they can. */
export const missingRedis =
  spawnSync('redis-server', ['--version']).error &&
  'there is no redis-server on the PATH (Debian: apt-get install redis-server)';
if (missingRedis) console.warn(`Tests with a real Redis are skipped: ${missingRedis}`);

/** Starts `redis-server` on a free port. */
export async function startRedis() {
  const port = await freePort();
  const folder = folderWith();
  let child: ChildProcess | undefined;

  /** Starts it again, empty, at the same address. */
  async function start(): Promise<void> {
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    const started = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] });
    child = started;
    for await (const line of createInterface(started.stdout))
      if (line.includes('Ready to accept connections')) {
        started.stdout.resume();
        return;
      }
    throw new Error(`redis-server ended with ${started.exitCode}`);
  }

  /** Ends it at once, with all that it holds. */
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
    /** Lets it hang: connections stay, answers stop. */
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    close: kill,
  };
}
