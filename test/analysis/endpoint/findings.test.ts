import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leftOpen } from '../../../src/analysis/endpoint/ask-endpoint.ts';
import { allZero, balanceWarnings, noRows } from '../../../src/analysis/endpoint/findings.ts';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import type { Period } from '../../../src/core/periods.ts';
import { listOrderChanges, listOrders } from '../../../src/endpoints/orders.ts';
import { getProduct, listStock, searchProducts } from '../../../src/endpoints/products.ts';
import { getDailyClose, getProductSales } from '../../../src/endpoints/reports.ts';

function days(from: string, to = from): Period {
  return { from, to, timezone: 'Europe/Amsterdam', given: from };
}

function orders(internal: number, others: number): Row[] {
  const rows = (count: number, is_internal: boolean) =>
    Array.from({ length: count }, () => ({ is_internal }));
  return [...rows(internal, true), ...rows(others, false)];
}

describe('leftOpen', () => {
  const left = "left out, the platform's default:";

  test.each([
    [0, 1, `${left} this order is not internal; whether there are any, is_internal true says`],
    [1, 0, `${left} this order is internal`],
    [
      0,
      2,
      `${left} none of these 2 orders is internal; whether there are any, is_internal true says`,
    ],
    [1, 2, `${left} 1 of these 3 orders is internal`],
    [1500, 500, `${left} 1,500 of these 2,000 orders are internal`],
  ])('counts what the platform did: %d internal, %d not', (internal, others, said) => {
    expect(leftOpen(listOrders, {}, orders(internal, others))).toEqual({ is_internal: said });
  });

  test.each([
    [2, 0, 'left out: no internal orders exist for this question'],
    [2, 1, `${left} none of these 2 orders is internal; 1 exists (is_internal true)`],
    [1, 14, `${left} this order is not internal; 14 exist (is_internal true)`],
  ])('tells %d orders from %d internal ones that were left out', (others, existing, said) => {
    const { is_internal } = leftOpen(listOrders, {}, orders(0, others), existing);
    expect(is_internal).toBe(said);
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

describe('noRows', () => {
  test('says what was looked for', () => {
    const given = { status: 'new', shop_id: 'Groothandel (8)', limit: 5, sort: 'id', from: 'x' };
    expect(noRows(listOrders, given, { period: days('2026-11-19') })).toEqual([
      'There are no orders of 2026-11-19 with status new, shop_id Groothandel (8).',
    ]);
  });

  test('says since when nothing changed', () => {
    const since = '2026-11-20T00:00:00+01:00';
    expect(noRows(listOrderChanges, { since: 'today' }, { since })).toEqual([
      'There are no changed orders since 2026-11-20T00:00:00+01:00.',
    ]);
  });

  test('says of a group without products why it may have none', () => {
    const given = { product_group_id: 'Verzending (19)' };
    const said = noRows(getProductSales, given, { period: days('2026-11-01', '2026-11-02') });
    expect(said).toHaveLength(2);
    expect(said[1]).toContain('shipping and payment costs are lines of orders');
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
    expect(allZero(getDailyClose, empty, period)).toEqual([
      expect.stringMatching(new RegExp(`^Every figure of .* is zero: no orders .* ${when}\\.$`)),
    ]);
  });

  test.each([[{ turnover: 0, tips: 0.01 }], [{ note: 'none' }], [{}]])(
    'says nothing of %j',
    (report) => {
      expect(allZero(getDailyClose, report, days('2026-11-03'))).toEqual([]);
    },
  );
});

describe('balanceWarnings', () => {
  test.each<[string, unknown]>([
    ['a claim', { balance_check: true }],
    ['a claim with figures', { balance_check: { balanced: true, difference: 0 } }],
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

  test('finds checks wherever they are, each place once', () => {
    const off = { balanced: false, difference: 1 };
    const report = {
      balance_check: off,
      direct_paid: { balance_check: off },
      shops: [{ balance_check: off }, { balance_check: { ...off } }],
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
