import { expect, test } from 'vitest';
import { pastDaysOf, readDayReports } from '../../../src/analysis/endpoint/day-reports.ts';
import { amsterdamDay } from '../../../src/core/calendar.ts';
import { getFinancialReport } from '../../../src/endpoints/reports.ts';
import { serverOver } from '../../server-over.ts';

const nowMs = Date.parse('2026-11-20T15:30:00+01:00');

test.each([
  ['single days tell themselves', [['2026-11-17', '2026-11-17']], 0],
  [
    'a week and the one before it',
    [
      ['2026-11-09', '2026-11-15'],
      ['2026-11-02', '2026-11-08'],
    ],
    14,
  ],
  [
    'days that periods share count once',
    [
      ['2026-11-01', '2026-11-10'],
      ['2026-11-05', '2026-11-14'],
    ],
    14,
  ],
  ['today is not over', [['2026-11-16', '2026-11-20']], 4],
  ['more than two weeks are too many', [['2026-11-01', '2026-11-15']], 0],
])('%s: %j are %i days', (_, periods, count) => {
  const days = pastDaysOf(
    periods.map(([from = '', to = '']) => ({ from, to })),
    nowMs,
  );
  expect(days).toHaveLength(count);
});

test('reports of days leave it to their caller to warn of a day that is not over', async () => {
  const { app, sandbox } = await serverOver('memory');
  const nowMs = app.services.now();
  const days = [amsterdamDay(nowMs)];
  const before = { ...sandbox.stats.byPath };
  const [report] = await readDayReports(app.services, {}, { nowMs }, days);
  expect(report?.context.warnings?.map(({ code }) => code)).not.toContain('day_not_over');
  expect(report?.payload).toHaveProperty('revenue');
  const asked = Object.keys(sandbox.stats.byPath).filter(
    (path) => sandbox.stats.byPath[path] !== before[path],
  );
  expect(asked).toEqual([getFinancialReport.path]);
});
