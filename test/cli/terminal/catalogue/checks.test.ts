import { expect, test } from 'vitest';
import { person, type Said } from '../../../../src/cli/terminal/catalogue/catalogue.ts';
import type { Remedy } from '../../../../src/cli/terminal/catalogue/checks.ts';
import { errorMessages } from '../../../../src/core/errors.ts';

const kept = '0 orders, no whole day, 0.0 of 2000 MB';
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
  [{ code: 'definitions_work', folder: 'bench', names: [] }, 'bench holds no view and no table'],
  [
    { code: 'checks_verdict', failed: 1, well: 12, count: 13 },
    '12 of 13 checks are well. 1 failed: begin with the first.',
  ],
  [
    { code: 'redis_silent', host: 'redis:6379', error: 'ECONNREFUSED', text: 'gone' },
    'redis:6379 does not answer as a Redis (ECONNREFUSED): gone',
  ],
  [
    { code: 'redis_answers', host: 'redis:6379' },
    'redis:6379 answers: replicas on this key share one budget',
  ],
  [
    { code: 'role_sees_no_location' },
    'It may see no location, and so no report: an administrator can bind it to some.',
  ],
  [
    { code: 'drift_unknown', reason: errorMessages.other_error({ words: '404' }) },
    'openapi.json could not be read, so nothing was compared: 404',
  ],
  [{ code: 'keep_dir_is_new', folder: '/kept' }, '/kept is not there yet; what is read makes it'],
  [
    { code: 'definitions_work', folder: 'definitions', names: ['net_turnover', 'targets'] },
    'net_turnover, targets of definitions work',
  ],
  [
    { code: 'no_budget_told' },
    'the platform reported none, so requests are paced carefully until an answer does',
  ],
  [{ code: 'checks_verdict', failed: 0, well: 13, count: 13 }, 'All is well, of 13 checks.'],
  [{ code: 'checks_verdict', failed: 0, well: 12, count: 13 }, '12 of 13 checks are well.'],
  [{ code: 'accounts_verdict', failed: ['utrecht'], count: 3 }, 'Failed: utrecht, of 3 accounts.'],
])('of a check a person is told %j', (message, text) => {
  expect(person.say(message)).toBe(text);
});

test.each<[Remedy, string]>([
  ['key_refused', 'ask an account administrator for a new API key'],
  ['unauthorized', 'COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts'],
  ['rate_limited', 'Wait as long as that'],
  ['unreachable', 'COMMERCE_BASE_URL, COMMERCE_AUTH_URL'],
  ['discovery', "has to be the account's own authorization server"],
  ['role and capabilities', 'COMMERCE_BASE_URL'],
  ['order lines', 'COMMERCE_KEEP_DIR has to be a folder of the user that runs this (mode 700)'],
  ['clock skew', 'NTP'],
  ['drift', 'Look for a newer version'],
  ['drift_unknown', 'Nothing breaks'],
  ['no_definitions', 'views/NAME.sql'],
])('what to do about %s names what it is done with', (name, words) => {
  expect(person.say({ code: 'remedy', name })).toContain(words);
});
