import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyDays } from '../../../src/analysis/endpoint/findings.ts';
import { addDays } from '../../../src/core/calendar.ts';
import { runs } from '../../property-runs.ts';
import { sentenceOf } from '../../reasons.ts';
import { sharedServer } from '../../server-over.ts';

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

  test('and days with rows are all days of a period that is over', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(29), { minLength: 1 }), (offsets) => {
        const from = '2026-10-01';
        const days = offsets.map((offset) => addDays(from, offset));
        const rows = days.map((day) => ({ made: `${day}T12:00:00+02:00` }));
        const empty = emptyDays(rows, { from, to: addDays(from, 29) }, nowMs) ?? [];
        expect(new Set([...empty, ...days]).size).toBe(30);
        expect(empty.length + days.length).toBe(30);
      }),
      { numRuns: runs(50) },
    );
  });
});

describe('an answer over days', () => {
  const shared = sharedServer();
  const { ask } = shared;

  test('names those without rows: a list, a profile and a table of a statement', async () => {
    // The wholesale shop is closed on Saturdays and Sundays.
    const { world } = shared().sandbox;
    const { id } = world.shops.at(-1) ?? expect.unreachable();
    const october = Array.from({ length: 31 }, (_, at) => addDays('2026-10-01', at));
    const days = october.filter((it) => world.orders(it, it, { shopIds: [id] }).length === 0);
    const said = sentenceOf({
      code: 'empty_days',
      count: days.length,
      days: days.slice(0, 3),
      noun: 'orders',
      isFiltered: true,
    });
    const given = { period: '2026-10-01..2026-10-31', shop_id: String(id), is_internal: false };
    const listed = await ask('list_orders', { ...given, all: true });
    const profiled = await ask('list_orders', { ...given, limit: 0 });
    const { empty_days: empty } = listed.context;
    expect(empty).toEqual({ count: days.length, days: days.slice(0, 3), text: said });
    expect(profiled.context.empty_days).toEqual(empty);
    expect(listed.text).toContain(`# ${said}`);
    const sql = `SELECT count(*) AS n FROM list_orders(period := '2026-10-01..2026-10-31', shop_id := ${id}, is_internal := false)`;
    const { context } = await ask('query', { sql });
    expect(context.tables).toMatchObject([
      { table: 'list_orders', complete: true, empty_days: empty },
    ]);
  });

  test('says nothing where each has rows, or where rows are missing', async () => {
    const whole = await ask('list_orders', { period: '2026-11-09..2026-11-15', limit: 0 });
    const first = await ask('list_orders', { period: '2026-11-09..2026-11-15', limit: 5 });
    expect([whole.context.empty_days, first.context.empty_days]).toEqual([undefined, undefined]);
  });

  test('asked for no rows of a list that was read whole is complete', async () => {
    const { context, text } = await ask('list_orders', { period: 'last_week', limit: 0 });
    expect(context).toMatchObject({ complete: true });
    expect(context).not.toHaveProperty('next');
    expect(text).not.toMatch(/Next:|Read whole/);
  });
});
