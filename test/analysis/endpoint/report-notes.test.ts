import { describe, expect, test } from 'vitest';
import { reportNotes } from '../../../src/analysis/endpoint/findings.ts';
import { getDailyClose, getFinancialReport } from '../../../src/endpoints/reports.ts';

const everyTool = { hasTool: () => true, isUnbalancedOverDays: false };
const rates = [{ tax_rate_id: 1, vat: 21 }];

describe('notes about a financial report', () => {
  test('say that the VAT of a rate stands in two blocks, where both hold rates', () => {
    const report = { direct_paid: { rates }, not_paid_now: { rates } };
    expect(reportNotes(getFinancialReport, report, everyTool)).toEqual({
      'VAT of a rate':
        'is direct_paid and not_paid_now together: compare_turnover by: "tax_rate" adds them',
    });
    const fenced = { ...everyTool, hasTool: () => false };
    expect(Object.values(reportNotes(getFinancialReport, report, fenced)).join()).not.toContain(
      'compare_turnover',
    );
  });

  test.each([
    ['all is paid', { direct_paid: { rates }, not_paid_now: { rates: [] } }],
    ['other sections were asked for', { revenue: { total_turnover: 1 } }],
  ])('say nothing of VAT where %s', (_, report) => {
    expect(reportNotes(getFinancialReport, report, everyTool)).toEqual({});
  });

  test('name the call that shows the days of payments that do not balance', () => {
    const unbalanced = { ...everyTool, isUnbalancedOverDays: true };
    expect(reportNotes(getFinancialReport, {}, unbalanced).balance_check).toContain(
      'turnover_trend with measures ["balance_check.difference"]',
    );
  });
});

describe('a note about the payments of a daily close', () => {
  const close = { turnover_wt: '100.10', non_revenue: { tips: 5, total: 5 } };
  const paid = (...amounts: number[]) => ({
    ...close,
    payments: amounts.map((amount_wt) => ({ provider_method_type_id: 1, amount_wt })),
  });

  test('says by how much they fall short, which is what is not paid yet', () => {
    expect(reportNotes(getDailyClose, paid(80, 5.05), everyTool)).toEqual({
      'not paid yet': '20.05',
    });
  });

  test.each([
    ['they make up all of it', paid(100, 5.1)],
    ['they are more', paid(200)],
    ['their amounts have other names', { ...close, payments: [{ amount: 80 }] }],
    ['the figures have other names', { payments: paid(80).payments }],
  ])('is left out where %s', (_, report) => {
    expect(reportNotes(getDailyClose, report, everyTool)).toEqual({});
  });
});
