/** What becomes of a server's processes when it ends, or says nothing any more. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtFile } from '../../../src/core/files.ts';
import { type RawServer, spawnServer } from '../../spawn.ts';

const recursion =
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r';

/** Statements without end. */
const endless = [
  'SELECT sum(a.range * b.range) FROM range(100000) a, range(100000000) b',
  recursion,
  'SELECT count(*) FROM range(3000000) a JOIN range(3000000) b ON a.range % 3 = b.range % 3',
  "SELECT count(*) FROM range(100000000) r, list_orders(period := 'today', shop_id := r.range)",
];

/** What nobody catches, on a signal. */
const failing = `--import=data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error))})`;

/** How a server ends, and the statements that its engines compute meanwhile, two at a time at most. */
const endings: [way: string, statements: number[], end: (server: RawServer) => void][] = [
  // A server that is killed can do nothing about it; one statement shows the rest.
  ['SIGKILL', [0, 1], ({ signal }) => signal('SIGKILL')],
  ['SIGKILL', [2, 3], ({ signal }) => signal('SIGKILL')],
  ['SIGTERM', [1], ({ signal }) => signal('SIGTERM')],
  ['SIGINT', [2], ({ signal }) => signal('SIGINT')],
  ['its closed standard input', [3], ({ end }) => end()],
  ['an error that nobody catches', [0], ({ signal }) => signal('SIGUSR2')],
];

/** A file of a process, or nothing where it has gone. */
function processFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** The engines of a server; others of this run have parents of their own. */
function enginesOf(server: number | undefined): string[] {
  const entry = builtFile('query-engine.js') ?? '';
  return readdirSync('/proc').filter(
    (pid) => statusOf(pid)[1] === String(server) && processFile(pid, 'cmdline').includes(entry),
  );
}

/** What the kernel says of a process, from its state on. */
function statusOf(pid: string): string[] {
  return processFile(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
}

/** Hundredths of a second for which a process has computed. */
function computed(pid: string): number {
  const fields = statusOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

describe.runIf(process.platform === 'linux')('engines end with their server', () => {
  test.each(endings)(
    'by %s, while they compute statements %j',
    async (_, statements, end) => {
      const server = spawnServer(undefined, { NODE_OPTIONS: failing });
      onTestFinished(() => server.signal('SIGKILL'));
      await server.initialize();
      for (const at of statements)
        server.call(at + 1, 'query', { sql: endless[at], max_calls: 100_000 });
      // Starting takes an engine less.
      const computing = () => enginesOf(server.pid).filter((pid) => computed(pid) > 80);
      await expect.poll(computing, { timeout: 60_000 }).toHaveLength(statements.length);
      const engines = computing();
      end(server);
      await server.ended;
      const left = () => engines.filter((pid) => processFile(pid, 'cmdline') !== '');
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    },
    120_000,
  );
});

/** How a process ends that ended itself at once. */
const killed = process.platform === 'win32' ? [1, null] : [null, 'SIGKILL'];

describe('a child process', () => {
  const start = (name: string, args: readonly string[]) => {
    const entry = builtFile(name) ?? expect.unreachable();
    const child = fork(entry, args, { serialization: 'advanced', stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const engineArgs = ['64', '1', '576'];

  test.each([
    ['query-engine.js', engineArgs],
    ['order-lines.js', ['/nowhere', '', '1']],
  ])('%s waits for nothing when its server has gone', async (name, args) => {
    const child = start(name, args);
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual(killed);
  });

  test('ends by itself a little after its limit, where the server does nothing about it', async () => {
    const child = start('query-engine.js', engineArgs);
    await once(child, 'message');
    const bounds = { maxRows: 1, maxBytes: 1000, nowMs: 0, tables: new Map(), loaded: new Map() };
    child.send({ command: { sql: recursion, ...bounds }, limitMs: 1 });
    expect(await once(child, 'exit')).toEqual(killed);
  });
});
