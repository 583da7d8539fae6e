import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const { say } = modelReader(() => true);
const endpoint = 'GET /api/order';
const refused = {
  code: 'refused',
  endpoint,
  status: 429,
  traceId: 'abc',
  detail: 'Too many\nrequests',
} as const;
const noRefusal = { refusal: undefined };

/** Each message with what is said of it. */
test.each<[Message, string]>([
  [refused, 'GET /api/order answered 429: Too many\\nrequests (trace_id abc)'],
  [{ ...refused, detail: '', traceId: undefined }, 'GET /api/order answered 429: no reason given'],
  [
    { code: 'redirected', endpoint, status: 302, origin: 'https://login.example.com' },
    'GET /api/order answered 302, a redirect to https://login.example.com, which is not followed; check the configured address.',
  ],
  [
    { code: 'not_connected', endpoint, origin: 'https://a.example.com', cause: 'ECONNRESET' },
    'GET /api/order: the connection was reset (ECONNRESET) at https://a.example.com.',
  ],
  [{ code: 'answer_late', endpoint, seconds: 30 }, 'GET /api/order: no whole answer within 30 s.'],
  [
    { code: 'answer_too_large', endpoint, bytes: 64_000_000 },
    'GET /api/order answered with more than 64 MB; ask for less at once.',
  ],
  [
    {
      code: 'unreadable_answer',
      endpoint,
      status: 200,
      flaw: { kind: 'not_json' },
      content: '{"a',
    },
    'GET /api/order answered 200, but the answer is cut off or no JSON: "{"a"',
  ],
  [
    { code: 'unreadable_answer', endpoint, status: 200, flaw: { kind: 'empty' }, content: '' },
    'GET /api/order answered 200, but the answer is empty',
  ],
  [
    { code: 'budget_spent', endpoint, waitMs: 59_400, ...noRefusal },
    'GET /api/order: the rate budget of this API key is used up; ask again in 60 s.',
  ],
  [
    { code: 'budget_spent', endpoint, waitMs: 1000, refusal: refused },
    'GET /api/order: the rate budget of this API key is used up; ask again in 1 s. GET /api/order answered 429: Too many\\nrequests (trace_id abc)',
  ],
  [
    { code: 'budget_shared', endpoint, waitMs: 1000, ...noRefusal },
    'GET /api/order: what is left of the rate budget is kept for others who are asking; ask again in 1 s.',
  ],
  [
    { code: 'share_spent', endpoint, waitMs: 1000, ...noRefusal },
    "GET /api/order: this caller's share of the rate budget is used up; ask again in 1 s.",
  ],
  [
    { code: 'too_many_waiting', endpoint, most: 750, isOfCaller: true },
    'GET /api/order: 750 requests of yours are waiting already, the most there may be; ask again in a moment.',
  ],
  [{ code: 'server_ending' }, 'The server is ending.'],
  [
    { code: 'not_whole', why: 'list_stopped', reason: { code: 'client_closed' } },
    'Stopped before the end: The client is closed; nothing is asked any more.',
  ],
  [
    { code: 'not_whole', why: 'more_than_reported', rows: 30, total: 23 },
    'The platform reports 23 rows but gave 30; there may be more.',
  ],
  [
    { code: 'not_whole', why: 'fewer_than_reported', rows: 3, total: 100 },
    'Only 3 different rows could be read of the 100 reported.',
  ],
  [
    { code: 'row_limit', rows: 25, total: 100 },
    'Stopped at 25 rows, the most one call may read, of 100.',
  ],
  [
    { code: 'row_limit', rows: 25 },
    'Stopped at 25 rows, the most one call may read; next_cursor goes on.',
  ],
  [
    { code: 'moved_while_reading', rows: [95, 98] },
    'The list changed while it was read (it had 95 to 98 rows).',
  ],
  [
    { code: 'repeated_rows', repeated: 1, rows: 1 },
    '1 row came again and is counted once, in the last version: 1 row in all.',
  ],
])('$code is said as it is', (message, text) => {
  expect(say(message)).toBe(text);
});
