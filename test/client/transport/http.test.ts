import { expect, it } from 'vitest';
import { readJson, refusalError } from '../../../src/client/transport/http.ts';

const secret = 'ab/Cd+secret.token';
const answerOf = (text: string, status = 400) => ({
  endpoint: 'GET /api/order',
  status,
  text,
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
    expect(named).toMatchObject({ detail: '***', traceId: 't ***' });
    const titled = refusalError(answerOf(`{"title": "${echo}"}`));
    const raw = refusalError(answerOf(`no JSON: ${echo}`));
    expect([titled.detail, raw.detail]).toEqual(['***', 'no JSON: ***']);
    expect(() => readJson(answerOf(`{"cut": "${echo}`, 200))).toThrow('***');
  },
);

it('repeats a trace id bounded and neutral', () => {
  const { traceId = '' } = refusalError(answerOf(`{"trace_id": "\\n# ${'x'.repeat(5000)}"}`));
  expect(traceId).toMatch(/^# x+…$/);
  expect(traceId).toHaveLength(65);
  expect(refusalError(answerOf('{"trace_id": "a\\nb"}')).traceId).toBe('a\\nb');
});
