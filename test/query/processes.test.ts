import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { queueMessages } from '../../src/core/fair-queue.ts';
import { QueryEngine } from '../../src/query/engine.ts';
import type { TableProvider } from '../../src/query/provider.ts';
import { reasonOf } from '../reasons.ts';
import { folderWith } from '../setup/folder.ts';
import { fakeProvider, runSql } from './fake-tables.ts';

const engines: QueryEngine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

function start(options: ConstructorParameters<typeof QueryEngine>[0] = {}): QueryEngine {
  const engine = new QueryEngine({ atOnce: 1, threads: 1, ...options });
  engines.push(engine);
  return engine;
}

function ask(engine: QueryEngine, sql: string, caller = 'a', { signal } = new AbortController()) {
  return runSql(sql, { engine, caller, maxRows: 10, signal });
}

const endless =
  'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7';

/** Looks again until it holds: what happens in another process is not ours to time. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('statements of one turn run before those who wait behind it, and each fails for itself', async () => {
  const engine = start();
  const done: string[] = [];
  const { signal } = new AbortController();
  const own = ['SELECT 1 AS n', 'SELECT nothing', 'SELECT 3 AS n'].map((sql) => {
    return { sql, maxRows: 10, provider: fakeProvider() };
  });
  const inOneTurn = engine.runInOneTurn(own, { caller: 'a', signal });
  const other = ask(engine, 'SELECT 2 AS n', 'b').then(() => done.push('b'));
  const results = await inOneTurn;
  expect(done).toEqual([]);
  expect(results).toMatchObject([
    { status: 'fulfilled', value: { rows: [{ n: 1 }] } },
    { status: 'rejected', reason: { reason: { code: 'unknown_column' } } },
    { status: 'fulfilled', value: { rows: [{ n: 3 }] } },
  ]);
  await other;
});

test('the rows of an answer are held by nobody but who asked', async () => {
  const engine = start({ idleMs: 600_000 });
  const rowsOf = async (sql: string) => new WeakRef((await ask(engine, sql)).rows);
  const held = await rowsOf('SELECT range AS n FROM range(5)');
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await vi.waitFor(() => {
    collect();
    // Not the rows themselves: the failed assertion would hold them.
    expect(held.deref() === undefined).toBe(true);
  });
});

describe('the process', () => {
  test('killed in the middle is one error, and the next statement is right', async () => {
    const engine = start();
    expect(engine.processIds()).toEqual([]);
    await ask(engine, 'SELECT 1');
    const running = ask(engine, endless);
    const [pid = 0, ...others] = engine.processIds();
    expect(others).toEqual([]);
    setImmediate(() => process.kill(pid, 'SIGKILL'));
    await expect(running).rejects.toThrow(reasonOf({ code: 'engine_stopped' }));
    expect((await ask(engine, 'SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
    expect(engine.processIds()).not.toContain(pid);
  });

  test('that falls takes no other statement with it', async () => {
    const engine = start({ atOnce: 2 });
    const running = ask(engine, endless, 'a');
    await until(() => engine.processIds().length === 1);
    const [pid = 0] = engine.processIds();
    const other = ask(engine, 'SELECT count(*) AS n FROM range(1000000)', 'b');
    process.kill(pid, 'SIGKILL');
    await expect(running).rejects.toThrow(reasonOf({ code: 'engine_stopped' }));
    expect((await other).rows).toEqual([{ n: 1_000_000 }]);
  });

  test('ends after its idle time', async () => {
    const engine = start({ idleMs: 1 });
    await ask(engine, 'SELECT 1');
    await until(() => engine.processIds().length === 0);
    expect((await ask(engine, 'SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  });

  test('knows nothing of the environment', async () => {
    vi.stubEnv('COMMERCE_CLIENT_SECRET', 'hush');
    onTestFinished(() => void vi.unstubAllEnvs());
    const engine = start();
    await ask(engine, 'SELECT 1');
    const [pid] = engine.processIds();
    if (process.platform !== 'linux') return;
    const { readFile } = await import('node:fs/promises');
    const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).match(/[A-Z_]+(?==)/g);
    expect(names?.toSorted()).toEqual(['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'TZ']);
  });

  test('that cannot be started is said to be unavailable', async () => {
    const missing = new QueryEngine({ entry: '/nowhere/query-engine.js' });
    engines.push(missing);
    await expect(ask(missing, 'SELECT 1')).rejects.toThrow(reasonOf({ code: 'engine_not_loaded' }));
  });

  test('that was taken over says nothing that acts on a reader, nor at any length', async () => {
    const reason = { code: 'engine_failed', text: `a\n# b${'x'.repeat(20_000)}` };
    const reply = { kind: 'failed', code: 'bad_input', reason };
    const folder = folderWith({
      'engine.cjs': `process.send('ready'); process.on('message', () => process.send(${JSON.stringify({ reply, isSpent: false })}));`,
    });
    const error = await ask(start({ entry: join(folder, 'engine.cjs') }), '').catch((it) => it);
    expect(error.reason.text).toMatch(/^a\\n# bx{9000,9999}$/);
  });
});

describe('a statement', () => {
  /** One for those that leave its process as it was. */
  const shared = new QueryEngine({ atOnce: 1, threads: 1, maxBytes: 1000 });
  /** One for answers of many rows. */
  const wide = { engine: new QueryEngine({ atOnce: 1, threads: 1 }), maxRows: 100_000 };
  afterAll(() => Promise.all([shared.close(), wide.engine.close()]));

  test('that is cancelled ends, and the next one is right', async () => {
    const cancel = new AbortController();
    const running = ask(shared, endless, 'a', cancel);
    setImmediate(() => cancel.abort());
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect((await ask(shared, 'SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  });

  test('that is out of time ends, and the next one is right', async () => {
    // The first statement of a process may take a busy machine a second.
    const engine = start({ seconds: 2 });
    await expect(ask(engine, endless)).rejects.toThrow(
      reasonOf({ code: 'out_of_time', seconds: 2 }),
    );
    expect((await ask(engine, 'SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  });

  test('is refused where too many wait, those of one caller first', async () => {
    const engine = start({ maxWaiting: 4 });
    const cancel = new AbortController();
    const running = ask(engine, endless, 'a', cancel).catch(() => {});
    const waiting = Array.from({ length: 3 }, () => ask(engine, 'SELECT 1', 'a'));
    await expect(ask(engine, 'SELECT 1', 'a')).rejects.toThrow(
      reasonOf({
        code: 'engine_busy',
        why: queueMessages.too_many_waiting({ max: 3, isOfCaller: true }).text,
      }),
    );
    const other = ask(engine, 'SELECT 2 AS two', 'b');
    await expect(ask(engine, 'SELECT 1', 'c')).rejects.toMatchObject({ code: 'overloaded' });
    cancel.abort();
    await running;
    expect((await other).rows).toEqual([{ two: 2 }]);
    expect(await Promise.all(waiting)).toHaveLength(3);
  });

  test('holds no place while its tables are read', async () => {
    let answer = () => {};
    const slow: TableProvider = {
      ...fakeProvider(),
      load: (...needed) =>
        new Promise((resolve) => {
          answer = () => resolve(fakeProvider().load(...needed));
        }),
    };
    const waiting = runSql('SELECT count(*) AS n FROM shops', { engine: shared, provider: slow });
    expect((await ask(shared, 'SELECT 1 AS one', 'b')).rows).toEqual([{ one: 1 }]);
    await until(() => answer.toString() !== '() => {}');
    answer();
    expect((await waiting).rows).toEqual([{ n: 3 }]);
  });

  test('whose row is larger than an answer says so, one of many rows is cut', async () => {
    await expect(ask(shared, "SELECT repeat('x', 2000)")).rejects.toThrow(
      reasonOf({ code: 'row_too_large' }),
    );
    const { rows, more } = await ask(shared, "SELECT repeat('x', 400) AS x FROM range(5)");
    expect({ rows: rows.length, more }).toEqual({ rows: 2, more: true });
  });

  test.each([
    'SELECT range(100) AS x FROM range(100000)',
    `SELECT ('{"k'||i||'":1}')::JSON AS x FROM range(1001) t(i)`,
    "SELECT (repeat('[', 51) || repeat(']', 51))::JSON AS x",
  ])('whose answer would keep the server busy is refused, with what to select: %s', async (sql) => {
    await expect(runSql(sql, wide)).rejects.toThrow(reasonOf({ code: 'too_much_nested' }));
  });

  test('whose lists lie fifty deep, with brackets in their texts, is answered', async () => {
    const sql = `SELECT (repeat('[', 50) || '"[{"' || repeat(']', 50))::JSON AS x`;
    expect((await runSql(sql, wide)).rows).toHaveLength(1);
  });

  test('with more than a million cells is cut, whole rows in their order', async () => {
    const columns = Array.from({ length: 20 }, (_, of) => `i + ${of} AS c${of}`);
    const sql = `SELECT ${columns} FROM range(60000) t(i)`;
    const { rows, more } = await runSql(sql, wide);
    expect({ rows: rows.length, more }).toEqual({ rows: 50_000, more: true });
    expect(rows.every(({ c0, c19 }, index) => c0 === index && c19 === index + 19)).toBe(true);
  });

  test('holds its place until its rows are read', async () => {
    const ended: string[] = [];
    const sql = "SELECT i, repeat('x', 200) AS t FROM range(100000) t(i)";
    await Promise.all(
      ['a', 'b'].map(async (caller) => {
        const { rows } = await runSql(sql, { ...wide, caller });
        expect(rows).toHaveLength(100_000);
        ended.push(caller);
        expect(wide.engine.processIds().length).toBeLessThanOrEqual(1);
      }),
    );
    expect(ended).toEqual(['a', 'b']);
  });

  test.runIf(process.platform === 'linux')(
    'leaves the next one a process that holds little, however much text it gave',
    async () => {
      const { readFile } = await import('node:fs/promises');
      const sql = "SELECT repeat('€', 100) AS t, repeat('€', 100) AS u FROM range(100000)";
      for (let turn = 0; turn < 3; turn++) {
        await runSql(sql, wide);
        for (const pid of wide.engine.processIds()) {
          const [, kilobytes] =
            /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
          expect(Number(kilobytes) / 1024).toBeLessThan(300);
        }
      }
    },
  );
});
