import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import type { Connection } from '../../clients.ts';
import type { SandboxOptions } from '../../sandbox/start-sandbox.ts';
import { serverOver } from '../../server-over.ts';

/** Runs with a sandbox of its own and the arguments that list_stock takes. */
async function withServer(
  options: SandboxOptions,
  use: (connection: Connection, stock: string[]) => Promise<void>,
): Promise<void> {
  const isLate = String(options.faults).startsWith('slow');
  const connection = await serverOver('memory', {
    ...options,
    ...(isLate && { describeWithinMs: 1000 }),
  });
  const { tools } = await connection.listTools();
  const tool = tools.find(({ name }) => name === 'list_stock');
  await use(connection, Object.keys(tool?.inputSchema.properties ?? {}));
}

const documented = ['location_id', 'fields', 'sort', 'top', 'limit'];
const completed = [...documented, 'product_id', 'start', 'all'];

describe("the platform's own description", () => {
  test('completes the list of tools', () =>
    withServer({}, async (connection, stock) => {
      expect(stock).toEqual(completed);
      const { rows } = await connection.call('list_stock', { product_id: 1001 });
      expect(new Set(rows.map(({ product_id }) => product_id))).toEqual(new Set([1001]));
    }));

  test.each<[string, SandboxOptions]>([
    ['comes late', { faults: 'slow:ms=2500,path=/openapi.json' }],
    ['is absent', { description: 'none' }],
    ['is HTML', { faults: 'html:path=/openapi.json' }],
  ])('leaves the documented parameters where it %s', (_, options) =>
    withServer(options, async (connection, stock) => {
      expect(stock).toEqual(documented);
      const answer = await connection.call('get_product_sales', { period: 'yesterday' });
      expect(answer.isError, answer.text).toBe(false);
    }),
  );

  test('brings a new parameter, described and checked', () =>
    withServer({ openapi: withSupplier }, async (connection, stock) => {
      expect(new Set(stock)).toEqual(new Set([...completed, 'supplier']));
      const wrong = await connection.call('list_stock', { supplier: 'nobody' });
      expect(wrong.text).toBe('list_stock: supplier must be one of own, external, not "nobody".');
      const right = await connection.call('list_stock', { supplier: 'own', limit: 1 });
      expect(right).toMatchObject({ isError: false });
    }));

  test('missing, a list that is only a page is not called whole', () =>
    withServer({ description: 'none' }, async (connection) => {
      const answer = await connection.call('list_stock', { fields: ['product_id'] });
      expect(answer.rows.length).toBeLessThan(Number(answer.body.total));
      expect(answer.context.complete).toBe(false);
    }));
});

/** openapi.json with one more parameter of /api/stock. */
function withSupplier(document: unknown): unknown {
  const copy = structuredClone(document);
  const paths = isRecord(copy) && isRecord(copy.paths) ? copy.paths : {};
  const stock = isRecord(paths['/api/stock']) ? paths['/api/stock'].get : undefined;
  if (isRecord(stock) && Array.isArray(stock.parameters))
    stock.parameters.push({
      name: 'supplier',
      in: 'query',
      description: 'Who supplies it',
      schema: { type: 'string', enum: ['own', 'external'] },
    });
  return copy;
}
