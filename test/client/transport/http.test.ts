import { expect, it, vi } from 'vitest';
import { readJson, refusalError, retryAfterOf } from '../../../src/client/transport/http.ts';
import { reasonOf } from '../../reasons.ts';

const secret = 'ab/Cd+secret.token';
const answerOf = (text: string, status = 400) => ({
  endpoint: 'GET /api/order',
  status,
  text,
  bytes: Buffer.from(text),
  header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
  secrets: [secret],
});
const escaped = [...secret]
  .map((it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('');

it.each([secret, secret.replace('/', '\\/'), escaped, escaped.toUpperCase().replaceAll('U', 'u')])(
  'strikes out a token that the platform echoes as %s',
  (echo) => {
    const named = refusalError(answerOf(`{"detail": "${echo}", "trace_id": "t ${echo}"}`));
    expect(named.reason).toMatchObject({ detail: '***', traceId: 't ***' });
    expect(named.traceId).toBe('t ***');
    const titled = refusalError(answerOf(`{"title": "${echo}"}`));
    const raw = refusalError(answerOf(`no JSON: ${echo}`));
    expect(titled.reason).toMatchObject({ detail: '***' });
    expect(raw.reason).toMatchObject({ detail: 'no JSON: ***' });
    expect(() => readJson(answerOf(`{"cut": "${echo}`, 200))).toThrow(
      reasonOf({ code: 'unreadable_answer', content: '{"cut": "***' }),
    );
  },
);

it('repeats a trace id bounded and neutral', () => {
  const { traceId = '' } = refusalError(answerOf(`{"trace_id": "\\n# ${'x'.repeat(5000)}"}`));
  expect(traceId).toMatch(/^# x+…$/);
  expect(traceId).toHaveLength(65);
  expect(refusalError(answerOf('{"trace_id": "a\\nb"}')).traceId).toBe('a\\nb');
});

const rowsOfOwnKeys = (count: number) =>
  Array.from(
    { length: count },
    (_, row) => `{${Array.from({ length: 10 }, (_, key) => `"${row}_${key}":1`)}}`,
  );

it.each([
  ['twice the rows that were asked for', `[${'{},'.repeat(1000)}{}]`, 500, 'too_large'],
  ['more rows than any list has', `[${'{},'.repeat(250_000)}{}]`, undefined, 'too_large'],
  ['a row of too many keys', `[{${'"a":1,'.repeat(5_000)}"b":1}]`, 500, 'too_large'],
  ['too many values', `[${`[${'1,'.repeat(999)}1],`.repeat(200)}1]`, 500, 'too_large'],
  ['keys of their own in each row', `[${rowsOfOwnKeys(501)}]`, 500, 'too_large'],
  ['too many levels', `${'['.repeat(65)}${']'.repeat(65)}`, 500, 'malformed_answer'],
] as const)('refuses an answer of %s before it is parsed', (_, text, limit, code) => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(() => readJson(answerOf(text, 200), limit)).toThrow(expect.objectContaining({ code }));
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

it('reads an answer of as much as is fine', () => {
  const rows = Array.from({ length: 1000 }, () => ({}));
  expect(readJson(answerOf(JSON.stringify({ data: rows }), 200), 500)).toEqual({ data: rows });
});

const date = 'Sun, 29 Nov 2026 23:59:50 GMT';

it.each<[string | undefined, string | undefined, number | undefined]>([
  ['120', undefined, 120_000],
  ['Mon, 30 Nov 2026 00:00:20 GMT', date, 30_000],
  ['Sun, 29 Nov 2026 23:00:00 GMT', date, 0],
  ['Mon, 30 Nov 2026 00:00:20 GMT', undefined, undefined],
  ['0.5', date, undefined],
  ['soon GMT', date, undefined],
  [undefined, date, undefined],
])('reads Retry-After %s of an answer of %s as %s ms', (text, sent, expected) => {
  const headers: Record<string, string | undefined> = { 'retry-after': text, date: sent };
  expect(retryAfterOf({ header: (name) => headers[name] })).toBe(expected);
});
