import { turnoverMessages } from '../../src/analysis/turnover/messages.ts';
import { sentencesOf } from './sentences-of.ts';

const day = { from: '2026-11-14', to: '2026-11-14' };
const wednesday = { from: '2026-10-14', to: '2026-10-14' };
const month = { from: '2026-10-01', to: '2026-10-31' };

export const turnoverSentences = sentencesOf('turnover', turnoverMessages, {
  no_usual_of_period: [{ days: { from: '2026-01-01', to: '2026-11-20' }, max: 31 }],
  too_many_calls: [{ calls: 1050, periods: 350, each: 3, max: 300 }],
  unknown_measures: [
    { tool: 'turnover_trend', by: 'total', name: 'totl', nearest: 'total', measures: ['a', 'b'] },
    { tool: 'turnover_trend', by: 'shop', name: 'margin', measures: ['a'] },
  ],
  not_like_for_like: [
    { period: { ...day, given: 'yesterday' }, reference: wednesday },
    {
      period: { from: '2026-11-09', to: '2026-11-11', given: 'dates' },
      reference: { from: '2026-11-06', to: '2026-11-08' },
      buckets: { unlike: 2, of: 3 },
    },
    {
      period: { ...month, given: 'last_month' },
      reference: { from: '2026-09-01', to: '2026-09-30' },
      perDay: { measure: 'total_turnover_wt', current: '4,012.11', reference: '3,987.50' },
    },
  ],
  holidays_on_one_side: [
    {
      period: [{ day: '2026-05-05', name: 'Liberation Day' }],
      reference: [{ day: '2026-04-27', name: "King's Day" }],
    },
  ],
  too_few_periods: [
    { few: 1, of: 1, earlier: { like: 'Thursdays', counted: 2, of: 4 } },
    { few: 2, of: 8 },
  ],
});
