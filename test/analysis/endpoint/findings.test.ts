import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  balanceWarnings,
  leftOpen,
  reportNotes,
  zeroWarnings,
} from '../../../src/analysis/endpoint/findings.ts';
import { readFacts } from '../../../src/analysis/reference/facts.ts';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Period } from '../../../src/core/periods.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { getProduct, listStock, searchProducts } from '../../../src/endpoints/products.ts';
import { getFinancialReport } from '../../../src/endpoints/reports.ts';

function days(from: string, to = from): Period {
  return { from, to, timezone: 'Europe/Amsterdam', given: from };
}

function orders(internal: number, others: number): Row[] {
  return Array.from({ length: internal + others }, (_, at) => ({ is_internal: at < internal }));
}

describe('leftOpen', () => {
  test.each([
    [0, 1, undefined, { code: 'internal_orders_seen', internal: 0, of: 1 }],
    [0, 2, 'left_out', { code: 'internal_orders_known', internal: 'left_out' }],
    [0, 0, 'left_out', { code: 'internal_orders_known', internal: 'left_out' }],
    [1, 2, undefined, { code: 'internal_orders_seen', internal: 1, of: 3 }],
    [1500, 500, 'left_out', { code: 'internal_orders_seen', internal: 1500, of: 2000 }],
  ] as const)('says what the platform did: %d internal, %d not, %s', (own, others, known, said) => {
    expect(leftOpen(listOrders, {}, orders(own, others), known)).toEqual({ is_internal: said });
  });

  test.each([
    [{ is_internal: false }, orders(0, 2)],
    [{}, [{ id: 1 }]],
    [{}, [{ id: 1, is_internal: null }]],
    [{}, []],
  ])('says nothing of what was given, or of rows that do not tell: %j of %j', (input, rows) => {
    expect(leftOpen(listOrders, input, rows)).toBeUndefined();
  });

  test.each([
    [searchProducts, {}, [{ id: 1, stock: 5 }], true],
    [searchProducts, { location_id: '2' }, [{ id: 1, stock: 5 }], false],
    [searchProducts, {}, [{ id: 1 }], false],
    [listStock, {}, [{ location_id: 2, stock: 5 }], false],
    [getProduct, {}, [{ id: 1, stock: 5 }], true],
  ])('says over what stock is summed: $0.tool %j of %j', (endpoint, input, rows, isSaid) => {
    const { location_id } = leftOpen(endpoint, input, rows) ?? {};
    expect(location_id).toEqual(isSaid ? { code: 'stock_of_all_locations' } : undefined);
  });
});

describe('zeroWarnings', () => {
  test.each([
    [{ turnover: 0, a: { b: '0.00' }, list: [{ c: 0 }] }, days('2026-11-03'), true],
    [{ turnover: 0, balance_check: { total: 5 } }, days('2026-11-03', '2026-11-04'), true],
    [{ turnover: 0, tips: 0.01 }, days('2026-11-03'), false],
    [{ note: 'none' }, days('2026-11-03'), false],
    [{}, days('2026-11-03'), false],
  ])('say of a report of zeros that nothing happened: %j %j', (report, period, isSaid) => {
    const warnings = zeroWarnings(readFacts({ date: '2026-11-03', shop_id: 3, ...report }), period);
    const warning = { code: 'all_zero', period: { from: period?.from, to: period?.to } };
    expect(warnings).toEqual(isSaid ? [warning] : []);
  });
});

describe('balanceWarnings', () => {
  test.each<[string, unknown]>([
    ['a claim', { balance_check: true }],
    ['a difference of nothing', { balance_check: { difference: '0.00' } }],
    ['figures of other names', { balance_check: { payments: 97.6, total: 100 } }],
    ['nothing', { balance_check: null }],
    ['no check', { total: 5, payments: [{ amount: 3 }] }],
    ['no report', null],
  ])('finds the balance of %s in order', (_, report) => {
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
    const report = { direct_paid: { balance_check: check } };
    const [warning, ...more] = balanceWarnings(report, days('2026-11-11'));
    expect(more).toEqual([]);
    const period = { from: '2026-11-11', to: '2026-11-11' };
    const path = 'direct_paid.balance_check';
    expect(warning).toEqual({ code: 'balance_differs', path, period, difference });
  });

  test('finds checks wherever they are, in any report', () => {
    const balance_check = { balanced: false, difference: 1 };
    const report = { balance_check, shops: [{ balance_check }, [{ balance_check }]] };
    expect(balanceWarnings(report, undefined)).toHaveLength(3);
    fc.assert(
      fc.property(fc.jsonValue(), (check) => {
        expect(balanceWarnings({ balance_check: check }, undefined).length).toBeLessThan(2);
      }),
    );
  });
});

const rates = [{ tax_rate_id: 1, vat: 21 }];

function notesOn(report: JsonObject, unbalanced?: Period) {
  return reportNotes(getFinancialReport, readFacts(report), unbalanced);
}

describe('notes about a financial report', () => {
  test('say that the VAT of a rate stands in two blocks, where both hold rates', () => {
    const report = { direct_paid: { rates }, not_paid_now: { rates } };
    expect(notesOn(report)).toEqual({ 'VAT of a rate': { code: 'vat_in_two_blocks' } });
  });

  test.each([
    ['all is paid', { direct_paid: { rates }, not_paid_now: { rates: [] } }],
    ['other sections were asked for', { revenue: { total_turnover: 1 } }],
  ])('say nothing of VAT where %s', (_, report) => {
    expect(notesOn(report)).toBeUndefined();
  });

  test('name the call that shows the days of payments that do not balance', () => {
    expect(notesOn({}, days('2026-11-01', '2026-11-30'))).toEqual({
      balance_check: { code: 'balance_by_day' },
    });
    expect(notesOn({}, days('2026-11-01'))).toEqual({
      balance_check: { code: 'balance_by_order', day: '2026-11-01' },
    });
    expect(notesOn({}, undefined)).toBeUndefined();
  });
});
