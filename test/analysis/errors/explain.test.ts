import { expect, test } from 'vitest';
import { explain } from '../../../src/analysis/errors/explain.ts';
import { responseOf } from '../../../src/client/request/get.ts';
import { connectionError, refusalError } from '../../../src/client/transport/http.ts';
import { modelReader } from '../../../src/mcp/answers/catalogue/catalogue.ts';
import { reply } from '../../client/fake-platform.ts';
import { fakeServices } from '../fake-services.ts';

const reader = modelReader(() => true);

test.each([
  ['short', 'The role Guest lacks the capability location.list'],
  ['long', `${'One more reason. '.repeat(100)}The end`],
  ['of several lines', 'First line\nsecond line\u202e'],
])('a refusal of the platform is told once, with a detail that is %s', async (_, detail) => {
  const text = JSON.stringify({ title: 'Forbidden', status: 403, detail, trace_id: 'abc-123' });
  const answer = { ...reply(403, text), endpoint: 'GET /api/location', text };
  const said = reader.say(await explain(fakeServices().services, refusalError(answer)));
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
  expect(await explain({ ...services, client: { ...client, get } }, refusal)).toMatchObject({
    reason: { code: 'sees_nothing', refusal: { code: 'refused', status: 403 } },
    advice: [],
  });
});

test.each([
  ['ENOTFOUND', 'wrong_address'],
  ['EAI_AGAIN', 'wrong_address'],
  ['ECONNRESET', 'usually_passing'],
])('what to do about a connection that fails with %s: %s', async (cause, code) => {
  const error = connectionError(
    { code: cause },
    'GET /api/shop',
    new URL('https://api.exampel.com/api'),
  );
  expect(await explain(fakeServices().services, error)).toMatchObject({ advice: [{ code }] });
});
