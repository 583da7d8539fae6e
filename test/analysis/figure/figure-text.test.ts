import { describe, expect, test } from 'vitest';
import type { FigureRequest } from '../../../src/analysis/figure/decide-figure.ts';
import type { FigureNotes } from '../../../src/analysis/figure/figure.ts';
import {
  type FigureLocale,
  figureFootnotes,
  figureMarks,
  figureSummary,
  headingOf,
} from '../../../src/analysis/figure/figure-text.ts';
import { calendarMessages } from '../../../src/core/calendar.ts';
import { figureOf } from './requests.ts';

function columnsOf(adds: boolean): FigureRequest['columns'] {
  return [
    { name: 'day', type: 'DATE' },
    { name: 'turnover', type: 'DECIMAL(18,2)', adds },
  ];
}

const request: FigureRequest = {
  columns: columnsOf(true),
  rows: [
    { day: '2026-11-02', turnover: '0.10' },
    { day: '2026-11-03', turnover: '0.20' },
    { day: '2026-11-05', turnover: '1234.50' },
    { day: '2026-11-06', turnover: null },
  ],
  title: 'Turnover',
  unit: 'euro',
  notes: {
    source: 'sandbox',
    complete: false,
    warnings: [{ code: 'day_not_over', text: 'today is not over.' }],
    asOf: '2026-11-07T09:00:00+01:00',
    period: { from: '2026-11-02', to: '2026-11-06' },
  },
};

function textOf(locale: FigureLocale, rest: Partial<FigureRequest> = {}): string {
  const figure = figureOf({ ...request, ...rest });
  const said = [
    `${headingOf(figure)}: ${figureSummary(figure, locale)}.`,
    ...figureMarks(figure),
    ...figureFootnotes(figure, locale),
  ];
  // Intl parts numbers and signs with spaces that do not break.
  return said.join('\n').replaceAll(/[\u00a0\u202f]/g, ' ');
}

