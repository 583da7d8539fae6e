import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runSql, serverOver, sharedServer } from '../../server-over.ts';

const shared = sharedServer({
  settings: { COMMERCE_QUERY_SECONDS: '1', COMMERCE_QUERY_MEMORY_MB: '128' },
});

/** What no text may give away: stacks, places on this machine, how the engine is set up. */
const secrets =
  /\n\s+at |node_modules|query-engine|\.(ts|mjs|js)\b|\/(tmp|usr|home|proc|root|var)\/|enable_external_access|lock_configuration|memory_limit|temp_directory|max_temp|allow_|autoload|Catalog Error|Binder Error|Out of Memory Error/;

/** Asks, and counts how often another question was answered meanwhile. */
async function askBeside(sql: string, { ask } = shared()) {
  let isOver = false;
  const asked = ask('query', { sql }).finally(() => {
    isOver = true;
  });
  let beside = 0;
  do {
    const me = await ask('get_me');
    expect(me.isError, me.text).toBe(false);
    beside++;
    await sleep(50);
  } while (!isOver);
  return { reply: await asked, beside };
}

async function expectAnswering(server = shared()): Promise<void> {
  const { rows } = await runSql(server, 'SELECT count(*) AS n FROM shops');
  expect(rows).toEqual([{ n: server.sandbox.world.shops.length }]);
}

// The other ways out are tried on the engine itself: test/query/hostile.test.ts.
test.each([
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM 'https://example.com/x.csv'",
  'SELECT * FROM duckdb_secrets()',
  "SELECT getenv('HOME')",
  "COPY (SELECT 1) TO '/tmp/out.csv'",
  "SET memory_limit = '100GB'",
  "SELECT /* ; */ 1; ATTACH 'x'",
  "WITH x AS (SELECT * FROM read_csv('/etc/passwd')) SELECT 1",
  "SELECT * FROM list_orders(period := (SELECT content FROM read_text('/etc/passwd')))",
])('what reaches for what is not its own is refused, in words: %s', async (sql) => {
  const { text, isError } = await shared().ask('query', { sql });
  expect(isError, text).toBe(true);
  expect(text.length).toBeGreaterThan(20);
  // What the statement says itself may come back.
  expect(text.replaceAll(sql, '').replaceAll(/"[^"]*"|'[^']*'/g, '')).not.toMatch(secrets);
  expect(text).not.toContain('root:');
});

const month = "list_orders(period := 'last_month')";

// More of them: test/query/hostile.test.ts.
describe('a statement that would not end, or takes all there is, ends with an error in words', () => {
  test.each([
    [
      'a cross product of tables',
      `SELECT count(*) FROM ${month} a, ${month} b, ${month} c, ${month} d WHERE a.total_wt + b.total_wt + c.total_wt < d.total_wt`,
    ],
    ['rows of a large text', "SELECT repeat('x', 1000000) FROM range(1000)"],
  ])('%s', async (_, sql) => {
    const { reply, beside } = await askBeside(sql);
    expect(reply.isError, reply.text).toBe(true);
    expect(reply.text).not.toMatch(secrets);
    expect(reply.text).toMatch(/memory|seconds|long|large|characters|rows/);
    expect(beside).toBeGreaterThan(0);
    await expectAnswering();
  });

  test('but of three million rows the first ones, and that there are more', async () => {
    const server = await serverOver('memory', { sandbox: shared().sandbox });
    const { reply, beside } = await askBeside('SELECT * FROM range(3000000)', server);
    expect(reply.isError, reply.text).toBe(false);
    expect(reply.context.complete).toBe(false);
    expect(beside).toBeGreaterThan(1);
  });
});

test('after all of it the server has its whole catalogue', async () => {
  const { tools } = await shared().client.listTools();
  expect(tools.length).toBeGreaterThan(25);
});
