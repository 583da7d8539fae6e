import { expect, it, onTestFinished } from 'vitest';
import { QueryEngine, type SqlEngine } from '../../../src/query/engine.ts';
import { serverOver } from '../../server-over.ts';

it('runs statements on the engine that it was given, which it leaves to whoever made it', async () => {
  const engine = new QueryEngine();
  onTestFinished(() => engine.close());
  const seen: string[] = [];
  let isClosed = false;
  const queryEngine: SqlEngine = {
    run(statement) {
      seen.push(statement.sql);
      return engine.run(statement);
    },
    async close() {
      isClosed = true;
    },
  };
  const server = await serverOver('memory', { queryEngine });
  const { rows } = await server.call('query', { sql: 'SELECT 1 AS one' });
  await server.close();
  expect({ rows, seen, isClosed }).toEqual({
    rows: [{ one: 1 }],
    seen: ['SELECT 1 AS one'],
    isClosed: false,
  });
});