describe('a figure in words', () => {
  test('without a title is headed by names as people say them', () => {
    const { title: _, ...untitled } = request;
    const columns = [
      { name: 'day', type: 'DATE' },
      { name: 'total_turnover_wt', type: 'DOUBLE' },
    ];
    const rows = [{ day: '2026-11-02', total_turnover_wt: 1 }];
    const heading = headingOf(figureOf({ ...untitled, columns, rows }));
    expect(heading).toBe('total turnover incl. VAT by day');
  });

  test('says totals and extremes exactly, what must not be missed, and the notes, in Dutch forms', () => {
    expect(textOf('nl')).toBe(
      [
        'Turnover: 5 days (ma 2 nov to vr 6 nov), 4 with rows; total of these 5 € 1.234,80, highest € 1.234,50 (do 5 nov), lowest € 0,10 (ma 2 nov).',
        'Invented data (sandbox)',
        'Not complete',
        'Note: today is not over.',
        'Period: 2 november 2026 to 6 november 2026',
        'Read on 7 november 2026 om 09:00',
      ].join('\n'),
    );
  });

  const own: FigureNotes = { source: 'live', complete: true, warnings: [] };
  const twoYears = ['2025-12-31', '2026-01-01'].map((day) => ({ day, turnover: 3 }));

  test.each<[string, Partial<FigureRequest>, string]>([
    [
      'no total of what does not add up',
      { unit: '%', columns: columnsOf(false) },
      'Turnover: 5 days (Mon 2 Nov to Fri 6 Nov), 4 with rows; highest 1,234.5% (Thu',
    ],
    ['the unit as it was given', { unit: 'kilo' }, 'total of these 5 1,234.8 kilo'],
    ['the columns where there is no title', { title: undefined }, 'turnover by day: 5 days'],
    [
      'one number by itself',
      { rows: request.rows.slice(0, 1), notes: own },
      '1 day (Mon 2 Nov); €0.10 (Mon 2 Nov).',
    ],
    [
      'years where there are two',
      { rows: twoYears, notes: own },
      '2 days (Wed 31 Dec 2025 to Thu 1 Jan 2026); total',
    ],
  ])('says %s', (_, rest, told) => {
    expect(textOf('en', rest)).toContain(told);
  });

  test.each([
    [{ complete: true }, '4 with rows; total €1,234.80, highest €1,234.50 (Thu 5 Nov)'],
    [{ complete: true, isCut: true as const }, '; total of these 5 €1,234.80'],
    [{ complete: false }, '; total of these 5 €1,234.80'],
  ])('calls the total of %j what it is', (part, said) => {
    expect(textOf('en', { notes: { ...request.notes, ...part } })).toContain(said);
  });

  test('calls no week that the period cuts the highest or the lowest', () => {
    const rows = ['2026-W43', '2026-W44', '2026-W45', '2026-W46'].map((day, index) => ({
      day,
      turnover: [1, 20, 30, 99][index],
    }));
    const notes = { ...request.notes, period: { from: '2026-10-24', to: '2026-11-10' } };
    const text = textOf('en', { rows, notes });
    expect(text).toContain('highest €30.00 (wk 45), lowest €20.00 (wk 44)');
    const figure = figureOf({ ...request, rows, notes });
    expect(figure.notes.warnings).toContainEqual(
      calendarMessages.cut_by_period({
        buckets: [
          { bucket: '2026-W43', days: 2, of: 7 },
          { bucket: '2026-W46', days: 2, of: 7 },
        ],
      }),
    );
  });

  test('sums up each column of numbers over all its series', () => {
    const texts = ['shop', 'day'].map((name) => ({ name, type: 'VARCHAR' }));
    const numbers = ['a', 'b'].map((name) => ({ name, type: 'BIGINT', adds: name === 'a' }));
    const columns = [...texts, ...numbers];
    const rows = [
      { shop: 'X', day: 'Mon', a: 1, b: 2 },
      { shop: 'X', day: 'Tue', a: 4, b: 5 },
      { shop: 'Y', day: 'Tue', a: 9, b: 9 },
    ];
    expect(textOf('en', { columns, rows, unit: 'count' })).toContain(
      'Turnover: a: total of these 2 14, highest 9 (Tue · a, Y), lowest 1 (Mon · a, X); b: highest 9 (Tue · b, Y), lowest 2 (Mon · b, X).',
    );
  });
});

test('figures of other days stand beside the days of the axis', () => {
  const columns = [
    { name: 'day', type: 'DATE' },
    { name: 'now', type: 'BIGINT' },
    { name: 'before', type: 'BIGINT', isEarlier: true },
  ];
  const rows = ['2026-11-20', '2026-11-21'].map((day, at) => ({ day, now: at, before: at }));
  const text = textOf('en', { columns, rows, unit: 'count' });
  expect(text).toContain('now: highest 1 (Sat 21 Nov)');
  expect(text).toContain('before: highest 1 (beside Sat 21 Nov)');
});

test.each<[FigureLocale, number | undefined, string]>([
  ['en', undefined, '2 of 3 outside low to high: Mon 2 Nov below, Fri 6 Nov above'],
  ['nl', undefined, '2 of 3 outside low to high: ma 2 nov below, vr 6 nov above'],
  ['en', 8, '2 of 3 outside low to high (by chance about 1), far outside: Fri 6 Nov above'],
])('a band says which labels lie outside it (%s, usual of %s)', (locale, usualOf, said) => {
  const number = (name: string) => ({ name, type: 'DOUBLE' });
  const figure = figureOf({
    columns: [...columnsOf(true), number('low'), number('high')],
    rows: [
      { day: '2026-11-02', turnover: 3, low: 5, high: 9 },
      { day: '2026-11-03', turnover: 9, low: 5, high: 9 },
      { day: '2026-11-04', turnover: 8, low: null, high: null },
      { day: '2026-11-06', turnover: 11.1, low: 5, high: 9 },
    ],
    notes: { ...request.notes, usualOf },
  });
  expect(figureSummary(figure, locale)).toContain(said);
});
