import { expect, test } from 'vitest';
import { profileColumns } from '../../../src/analysis/rows/column-profile.ts';
import { readColumns } from '../../../src/analysis/rows/rows.ts';
import { clockOf, profileLines, textTable } from '../../../src/mcp/answers/table.ts';

const changed = ['05', '05', '06'].map((hour) => ({ changed: `2026-11-17T${hour}:00:00Z` }));

test('a line of a profile has one clock: moments that are counted have that of the others', () => {
  const [profile] = profileColumns(readColumns(changed));
  expect(profile?.values).toEqual({ '2026-11-17T05:00:00Z': 2, '2026-11-17T06:00:00Z': 1 });
  expect(profileLines(profile ? [profile] : [])).toEqual([
    'changed: min 2026-11-17T06:00:00, max 2026-11-17T07:00:00, 2026-11-17T06:00:00 ×2, 2026-11-17T07:00:00 ×1',
  ]);
});

test.each([
  ['UTC', changed],
  ['UTC', [{ inner: { at: '2026-11-17T05:00:00+00:00' } }]],
  [undefined, [{ at: '2026-11-17T05:00:00+01:00', day: '2026-11-17', code: 'XYZ' }]],
  [undefined, []],
])('the clock of moments as they came is %s', (clock, rows) => {
  expect(clockOf(readColumns(rows))).toBe(clock);
});

test('names of ids that repeat are said once, above; amounts and moments are as they are in each row', () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({
    shop_id: 1 + (at % 2),
    discount_wt: at % 2 ? 2.5 : 0,
    at: `2026-11-17T0${5 + (at % 2)}:00:00Z`,
  }));
  const labels = { shop_id: { 1: 'Webshop', 2: 'Utrecht' } };
  const { legends, lines } = textTable({ columns: readColumns(rows), labels });
  expect(legends).toEqual(['shop_id: 1 Webshop, 2 Utrecht']);
  expect(lines.slice(0, 2)).toEqual(['1|0.00|2026-11-17T06:00:00', '2|2.50|2026-11-17T07:00:00']);
});
