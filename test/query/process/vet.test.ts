import { afterAll, expect, test } from 'vitest';
import { Database } from '../../../src/query/process/database.ts';
import { isRefusedFunction, pureTableFunctions } from '../../../src/query/process/vet.ts';

const database = await Database.open(128, 1);
afterAll(() => database.close());

async function firstOf(sql: string): Promise<string[]> {
  return (await database.rows(sql)).map(([name]) => String(name));
}

/** With side effects by the engine's own word, and yet of the statement alone. */
const harmless = ['error', 'gen_random_uuid', 'random', 'uuid', 'uuidv4', 'uuidv7'];

test('every function with side effects is refused or known to be harmless', async () => {
  const names = await firstOf(
    `SELECT DISTINCT function_name FROM duckdb_functions()
     WHERE function_type NOT IN ('table', 'table_macro', 'pragma') AND has_side_effects ORDER BY 1`,
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !isRefusedFunction(name))).toEqual(harmless);
});

test('every function that speaks of settings, variables or the environment is refused', async () => {
  const names = await firstOf(
    `SELECT DISTINCT function_name FROM duckdb_functions()
     WHERE function_type NOT IN ('table', 'table_macro', 'pragma')
     AND regexp_matches(function_name, 'setting|variable|getenv|secret|_log$|sleep|query|transaction_id|txid|nextval|currval|execute|plan$') ORDER BY 1`,
  );
  expect(names).toContain('current_setting');
  expect(names.filter((name) => !isRefusedFunction(name))).toEqual([]);
});

test('every pure table function exists, and of all others none is allowed', async () => {
  const names = await firstOf(
    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro') ORDER BY 1",
  );
  expect(names.filter((name) => pureTableFunctions.has(name))).toEqual([
    ...pureTableFunctions.keys(),
  ]);
});

test.each([
  ["SELECT * FROM read_text('/etc/hostname')", 'Permission'],
  ["ATTACH '/tmp/never.db'", 'Permission'],
  ["SET memory_limit = '100GB'", 'locked'],
  ['SET enable_external_access = true', 'locked'],
])('the engine itself is locked as well: %s', async (sql, reason) => {
  await expect(database.rows(sql)).rejects.toThrow(new RegExp(reason, 'i'));
});
