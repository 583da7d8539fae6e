import { afterAll, describe, expect, test } from 'vitest';
import { QueryEngine } from '../../src/query/engine.ts';
import { fakeProvider } from './fake-tables.ts';

const engine = new QueryEngine({ atOnce: 1 });
afterAll(() => engine.close());

describe('a statement says in which order its rows stand', () => {
  test.each([
    [true, 'SELECT name FROM shops ORDER BY name'],
    [true, 'SELECT name FROM shops ORDER BY ALL LIMIT 2'],
    [true, 'WITH s AS (SELECT name FROM shops) FROM s ORDER BY 1 DESC'],
    [true, 'WITH s AS MATERIALIZED (SELECT name FROM shops) FROM s ORDER BY 1'],
    [true, 'SELECT name FROM shops UNION SELECT name FROM shops ORDER BY name'],
    [false, 'SELECT name FROM shops'],
    [false, 'SELECT name FROM shops LIMIT 2'],
    [false, 'SELECT DISTINCT name FROM shops'],
    [false, 'FROM (SELECT name FROM shops ORDER BY name)'],
    [false, 'SELECT list(name ORDER BY name) AS names FROM shops'],
    [false, 'SELECT name, row_number() OVER (ORDER BY name) AS n FROM shops'],
  ])('%s: %s', async (isOrdered, sql) => {
    const signal = AbortSignal.timeout(20_000);
    const provider = fakeProvider();
    const result = await engine.run({ sql, caller: 'analyst', provider, maxRows: 10, signal });
    expect(result.isOrdered).toBe(isOrdered);
  });
});
