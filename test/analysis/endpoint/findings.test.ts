import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allZero, balanceWarnings, leftOpen } from '../../../src/analysis/endpoint/findings.ts';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import type { Period } from '../../../src/core/periods.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { getProduct, listStock, searchProducts } from '../../../src/endpoints/products.ts';

function days(from: string, to = from): Period {
  return { from, to, timezone: 'Europe/Amsterdam', given: from };
}

function orders(internal: number, others: number): Row[] {
  const rows = (count: number, is_internal: boolean) =>
    Array.from({ length: count }, () => ({ is_internal }));
  return [...rows(internal, true), ...rows(others, false)];
}

describe('leftOpen', () => {
  const none = 'left out: none of these is internal;';

  test.each([
    [0, 1, undefined, `${none} is_internal true says whether any exist`],
    [0, 2, 1, `${none} 1 exists (is_internal true)`],
    [0, 2, 0, 'left out: no internal orders exist for this question'],
    [1, 2, undefined, 'left out: of these 3 orders, internal: 1'],
    [1500, 500, 9000, 'left out: of these 2,000 orders, internal: 1500'],
  ])('counts what the platform did: %d internal, %d not, of %s', (own, others, existing, said) => {
    expect(leftOpen(listOrders, {}, orders(own, others), existing)).toEqual({ is_internal: said });
  });

  test('says nothing of what was given, or of rows that do not tell', () => {
    expect(leftOpen(listOrders, { is_internal: false }, orders(0, 2))).toEqual({});
    expect(leftOpen(listOrders, {}, [{ id: 1 }])).toEqual({});
    expect(leftOpen(listOrders, {}, [])).toEqual({});
  });

  test.each([
    [searchProducts, {}, [{ id: 1, stock: 5 }], true],
    [searchProducts, { location_id: '2' }, [{ id: 1, stock: 5 }], false],
    [searchProducts, {}, [{ id: 1 }], false],
    [listStock, {}, [{ location_id: 2, stock: 5 }], false],
    [getProduct, {}, [{ id: 1, stock: 5 }], true],
  ])('says over what stock is summed: $0.tool %j of %j', (endpoint, input, rows, isSaid) => {
    const { location_id } = leftOpen(endpoint, input, rows);
    expect(location_id).toBe(isSaid ? 'left out: stock is the sum over all locations' : undefined);
  });
});

describe('allZero', () => {
  test.each([
    [days('2026-11-03'), 'on that day'],
    [days('2026-11-03', '2026-11-04'), 'on those days'],
  ])('says of a report of zeros that nothing happened: %j', (period, when) => {
    const empty = {
      date: '2026-11-03',
      shop_id: 3,
      turnover: 0,
      a: { b: '0.00' },
      list: [{ c: 0 }],
    };
    expect(allZero(empty, period)).toEqual([
      expect.stringMatching(new RegExp(`^Every figure of .* is zero: no orders .* ${when}\\.$`)),
    ]);
  });

  test.each([[{ turnover: 0, tips: 0.01 }], [{ note: 'none' }], [{}]])(
    'says nothing of %j',
    (report) => {
      expect(allZero(report, days('2026-11-03'))).toEqual([]);
    },
  );
});

describe('balanceWarnings', () => {
  test.each<[string, unknown]>([
    ['a claim', { balance_check: true }],
    ['a difference of nothing', { balance_check: { difference: '0.00' } }],
    ['figures of other names', { balance_check: { payments: 97.6, total: 100 } }],
    ['nothing', { balance_check: null }],
    ['no check', { total: 5, payments: [{ amount: 3 }] }],
    ['no report', null],
  ])('says nothing of %s', (_, report) => {
    expect(balanceWarnings(report, undefined)).toEqual([]);
  });

  test.each<[string, unknown, string | undefined]>([
    ['a claim alone', false, undefined],
    ['one claim of several', { high: true, low: false }, undefined],
    ['a claim with its difference', { balanced: false, difference: -2.4 }, '-2.40'],
    ['a difference alone', { difference: 0.01 }, '0.01'],
    ['a difference with VAT', { difference_wt: -12.5, total_wt: 100 }, '-12.50'],
    ['a difference of text', { total: '100', difference: '2.4' }, '2.40'],
  ])('warns of %s, with the difference', (_, check, difference) => {
    const [warning, ...more] = balanceWarnings(
      { direct_paid: { balance_check: check } },
      days('2026-11-11'),
    );
    expect(more).toEqual([]);
    expect(warning).toMatch(
      /^Payments of 2026-11-11 do not balance .*\(direct_paid\.balance_check\)\./,
    );
    const stated = /The difference is (-?[\d.]+) euros\./.exec(warning ?? '')?.[1];
    expect(stated).toBe(difference);
  });

  test('finds checks wherever they are', () => {
    const off = { balanced: false, difference: 1 };
    const report = {
      balance_check: off,
      shops: [{ balance_check: off }, [{ balance_check: off }]],
    };
    expect(balanceWarnings(report, undefined)).toHaveLength(3);
  });

  test('survives any report', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (report, check) => {
        expect(Array.isArray(balanceWarnings(report, undefined))).toBe(true);
        expect(balanceWarnings({ balance_check: check }, undefined).length).toBeLessThan(2);
      }),
    );
  });
});
