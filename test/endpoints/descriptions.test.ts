import { describe, expect, test } from 'vitest';
import { sentencesFor } from '../../src/core/sentence.ts';
import type { Endpoint } from '../../src/endpoints/define.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { inputSchema } from '../../src/mcp/tools/json-schema.ts';

function find(tool: string): Endpoint {
  return endpoints.find((it) => it.tool === tool) ?? expect.unreachable(`no tool ${tool}`);
}

function descriptionOf(tool: string, argument: string): string | undefined {
  return inputSchema(find(tool).input).properties?.[argument]?.description;
}

describe('a description', () => {
  test.each(endpoints)('of $tool is present, short and one line', ({ title, description }) => {
    expect(title).toMatch(/^[A-Z].{2,40}$/);
    expect(sentencesFor(description, () => true)).toMatch(/^[A-Z][^\n]{20,180}\.$/);
  });

  test.each([
    ['get_product', /inner id/],
    ['list_product_prices', /inner product id.*sale price/],
    ['get_customer', /relation_data_id/],
    ['list_shops', /different id spaces/],
    ['list_order_changes', /rows can recur/],
    ['list_discount_orders', /incl\. VAT/],
    ['get_financial_report', /never add up days/],
    ['list_payment_methods', /type_alias/],
  ])('of %s names its trap: %s', (tool, trap) => {
    expect(sentencesFor(find(tool).description, () => true)).toMatch(trap);
  });

  test('of an order id says that it is not the order number', () => {
    for (const tool of ['get_order', 'list_order_items'])
      expect(descriptionOf(tool, 'order_id')).toContain('not the order_number');
  });

  test('of is_internal says what leaving it out means (docs/platform.md#orders)', () => {
    expect(descriptionOf('list_orders', 'is_internal')).toContain('omitted: platform default');
  });
});
