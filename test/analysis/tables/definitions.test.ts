import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hinted } from '../../query-engine.ts';
import { lastMonth, sumOf, turnover } from '../../sandbox/world/truth.ts';
import { describedAs, runSql, serverOver, sharedServer } from '../../server-over.ts';

const shipped = 'definitions';

// Views and what is asked of them are right statements.
beforeEach(() => {
  hinted.length = 0;
});
afterEach(() => expect(hinted).toEqual([]));

/** A folder with these files. */
function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'definitions-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

describe.each(describedAs)(
  'the views that are shipped, where openapi.json is %s,',
  (description) => {
    const server = sharedServer({ description, settings: { COMMERCE_DEFINITIONS: shipped } });

    test.each(['regulars', 'net_turnover', 'slow_movers'])(
      '%s is as the documentation shows it, and has rows',
      async (name) => {
        const sql = readFileSync(join(shipped, 'views', `${name}.sql`), 'utf8');
        expect(readFileSync('docs/definitions.md', 'utf8')).toContain(sql);
        const { rows } = await runSql(server(), `FROM ${name}(period := '2026-11-18')`);
        expect(rows.length).toBeGreaterThan(0);
      },
    );

    test('regulars counts who ordered so often', async () => {
      const { rows } = await runSql(
        server(),
        "SELECT count(*) AS n, sum(orders) AS orders FROM regulars(period := '2026-10-01..2026-10-31', at_least := 5)",
      );
      const counts = new Map<number, number>();
      for (const { relationId } of server().sandbox.world.orders('2026-10-01', '2026-10-31'))
        counts.set(relationId, (counts.get(relationId) ?? 0) + 1);
      const often = [...counts.values()].filter((count) => count >= 5);
      expect(rows).toEqual([{ n: often.length, orders: sumOf(often, (count) => count) }]);
    });

    test('net_turnover is what the books say of each shop', async () => {
      const { rows } = await runSql(
        server(),
        "SELECT shop_id, net_turnover_ex FROM net_turnover(period := 'last_month') ORDER BY shop_id",
      );
      const { world } = server().sandbox;
      const truth = world.shops.map(({ id }) => {
        const orders = world.orders(...lastMonth, { shopIds: [id] });
        return { shop_id: id, net_turnover_ex: turnover(orders).ex };
      });
      expect(rows).toEqual(truth);
    });

    test('a table of the business joins with the platform’s', async () => {
      const { rows } = await runSql(
        server(),
        'SELECT count(*) AS n, sum(t.target_wt) AS target FROM targets t JOIN shops s ON s.id = t.shop_id',
      );
      expect(rows).toEqual([{ n: 5, target: 3800 }]);
    });

    test('stand first in the list of tables, with parameters and columns', async () => {
      const { rows } = await runSql(server(), 'FROM tables LIMIT 4');
      expect(rows.map(({ name }) => name)).toEqual([
        'net_turnover',
        'regulars',
        'slow_movers',
        'targets',
      ]);
      expect(rows[1]).toMatchObject({
        arguments: "period = 'last_quarter'; at_least = 3",
        columns: 'customer_id, orders, spent_wt, last_day',
      });
    });

    test('cost as their parts do', async () => {
      const folder = folderOf({
        'views/pieces.sql': `-- parameter period = yesterday
        SELECT count(*) AS lines FROM list_orders(period := period) o,
          list_order_items(order_id := o.id)`,
      });
      const own = await serverOver('memory', { settings: { COMMERCE_DEFINITIONS: folder } });
      const { isError, text } = await own.ask('query', {
        sql: "FROM pieces(period := '2026-10-01..2026-10-31')",
        max_calls: 50,
      });
      expect(isError).toBe(true);
      expect(text).toContain('list_order_items');
      expect(text).toContain('max_calls is 50');
    });

    test('are there only for callers with all their tools', async () => {
      const settings = { COMMERCE_DEFINITIONS: shipped, COMMERCE_TOOLSETS: 'catalog,analysis' };
      const fenced = await serverOver('memory', { settings });
      const { isError, text } = await fenced.ask('query', { sql: 'FROM regulars' });
      expect(isError).toBe(true);
      expect(text).toContain('no table "regulars"');
      const { rows } = await runSql(fenced, 'SELECT name FROM tables');
      expect(rows.map(({ name }) => name)).not.toContain('regulars');
    });
  },
);

test('a broken file is named with line and reason; the others work', async () => {
  const folder = folderOf({
    'views/good.sql': '-- parameter least = 2\nSELECT id FROM shops WHERE id >= least',
    'views/on_top.sql': 'SELECT count(*) AS n FROM good(least := 3)',
    'views/wrong.sql': '-- About shops\nSELECT id\nFROM shps',
    'views/unclear.sql': 'SELECT id FROM\n  shops WHERE WHERE',
    'views/list_orders.sql': 'SELECT 1 AS one',
    'views/writes.sql': 'DELETE FROM shops',
    'views/needs.sql': 'SELECT id, omzet_wt FROM list_orders()',
    'tables/codes.csv': '# Our codes\nsku;price\n007;1,50\n',
  });
  const own = await serverOver('memory', { settings: { COMMERCE_DEFINITIONS: folder } });
  const { rows } = await runSql(own, 'SELECT name, holds FROM tables');
  const said = new Map(rows.map(({ name, holds }) => [name, holds]));
  expect(said.get('views/wrong.sql')).toMatch(/broken at line 2: .*no table "shps"; did you mean/);
  expect(said.get('views/unclear.sql')).toMatch(/broken at line 2: /);
  expect(said.get('views/list_orders.sql')).toContain('There is a table list_orders already');
  expect(said.get('views/writes.sql')).toContain('DELETE');
  expect(said.get('views/needs.sql')).toMatch(/no column "omzet_wt".*list_orders has id/);
  expect((await runSql(own, 'FROM on_top')).rows).toEqual([
    { n: own.sandbox.world.shops.filter(({ id }) => id >= 3).length },
  ]);
  expect((await runSql(own, 'SELECT sku FROM codes')).rows).toEqual([{ sku: '007' }]);
});

test('a server reads its definitions when it starts, and logs what is wrong with them', async () => {
  const folder = folderOf({ 'views/wrong.sql': 'SELECT id FROM shps' });
  const { log } = await serverOver('http', { settings: { COMMERCE_DEFINITIONS: folder } });
  const said = { level: 'warn', message: 'a definition was left out' };
  await expect.poll(() => log).toContainEqual(expect.objectContaining(said));
});

test('a statement that is the first to read them logs it too', async () => {
  const folder = folderOf({ 'views/wrong.sql': 'SELECT id FROM shps' });
  const lines: string[] = [];
  const note = (_: unknown, message: string) => void lines.push(message);
  const log = { debug: note, info: note, warn: note, error: note, writes: () => false };
  const own = await serverOver('memory', { log, settings: { COMMERCE_DEFINITIONS: folder } });
  await runSql(own, 'SELECT 1 AS one');
  expect(lines).toContain('a definition was left out');
});
