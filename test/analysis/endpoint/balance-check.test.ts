import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balanceWarnings } from '../../../src/analysis/endpoint/balance-check.ts';

describe('balanceWarnings', () => {
  test.each<[string, unknown]>([
    ['a claim', { balance_check: true }],
    ['a claim with figures', { balance_check: { balanced: true, difference: 0 } }],
    ['two figures that agree', { balance_check: { payments: 10.5, total: '10.50' } }],
    ['two figures and no difference', { balance_check: { payments: 8, total: 8, difference: 0 } }],
    ['a difference of nothing', { balance_check: { difference: '0.00' } }],
    ['a difference of nothing and what is tolerated', { balance_check: { diff: 0, within: 0.01 } }],
    ['nothing', { balance_check: null }],
    ['no check', { total: 5, payments: [{ amount: 3 }] }],
    ['no report', null],
  ])('says nothing of %s', (_, report) => {
    expect(balanceWarnings(report)).toEqual([]);
  });

  test.each<[string, unknown, string | undefined]>([
    ['a claim alone', false, undefined],
    ['one claim of several', { high: true, low: false }, undefined],
    ['a claim with its difference', { balanced: false, difference: -2.4 }, '-2.40'],
    ['a difference alone', { difference: 0.01 }, '0.01'],
    ['two figures', { payments: 97.6, total: 100 }, '-2.40'],
    ['two figures of text', { payments: '97.60', total: '100.00' }, '-2.40'],
    ['figures with their difference', { total: 100, payments: 97.6, difference: 2.4 }, '2.40'],
    ['a difference of the other sign', { total: 100, payments: 97.6, difference: -2.4 }, '-2.40'],
    ['the difference first', { difference: 2.4, total: 100, payments: 97.6 }, '2.40'],
    ['a large difference first', { difference: 90, total: 100, payments: 10 }, '90.00'],
    ['one side and the difference', { total: 100, difference: -2.4 }, '-2.40'],
    ['a difference and what is tolerated', { difference: 2.4, tolerance: 0.01 }, '2.40'],
    ['one difference of several', { high: { diff: 0 }, low: { diff: 1.5 } }, '1.50'],
    ['a difference as large as a figure', { total: 4, payments: 2, difference: 2 }, '2.00'],
    ['binary dust', { paid: 0.3, sum: 0.1 }, '0.20'],
    ['figures deeper down', { sides: { paid: 5, due: 7 } }, '-2.00'],
    ['other names', { klopt: false, verschil: 1.5 }, '1.50'],
  ])('warns of %s, with the difference', (_, check, difference) => {
    const [warning, ...more] = balanceWarnings({ direct_paid: { balance_check: check } });
    expect(more).toEqual([]);
    expect(warning).toMatch(/^Payments do not balance .*\(direct_paid\.balance_check\)\./);
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
    expect(balanceWarnings(report)).toHaveLength(3);
  });

  test('says which report it is about', () => {
    expect(balanceWarnings({ balance_check: false }, '2026-11-11')[0]).toContain('of 2026-11-11 ');
  });

  test('states the difference to the cent, and none where there is none', () => {
    const cents = fc.integer({ min: -1e9, max: 1e9 });
    const euros = (amount: number) => Number((amount / 100).toFixed(2));
    fc.assert(
      fc.property(cents, cents, (paid, due) => {
        const check = { paid: euros(paid), due: euros(due), off: euros(paid - due) };
        const warnings = balanceWarnings({ balance_check: check });
        expect(warnings).toHaveLength(paid === due ? 0 : 1);
        if (paid !== due) expect(warnings[0]).toContain(`is ${euros(paid - due).toFixed(2)} euros`);
      }),
    );
  });

  test('survives any report', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (report, check) => {
        expect(Array.isArray(balanceWarnings(report))).toBe(true);
        expect(balanceWarnings({ balance_check: check }).length).toBeLessThan(2);
      }),
    );
  });
});
