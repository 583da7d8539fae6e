import { describe, expect, test } from 'vitest';
import type { FinishedContext } from '../../../src/analysis/answer.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { modelReader } from '../../../src/mcp/answers/catalogue/catalogue.ts';
import { recordText } from '../../../src/mcp/answers/present.ts';

const _reader = modelReader(() => true);

const context = {
  endpoint: 'GET /api/order',
  source: 'live',
  as_of: '2026-11-20T15:30:00+01:00',
} as const;

/** The lines past the headline and the payload of an object. */
function linesOf(payload: JsonObject, given: Partial<FinishedContext>): string[] {
  const facts = { ...context, ...given };
  return recordText('get_order', payload, facts).split('\n').slice(2);
}

describe('the names of ids in an object', () => {
  const labels = { shop_id: { '3': 'Webshop', '7': 'Utrecht Oost' } };

  test('are said unless the object gives them, or the question was asked with them', () => {
    const payload = { payments: [{ shop_id: 3, called: 'Webshop' }, { shop_id: 7 }] };
    expect(linesOf(payload, { labels })).toEqual(['shop_id: 7 Utrecht Oost']);
    const resolved = { shop_id: { given: 'oost', id: 7, name: 'Utrecht Oost' } };
    const shops = { data: [{ shop_id: 3 }, { shop_id: 7 }] };
    expect(linesOf(shops, { labels, resolved }).at(-1)).toBe('shop_id: 3 Webshop');
  });
});
