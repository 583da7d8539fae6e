import { lookMessages } from '../../src/analysis/survey/look.ts';
import { type AnswerFlaw, clientMessages } from '../../src/client/messages.ts';
import { sentencesOf } from './sentences-of.ts';

const endpoint = 'GET /api/order';
const refusal = { endpoint, status: 429, traceId: 'abc', detail: 'Too many\nrequests' };
const connection = { endpoint, origin: 'https://shop.example.com' };
const at = '2026-11-29T16:05:11+01:00';
const soon = { endpoint, of: 'key', waitMs: 59_400, at, refusal: undefined } as const;
const reason = clientMessages.client_closed();

const flaws: readonly AnswerFlaw[] = [
  { kind: 'ended_early', bytes: 120 },
  { kind: 'not_utf8' },
  { kind: 'empty' },
  { kind: 'other_type', type: 'text/html' },
  { kind: 'other_type', type: undefined },
  { kind: 'not_json' },
  { kind: 'not_object' },
  { kind: 'depth', max: 100 },
  { kind: 'keysPerObject', max: 10_000 },
  { kind: 'rowsPerList', max: 1000 },
  { kind: 'values', max: 2_000_000 },
  { kind: 'keys', max: 10_000 },
];

export const clientSentences = [
  ...sentencesOf('client', clientMessages, {
    not_connected: [
      { ...connection, cause: 'ECONNRESET', fault: 'connection' },
      { ...connection, cause: '', fault: 'connection' },
      { ...connection, cause: 'CERT_HAS_EXPIRED', fault: 'certificate' },
      { ...connection, cause: 'ERR_SSL_WRONG_VERSION_NUMBER', fault: 'no_tls' },
      { ...connection, cause: '403', fault: 'proxy' },
      { ...connection, cause: 'ENOTFOUND', fault: 'proxy' },
    ],
    refused: [refusal, { ...refusal, detail: '', traceId: undefined }],
    redirected: [
      { endpoint, status: 302, origin: 'https://login.example.com' },
      { endpoint, status: 302, origin: undefined },
    ],
    answer_too_large: [{ endpoint, bytes: 8_000_000 }],
    unreadable_answer: [
      ...flaws.map((flaw) => ({ endpoint, status: 200, flaw, content: '' })),
      { endpoint, status: 200, flaw: { kind: 'not_json' }, content: '{"a' },
    ],
    exchange_refused: [
      { endpoint, status: 502, detail: 'Bad\ngateway' },
      { endpoint, status: 502, detail: '' },
    ],
    budget_spent: [
      soon,
      { ...soon, waitMs: 7_200_000 },
      { ...soon, of: 'others' },
      { ...soon, of: 'caller' },
      { ...soon, waitMs: 1000, refusal: clientMessages.refused(refusal).text },
    ],
    not_whole: [
      { why: 'list_stopped', reason },
      { why: 'feed_stopped', rows: 500, reason },
      { why: 'more_than_reported', rows: 30, total: 23 },
      { why: 'fewer_than_reported', rows: 3, total: 100 },
      { why: 'fewer_given', rows: 3, total: 100 },
      { why: 'cursor_stands_still' },
    ],
    long_reads_too_large: [
      { megabytes: 128, of: 'list' },
      { megabytes: 128, of: 'caller' },
      { megabytes: 256, of: 'all' },
    ],
    row_limit: [{ rows: 25, total: 100 }, { rows: 25 }],
    moved_while_reading: [{ rows: [95, 98] }, {}],
    repeated_rows: [
      { repeated: 1, rows: 1 },
      { repeated: 2, rows: 1200 },
    ],
  }),
  ...sentencesOf('look', lookMessages),
];
