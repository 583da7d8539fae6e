import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { renderTables } from '../../../src/mcp/resources/definitions.ts';
import { openInMemoryServer } from '../in-memory-server.ts';

describe('renderTables', () => {
  test('shows each table as it is called, what it holds, and its columns', () => {
    const text = renderTables([
      { name: 'shops', holds: 'List shops', arguments: '', columns: 'id name' },
      { name: 'list_orders', holds: 'List orders', arguments: 'period* shop_id', columns: 'id' },
      { name: 'result', holds: 'kept rows', arguments: "('id')", columns: '' },
    ]);
    expect(text).toContain('\n\nshops: List shops\n  id name\n');
    expect(text).toContain('\n\nlist_orders(period* shop_id): List orders\n  id\n');
    expect(text).toContain("\n\nresult('id'): kept rows\n");
  });
});

describe('commerce://tables', () => {
  test('lists every table of this account for few tokens', async () => {
    const { client } = await openInMemoryServer();
    const { contents } = await client.readResource({ uri: 'commerce://tables' });
    const [content] = contents;
    const text = content && 'text' in content ? content.text : '';
    for (const table of ['list_orders(', 'get_daily_close(', 'payment_methods:', 'turnover_trend('])
      expect(text).toContain(`\n\n${table}`);
    expect(encode(text).length).toBeLessThan(2400);
  });
});
