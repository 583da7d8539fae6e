import { expect, onTestFinished, test } from 'vitest';
import { answerOf, columnsOf } from '../../../src/query/process/answer.ts';
import { Database } from '../../../src/query/process/database.ts';

test('a statement that is cut off leaves the next one all the memory', async () => {
  const database = await Database.open(64, 1);
  onTestFinished(() => database.close());
  await database.begin();
  const sql =
    'SELECT a.range, b.range FROM range(1000) a, range(100000) b ORDER BY ALL LIMIT 50000';
  const columns = await columnsOf(database, sql);
  const { more } = await answerOf(database, sql, columns, { maxRows: 10, maxBytes: 1e6 });
  await database.end();
  const used = await database.rows('SELECT sum(memory_usage_bytes)::INTEGER FROM duckdb_memory()');
  expect({ more, used }).toEqual({ more: true, used: [[0]] });
});
