import { calendarMessages } from '../../src/core/calendar.ts';
import { errorMessages } from '../../src/core/errors.ts';
import { queueMessages } from '../../src/core/fair-queue.ts';
import { fileMessages } from '../../src/core/files.ts';
import { nameMessages } from '../../src/core/nearest.ts';
import { periodMessages } from '../../src/core/periods.ts';
import { sentencesOf } from './sentences-of.ts';

const today = '2026-11-20';
const days = { from: '2026-11-21', to: '2026-11-30' };

export const coreSentences = [
  ...sentencesOf('calendar', calendarMessages, {
    cut_by_period: [{ buckets: [{ bucket: '2026-W43', days: 2, of: 7 }] }],
  }),
  ...sentencesOf('periods', periodMessages, {
    day_not_over: [
      { today, time: '14:05' },
      { today, time: '14:05', isBesideWholeDays: true },
    ],
    in_future: [{ days }],
    days_missing: [
      { argument: 'period', firstDay: 'from', today },
      { argument: 'against_from', firstDay: 'against_from', today },
    ],
    not_a_period: [{ argument: 'period', given: 'last_moth', nearest: 'last_month', today }],
    not_a_day: [
      { argument: 'from', given: 'x\ny', today },
      { argument: 'date', given: '31-11-2026', today },
    ],
    days_reversed: [{ argument: 'from', days: { from: today, to: '2026-11-19' } }],
    days_in_future: [{ argument: 'from', days, today }],
  }),
  ...sentencesOf('names', nameMessages, {
    no_such_name: [
      { kind: 'tool', name: 'list_order', nearest: 'list_orders', known: [] },
      { kind: 'tool', name: 'get_customer', known: ['get_me', 'list_shops'] },
    ],
  }),
  ...sentencesOf('files', fileMessages),
  ...sentencesOf('queue', queueMessages, {
    too_many_waiting: [
      { max: 100, isOfCaller: false },
      { endpoint: 'GET /api/order', max: 750, isOfCaller: true },
    ],
    server_ending: [{}],
  }),
  ...sentencesOf('errors', errorMessages),
];
