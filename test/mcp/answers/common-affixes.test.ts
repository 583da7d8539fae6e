import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonAffixes } from '../../../src/mcp/answers/common-affixes.ts';

const day = '2026-11-19T';

describe('sharedEnds', () => {
  test.each<[string, string[], { before: string; after: string; cells: string[] }]>([
    [
      'the day and the offset',
      [`${day}09:00:00+01:00`, `${day}10:30:00+01:00`, `${day}23:59:59+01:00`],
      { before: day, after: '+01:00', cells: ['09:00:00', '10:30:00', '23:59:59'] },
    ],
    [
      'the year, and the offset of neither side of the change of the clock',
      ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', '2026-11-01T00:00:00+01:00'],
      {
        before: '2026-',
        after: '',
        cells: ['10-25T02:30:00+02:00', '10-25T02:30:00+01:00', '11-01T00:00:00+01:00'],
      },
    ],
    [
      'the offset alone across a new year, fractions and missing cells left as they are',
      ['2025-12-31 23:59Z', '', '2026-01-01 00:00:01.250Z', '2026-01-01 00:00Z'],
      {
        before: '',
        after: 'Z',
        cells: ['2025-12-31 23:59', '', '2026-01-01 00:00:01.250', '2026-01-01 00:00'],
      },
    ],
    [
      'the folder of addresses',
      ['https://a.example/order/12', 'https://a.example/order/13', 'https://a.example/order/1/x'],
      { before: 'https://a.example/order/', after: '', cells: ['12', '13', '1/x'] },
    ],
  ])('takes away %s', (_, cells, expected) => {
    expect(commonAffixes(cells)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['of two cells', [`${day}09:00:00+01:00`, `${day}10:30:00+01:00`, '']],
    ['of plain days', ['2026-11-17', '2026-11-18', '2026-11-19']],
    ['of texts that begin alike', ['W20261119-1', 'W20261119-2', 'W20261119-3']],
    ['of times of which one is something else', [`${day}09:00Z`, `${day}10:00Z`, `${day}later`]],
    [
      'of addresses where a cell would be left empty',
      ['x', 'y', ''].map((end) => `https://a.example/${end}`),
    ],
    [
      'of addresses that differ from the start',
      ['https://a.b/1', 'https://c.d/2', 'https://e.f/3'],
    ],
    ['of no cells', []],
  ])('leaves alone the ends %s', (_, cells) => {
    expect(commonAffixes(cells)).toBeUndefined();
  });

  test('gives every cell back, and leaves none empty that was not', () => {
    const time = fc
      .date({ min: new Date('2025-11-01'), max: new Date('2026-02-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
    const offset = fc.constantFrom('Z', '+01:00');
    const times = fc.tuple(time, offset).map(([text, end]) => text.replace('Z', end));
    const links = fc.string().map((end) => `https://office.example.com/${end}`);
    const columns = [times, links].map((cell) => fc.array(fc.oneof(cell, fc.constant(''))));
    fc.assert(
      fc.property(fc.oneof(...columns), (cells) => {
        const ends = commonAffixes(cells);
        const whole = ends?.cells.map((it) => (it === '' ? '' : ends.before + it + ends.after));
        expect(whole ?? cells).toEqual(cells);
        expect(ends?.cells.map(Boolean) ?? []).toEqual(ends ? cells.map(Boolean) : []);
      }),
    );
  });
});
