import { endpointMessages } from '../../src/analysis/endpoint/messages.ts';
import { fenceMessages } from '../../src/analysis/fence.ts';
import { sentencesOf } from './sentences-of.ts';

const day = { from: '2026-11-14', to: '2026-11-14' };
const days = { from: '2026-08-22', to: '2026-11-20' };
const customers = [
  { id: 7, name: 'J. Jansen', city: 'Utrecht' },
  { id: 8, name: 'J. Jansen', city: '' },
];

export const endpointSentences = [
  ...sentencesOf('fence', fenceMessages, { not_open: [{ columns: ['customer_name', 'x\ny'] }] }),
  ...sentencesOf('endpoint', endpointMessages, {
    one_of: [
      { tool: 'get_order', names: ['order_id', 'order_number'], count: 0 },
      { tool: 'get_order', names: ['order_id', 'order_number'], count: 2 },
    ],
    top_without_sort: [{ columns: ['quantity', 'turnover'] }, { columns: [] }],
    which_customer: [
      { name: 'Jansen', count: 9, customers },
      { name: 'Nobody', count: 0, customers: [] },
    ],
    no_such_order: [
      { number: 'W-0', days, looked: 0, total: 0 },
      { number: 'W-0', days, looked: 10_000, total: 135_000 },
    ],
    balance_differs: [{ path: 'direct_paid.balance_check', period: day, difference: '-2.40' }],
    all_zero: [
      { period: day },
      { period: days },
      {
        period: day,
        others: ['2026-11-01', '2026-11-08', '2026-11-15'].map((it) => ({ from: it, to: it })),
      },
      { period: days, others: [day] },
    ],
    no_rows: [
      { filters: ['q', 'status'], count: 0, noun: 'orders' },
      { filters: ['status'], count: 1, noun: 'orders' },
      { filters: ['status'], count: 1200, noun: 'orders' },
    ],
  }),
];
