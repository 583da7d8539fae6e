import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  balanceWarnings,
  emptyDays,
  leftOpen,
  reportNotes,
  zeroWarnings,
} from '../../../src/analysis/endpoint/findings.ts';
import { endpointMessages } from '../../../src/analysis/endpoint/messages.ts';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import { addDays, weekdayOf } from '../../../src/core/calendar.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Period } from '../../../src/core/periods.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { getProduct, listStock, searchProducts } from '../../../src/endpoints/products.ts';
import { getFinancialReport } from '../../../src/endpoints/reports.ts';
import { sharedServer } from '../../server-over.ts';

function days(from: string, to = from): Period {
  return { from, to, timezone: 'Europe/Amsterdam', given: from };
}

function orders(internal: number, others: number): Row[] {
  return Array.from({ length: internal + others }, (_, at) => ({ is_internal: at < internal }));
}

describe('leftOpen', () => {
  test.each([
    [0, 2, 'left out: none of these is internal (is_internal: true asks for them)'],
    [
      1500,
      500,
      'left out: of these 2,000 orders, internal: 1500 (is_internal: false leaves them out)',
    ],
  ])('says what the rows show of internal orders: %d internal, %d not', (own, others, said) => {
    const rows = orders(own, others);
    expect(leftOpen(listOrders, {}, rows)).toEqual({ is_internal: said });
    const other = rows.map(({ is_internal }) => ({ internal: is_internal ? 1 : 0 }));
    expect(leftOpen(listOrders, {}, other)).toEqual({ is_internal: said });
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
    expect(location_id).toEqual(
      isSaid ? 'left out: stock is the sum over all locations' : undefined,
    );
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
    const warnings = zeroWarnings({ date: '2026-11-03', shop_id: 3, ...report }, period);
    const { from, to } = period;
    expect(warnings).toEqual(isSaid ? [endpointMessages.all_zero({ period: { from, to } })] : []);
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
    ['a difference by what it is', { due: 100, paid: '97.6', deviation: -2.4, ok: false }, '-2.40'],
    [
      'numbers of which none is a difference',
      { due: 100, paid: 97, orders: 2, ok: false },
      undefined,
    ],
    ['a difference beside a claim of 0', { due: 9, gap: 1, received: 10, ok: 0 }, '1.00'],
    ['a difference of text', { total: '100', difference: '2.4' }, '2.40'],
  ])('warns of %s, with the difference', (_, check, difference) => {
    const report = { direct_paid: { balance_check: check } };
    const [warning, ...more] = balanceWarnings(report, days('2026-11-11'));
    expect(more).toEqual([]);
    const period = { from: '2026-11-11', to: '2026-11-11' };
    const path = 'direct_paid.balance_check';
    expect(warning).toMatchObject({ code: 'balance_differs', path, period, difference });
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

function notesOn(report: JsonObject, unbalanced?: Period, hasTools = true) {
  const request = { endpoint: getFinancialReport, period: unbalanced };
  const warnings = unbalanced
    ? [endpointMessages.balance_differs({ path: 'balance_check', period: unbalanced })]
    : [];
  return reportNotes(request, report, warnings, () => hasTools);
}

describe('notes about a financial report', () => {
  test('say that the VAT of a rate stands in two blocks, where both hold rates', () => {
    const report = { direct_paid: { rates }, not_paid_now: { rates } };
    const note = 'is direct_paid and not_paid_now together';
    expect(notesOn(report)).toEqual({
      'VAT of a rate': `${note}: compare_turnover by: "tax_rate" adds them`,
    });
    expect(notesOn(report, undefined, false)).toEqual({ 'VAT of a rate': note });
  });

  test.each([
    ['all is paid', { direct_paid: { rates }, not_paid_now: { rates: [] } }],
    ['other sections were asked for', { revenue: { total_turnover: 1 } }],
  ])('say nothing of VAT where %s', (_, report) => {
    expect(notesOn(report)).toBeUndefined();
  });

  test('name the call that shows the days of payments that do not balance', () => {
    expect(notesOn({}, days('2026-11-01', '2026-11-30'))).toEqual({
      balance_check: expect.stringMatching(/^of each day is shown by turnover_trend/),
    });
    expect(notesOn({}, days('2026-11-01'))).toEqual({
      balance_check: expect.stringMatching(
        /^does not say which order it is: .* list_orders of 2026-11-01 with/,
      ),
    });
    expect(notesOn({}, undefined)).toBeUndefined();
    expect(notesOn({}, days('2026-11-01'), false)).toBeUndefined();
  });
});

describe('the note about a check that is less than the turnover', () => {
  const close = (turnover_wt: number, turnover: number, check: JsonObject) =>
    notesOn({ turnover, turnover_wt, order_count: 7, balance_check: check });
  test.each<[string, JsonObject, string | undefined]>([
    ['with VAT', { total_wt: 90, payments_wt: 90 }, 'balance_check.total_wt'],
    ['without VAT', { total: 79, payments: 79 }, 'balance_check.total'],
    ['behind its difference', { off_wt: 2, due_wt: 90, paid_wt: 88 }, 'balance_check.due_wt'],
    ['of as much', { total_wt: 100, payments_wt: 100 }, undefined],
    ['of more, with gift cards', { total_wt: 110, payments_wt: 110 }, undefined],
    ['of less with VAT than without', { total: 80, payments: 80 }, undefined],
    ['without a total', { difference_wt: -5 }, undefined],
  ])('a total %s', (_, check, name) => {
    const text = expect.stringContaining('invoiced and not paid yet');
    expect(close(100, 80, check)).toEqual(name && { [name]: text });
    const { order_count, balance_check } = { order_count: 7, balance_check: check };
    const renamed = notesOn({ sold: 80, sold_wt: 100, order_count, balance_check });
    expect(renamed).toEqual(name && { [name]: text });
  });
});

const nowMs = Date.parse('2026-11-20T15:30:00+01:00');
const week: [from: number, to: number] = [2, 8];
const day = (ofMonth: number) => `2026-11-${String(ofMonth).padStart(2, '0')}`;
const at = (ofMonth: number) => `${day(ofMonth)}T12:00:00+01:00`;
const inLondon = '2026-11-02T23:30:00Z';

describe('days without rows', () => {
  test.each<[what: string, rows: Record<string, unknown>[], period: typeof week, days?: number[]]>([
    ['are those between and after the rows', [{ made: at(2) }, { made: at(4) }], [2, 5], [3, 5]],
    ['are days of Amsterdam, in whatever zone the rows', [{ made: inLondon }], [2, 3], [2]],
    ['do not include today and days that have not come', [{ made: at(18) }], [18, 25], [19]],
    [
      'are told by the earlier of two moments',
      [{ changed: at(5), made: at(2) }],
      [2, 5],
      [3, 4, 5],
    ],
    ['are not told by days', [{ made: day(2) }], week],
    ['are not told by a column with gaps', [{ made: at(2) }, { made: null }], week],
    ['are not told by moments outside of the period', [{ made: at(1) }], week],
    ['are not told by no rows', [], week],
  ])('%s', (_, rows, [from, to], days) => {
    expect(emptyDays(rows, { from: day(from), to: day(to) }, nowMs)).toEqual(days?.map(day));
  });
});

describe('an answer over days', () => {
  const shared = sharedServer();
  const { ask } = shared;

  test('names those without rows: a list, a profile and a table of a statement', async () => {
    const { closedDay } = shared().sandbox.world;
    const said = `no orders at all on ${closedDay} (${weekdayOf(closedDay)})`;
    const period = `${addDays(closedDay, -2)}..${addDays(closedDay, 2)}`;
    const listed = await ask('list_orders', { period, all: true });
    const profiled = await ask('list_orders', { period, limit: 0 });
    const { empty_days: empty } = listed.context;
    expect(empty).toEqual({ count: 1, days: [closedDay], text: said });
    expect(profiled.context.empty_days).toEqual(empty);
    expect(listed.text).toContain(`# ${said}`);
    const sql = `SELECT count(*) AS n FROM list_orders(period := '${period}')`;
    const { context } = await ask('query', { sql });
    expect(context.tables).toMatchObject([
      { table: 'list_orders', complete: true, empty_days: empty },
    ]);
  });

  test.each([{ shop_id: '8' }, { is_internal: false }])(
    'says nothing of days where %j chose the rows',
    async (filter) => {
      const period = '2026-10-01..2026-10-31';
      const { context } = await ask('list_orders', { period, ...filter, all: true });
      expect(context.empty_days).toBeUndefined();
    },
  );

  test('says nothing where each has rows, or where rows are missing', async () => {
    const whole = await ask('list_orders', { period: '2026-11-09..2026-11-15', limit: 0 });
    const first = await ask('list_orders', { period: '2026-11-09..2026-11-15', limit: 5 });
    expect([whole.context.empty_days, first.context.empty_days]).toEqual([undefined, undefined]);
  });
});
