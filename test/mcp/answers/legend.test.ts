import { describe, expect, test } from 'vitest';
import { legend } from '../../../src/mcp/answers/legend.ts';

const labels = { shop_id: { '3': 'Webshop', '7': 'Utrecht Oost' } };

describe('legend', () => {
  test('leaves out names that stand beside their id', () => {
    const payload = { payments: [{ shop_id: 3, called: 'Webshop' }, { shop_id: 7 }] };
    expect(legend(payload, labels)).toEqual(['shop_id: 7 Utrecht Oost']);
  });

  test('keeps a name that is missing once, or differs from the one beside the id', () => {
    const payload = {
      a: { shop_id: 3, name: 'Webshop' },
      b: { shop_id: 3 },
      c: { shop_id: '7', name: 'Oost' },
    };
    expect(legend(payload, labels)).toEqual(['shop_id: 3 Webshop, 7 Utrecht Oost']);
  });

  test('looks at every id of a list', () => {
    expect(legend({ shop_id: [3, 7], name: 'Webshop' }, labels)).toEqual([
      'shop_id: 7 Utrecht Oost',
    ]);
  });

  test('leaves out the name that the question was asked with', () => {
    const resolved = { shop_id: { given: 'oost', id: 7, name: 'Utrecht Oost' } };
    expect(legend([{ shop_id: 3 }, { shop_id: 7 }], labels, resolved)).toEqual([
      'shop_id: 3 Webshop',
    ]);
  });

  test('is empty where nothing is labelled', () => {
    expect(legend({ shop_id: 3, constructor: 1 })).toEqual([]);
    expect(legend(null, labels)).toEqual([]);
  });

  test('looks for no name of what is no id', () => {
    const payload = { data: [{ shop_id: { toString: 1 } }, { shop_id: [null, [3], {}] }] };
    expect(legend(payload, { shop_id: { 3: 'Webshop' } })).toEqual([]);
  });
});
