import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { binary, environment } from '../../spawn.ts';

/** The built server as users start it, over HTTP on a free port. */
export interface SpawnedServer {
  url: string;
  /** Everything printed so far, on both channels. */
  printed(): string;
  stdout(): string;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<number | null>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** Starts `commerce-mcp http` and waits until it serves. */
export async function spawnHttp(
  settings: Record<string, string>,
  args: readonly string[] = [],
): Promise<SpawnedServer> {
  const child = spawn(process.execPath, [binary, 'http', '--port', '0', ...args], {
    env: environment(settings),
  });
  const closed = once(child, 'close');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  const url = new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
      const served = /serves (http:\S+)/.exec(stderr)?.[1];
      if (served) resolve(served);
    });
    closed.then(() => reject(new Error(`the server ended: ${stderr}`)));
  });
  return {
    url: await url,
    printed: () => stdout + stderr,
    stdout: () => stdout,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
