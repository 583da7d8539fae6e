import { expect, test } from 'vitest';
import { personReader, type Said } from '../../../../src/cli/terminal/catalogue/catalogue.ts';

const kept = {
  code: 'kept_lines',
  orders: 0,
  bytes: 0,
  keepMb: 2000,
  filled: undefined,
} as const;
const shops = [
  { id: 2, name: 'Utrecht Centraal' },
  { id: 3, name: 'Utrecht Oost' },
];

/** What checks find, with what is said of it to a person. */
test.each<[Said, string]>([
  [
    { code: 'role_of_key', role: 'Clerk', account: 'sandbox', capabilities: [] },
    'role Clerk of account sandbox; capabilities: none',
  ],
  [
    { code: 'role_lacks', missing: 'location.list', tools: ['list_locations'] },
    'It lacks location.list, which list_locations may need: an administrator can widen the role.',
  ],
  [
    { code: 'reports_need_location', locations: shops },
    'Reports need location_id, one of the locations that the key is bound to: Utrecht Centraal (2), Utrecht Oost (3).',
  ],
  [
    { code: 'redis_refuses', host: 'redis:6379', refusal: 'WRONGPASS' },
    'redis:6379 answers, and refuses the user or the password (WRONGPASS)',
  ],
  [
    { code: 'drift', gone: ['/api/stock', '/api/order?is_paid'] },
    'not listed any more: /api/stock, /api/order?is_paid',
  ],
  [
    {
      code: 'budget_left',
      limit: 600,
      remaining: 0,
      windowSeconds: 60,
      resetsInSeconds: 9,
      waiting: 0,
      policy: [],
    },
    '0 of 600 requests left in this window of 60 s; the next begins in 9 s',
  ],
  [
    { code: 'clock_differs', skewSeconds: -3600 },
    "this machine's clock is 60 minutes ahead of the platform's",
  ],
  [
    { code: 'lines_in', folder: '/kept', kept },
    'lines of 0 orders, no whole day, 0.0 of 2000 MB, in /kept',
  ],
  [
    { code: 'not_writable', path: '/kept/file', place: 'mkdir', error: 'EACCES' },
    '/kept/file cannot be written: EACCES at mkdir',
  ],
  [{ code: 'definitions_work', folder: 'bench', names: [] }, 'bench holds no view and no table'],
  [
    { code: 'checks_verdict', failed: 1, count: 13 },
    '1 of 13 checks failed. Begin with the first.',
  ],
])('of a check a person is told %j', (message, text) => {
  expect(personReader().say(message)).toBe(text);
});
