import { afterAll, describe, expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../../../src/core/json.ts';
import { openDatabase } from '../../../../src/query/process/duckdb.ts';
import { readTree } from '../../../../src/query/read-tree.ts';
import {
  parseLossless,
  stringifyLossless,
} from '../../../../src/query/statement/tree/lossless-json.ts';
import { isSameStatement, makeWritable } from '../../../../src/query/statement/tree/round-trip.ts';
import { type Node, statementOf } from '../../../../src/query/statement/tree/tree.ts';

const database = await openDatabase({ memoryMb: 128, threads: 1 });
afterAll(() => database.close());

async function serialised(sql: string): Promise<string> {
  const [text = ''] = await database.texts(
    'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true)',
    sql,
  );
  return text;
}

async function there(query: Node): Promise<JsonObject> {
  const [sql = ''] = await database.texts(
    'SELECT json_deserialize_sql($1::JSON)',
    stringifyLossless(statementOf(query)),
  );
  const tree = parseLossless(await serialised(sql));
  return isRecord(tree) ? tree : {};
}

describe('a statement written back is the same', () => {
  test.each([
    'SELECT * FROM a, b LEFT JOIN c ON a.x = c.x',
    'SELECT * FROM a CROSS JOIN b ASOF JOIN c ON a.x >= c.x',
    'SELECT * FROM a JOIN (b LEFT JOIN c ON b.x = c.x) ON a.x = b.x',
    'SELECT * FROM a LEFT JOIN (b CROSS JOIN c) ON true',
    'SELECT * FROM a NATURAL JOIN b, c POSITIONAL JOIN d SEMI JOIN e USING (x)',
    'SELECT 1e10, 1.5e-7, -0.5, 9007199254740993, 170141183460469231731687303715884105727',
    "FROM (VALUES (1, 'a'), (2, 'b')) v(a, b)",
    'SELECT a FROM t WHERE x = 1 AND (y = 2 AND z = 3) AND NOT (p OR q)',
    'SELECT sum(x) FILTER (WHERE y) OVER (PARTITION BY z ORDER BY q DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t QUALIFY true',
    "SELECT * EXCLUDE (a) REPLACE (b + 1 AS b), COLUMNS('x.*') FROM t GROUP BY ALL ORDER BY ALL",
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) FROM r',
    'WITH a AS MATERIALIZED (SELECT 1) SELECT (SELECT max(x) FROM b WHERE b.y = a.y) FROM a',
    'SELECT x FROM a UNION BY NAME (SELECT y FROM b ORDER BY y LIMIT 1) EXCEPT SELECT 1',
    'SELECT DISTINCT ON (x) y FROM t TABLESAMPLE 10%',
    "SELECT interval '1' month, t.s['k'][1:2], list_transform([1], lambda x: x + 1), {'a': 1}.a FROM t",
    'SELECT v FROM t UNPIVOT (v FOR n IN (a, b))',
    'DESCRIBE SELECT 1',
    'SUMMARIZE SELECT 1',
  ])('%s', async (sql) => {
    const query = readTree(sql, await serialised(sql));
    makeWritable(query);
    expect(isSameStatement(statementOf(query), await there(query))).toBe(true);
  });

  test('where the engine writes a cross join as a comma, unless it is made writable', async () => {
    const sql = 'SELECT * FROM a CROSS JOIN b LEFT JOIN c ON a.x = c.x';
    const query = readTree(sql, await serialised(sql));
    expect(isSameStatement(statementOf(query), await there(query))).toBe(false);
  });
});
