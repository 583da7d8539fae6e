import { expect, test } from 'vitest';
import { adviceOn, connectionAdvice } from '../../../src/analysis/errors/advice.ts';
import { explain } from '../../../src/analysis/errors/explain.ts';
import { fenceMessages } from '../../../src/analysis/fence.ts';
import { findReference } from '../../../src/analysis/find-reference.ts';
import { responseOf } from '../../../src/client/request/get.ts';
import { connectionError, refusalError } from '../../../src/client/transport/http.ts';
import { errorMessages, InputError, PlatformError } from '../../../src/core/errors.ts';
import type { Message } from '../../../src/core/message.ts';
import { reply } from '../../client/fake-platform.ts';
import { fakeServices } from '../fake-services.ts';

test.each([
  ['short', 'The role Guest lacks the capability location.list'],
  ['long', `${'One more reason. '.repeat(100)}The end`],
  ['of several lines', 'First line\nsecond line\u202e'],
])('a refusal of the platform is told once, with a detail that is %s', async (_, detail) => {
  const text = JSON.stringify({ title: 'Forbidden', status: 403, detail, trace_id: 'abc-123' });
  const answer = { ...reply(403, text), endpoint: 'GET /api/location', text };
  const said = await explain(fakeServices().services, refusalError(answer));
  const [beginning = ''] = detail.split(/[.\n]/);
  expect(said).toContain(`answered 403: ${beginning}`);
  expect(said).not.toContain('detail "');
  for (const once of ['abc-123', '403']) expect(said.split(once)).toHaveLength(2);
});

test('a key without any capability is told that first, and of no other way', async () => {
  const { services, client } = fakeServices();
  const me = { authorization: { capabilities: { 'report.view': false } } };
  const get: typeof client.get = async () => responseOf({ body: me, readAtMs: 0, size: 0 }, false);
  const text = JSON.stringify({ title: 'Forbidden', status: 403, detail: 'No', trace_id: 'a' });
  const refusal = refusalError({ ...reply(403, text), endpoint: 'GET /api/order', text });
  expect(await explain({ ...services, client: { ...client, get } }, refusal)).toBe(
    'This key has no capability, so it may see nothing here; an administrator widens its role. (GET /api/order answered 403: No (trace_id a))',
  );
});

test.each([
  ['ENOTFOUND', connectionAdvice.unknown_name],
  ['EAI_AGAIN', connectionAdvice.unknown_name],
  ['ECONNRESET', connectionAdvice.connection],
])('what to do about a connection that fails with %s', async (cause, advice) => {
  const error = connectionError(
    { code: cause },
    'GET /api/shop',
    new URL('https://api.exampel.com/api'),
  );
  expect((await explain(fakeServices().services, error)).split('\n')).toEqual([
    expect.stringContaining(`(${cause})`),
    advice,
  ]);
});

test.each<[Message, string]>([
  [fenceMessages.tool_not_open({ tool: 'list_orders', toolset: 'orders' }), ''],
  [errorMessages.other_error({ words: 'gone' }), 'find_reference: '],
])('a tool is named before a reason that does not name one: $code', async (reason, name) => {
  const failed = { tool: findReference, input: {} };
  const text = await explain(fakeServices().services, new InputError(reason), failed);
  expect(text).toBe(`${name}${reason.text}`);
});

test.each([
  [undefined, 'Try again in a minute.'],
  [1500, 'Try again in 2 seconds.'],
  [7_200_000, 'Try again in 120 minutes.'],
])('a wait of %s ms is told in words', (retryAfterMs, wait) => {
  const busy = errorMessages.other_error({ words: 'busy' });
  expect(adviceOn(new PlatformError('overloaded', busy, { retryAfterMs }))).toEqual([wait]);
});
