import { expect, test } from 'vitest';
import { latestNotes, sayRank } from '../../../src/analysis/turnover/describe.ts';

const day = (text: string) => ({ from: text, to: text });

test('notes are those of the days that were read, the latest first', () => {
  const notes = ['2026-11-01', '2026-11-05', '2026-11-12'].map((it) => ({ day: it, note: it }));
  const periods = [day('2026-11-12'), { from: '2026-11-01', to: '2026-11-02' }];
  const latest = latestNotes(notes, periods);
  expect(latest.map((it) => it.day)).toEqual(['2026-11-12', '2026-11-01']);
});

test('of ten thousand long notes on one day an answer has fifty, cut short', () => {
  const notes = Array.from({ length: 10_000 }, () => ({
    day: '2026-11-01',
    note: 'n'.repeat(5000),
  }));
  const latest = latestNotes(notes, [day('2026-11-01')]);
  expect(JSON.stringify(latest).length).toBeLessThan(20_000);
  expect(latest[0]?.note).toBe(`${'n'.repeat(200)}…`);
});

test.each([
  [1, 4, 'lowest of 5'],
  [5, 4, 'highest of 5'],
  [3, 4, 'in the middle of 5'],
  [4, 4, '2nd highest of 5'],
  [4, 8, '4th lowest of 9'],
])('rank %i among %i earlier figures is the %s', (rank, earlier, text) => {
  expect(sayRank(rank, earlier)).toBe(text);
});
