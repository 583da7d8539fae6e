import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { hinted } from '../../query-engine.ts';
import { shareInMemoryServer } from '../in-memory-server.ts';

const server = shareInMemoryServer();

/** The statements that stand in the text of a prompt. */
async function statementsOf(name: string, given: Record<string, string>): Promise<string[]> {
  const { messages } = await server().client.getPrompt({ name, arguments: given });
  const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join();
  return [...text.matchAll(/^ *```sql\n(.*?)^ *```/gms)].map(([, sql = '']) => sql);
}

describe('the statements of a prompt', () => {
  test.each<[name: string, given: Record<string, string>]>([
    ['daily-turnover', {}],
    ['discount-audit', {}],
    ['open-orders', {}],
    ['open-orders', { shop: 'Webshop', status: 'new,shipped' }],
    ['payment-reconciliation', {}],
    ['product-performance', {}],
    ['stock-check', {}],
    ['vat-summary', {}],
    ...['daily-turnover', 'product-performance', 'vat-summary'].map(
      (name): [string, Record<string, string>] => [name, { location: 'Utrecht Oost' }],
    ),
  ])('run as they stand: %s %j', async (name, given) => {
    const statements = await statementsOf(name, given);
    expect(statements.length).toBeGreaterThan(0);
    for (const sql of statements) {
      const { text, isError, context } = await server().ask('query', { sql });
      expect(isError, text).toBe(false);
      expect(hinted).toEqual([]);
      const { location } = given;
      const asked = JSON.stringify(context.tables);
      if (location !== undefined) expect(asked).toContain(location);
    }
  });

  test('of a comparison tell both periods', async () => {
    const [sql = ''] = await statementsOf('daily-turnover', { date: '2026-11-19' });
    const { text, context } = await server().ask('query', { sql });
    const tables = Array.isArray(context.tables) ? context.tables.filter(isRecord) : [];
    expect(tables).toHaveLength(2);
    for (const { period, reference_period: reference } of tables) {
      expect(period).toMatchObject({ from: '2026-11-19', to: '2026-11-19' });
      expect(reference).toMatchObject({ from: '2026-11-12', to: '2026-11-12' });
    }
    expect(text).toContain('compare_turnover (2026-11-19, against 2026-11-12)');
  });
});
