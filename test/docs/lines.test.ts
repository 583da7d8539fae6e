import { readFile } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { runHere } from '../cli/run-here.ts';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { account } from '../spawn.ts';

test('the statement for DuckDB gives what was sold, as it stands', async () => {
  const folder = folderWith();
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 20, quota: 1_000_000 });
  const settings = { ...account(sandbox), COMMERCE_KEEP_DIR: folder };
  const { code, stderr } = await runHere(['fill', 'last_3_days', '--share', '100'], settings);
  expect(code, stderr).toBe(0);

  const text = await readFile('docs/lines.md', 'utf8');
  const [, sql = ''] = /in DuckDB:\n\n```sql\n(.*?)```/s.exec(text) ?? [];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll(sql.replaceAll('FOLDER', folder));
  connection.closeSync();
  instance.closeSync();

  const asked = `SELECT title, count(DISTINCT order_id) AS orders, sum(quantity) AS pieces
    FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'last_3_days')))
    WHERE kind = 'product' GROUP BY ALL ORDER BY orders DESC, title LIMIT 10`;
  const { stdout } = await runHere(['query', asked, '--json'], settings);
  const numbers = rows.getRowObjectsJS().map(({ title, orders, pieces }) => ({
    title,
    orders: Number(orders),
    pieces: Number(pieces),
  }));
  expect(numbers).toHaveLength(10);
  expect(JSON.parse(stdout).data).toEqual(numbers);
});
