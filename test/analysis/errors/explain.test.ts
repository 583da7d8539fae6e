import { expect, test } from 'vitest';
import { explain } from '../../../src/analysis/errors/explain.ts';
import { connectionError, refusalError } from '../../../src/client/transport/http.ts';
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

test.each([
  ['ENOTFOUND', 'A typing error in the address', 'usually passing'],
  ['EAI_AGAIN', 'or no network', 'usually passing'],
  ['ECONNRESET', 'usually passing', 'typing error'],
])('a connection that fails with %s: %s', async (code, says, not) => {
  const error = connectionError({ code }, 'GET /api/shop', new URL('https://api.exampel.com/api'));
  const said = await explain(fakeServices().services, error);
  expect(said).toContain(says);
  expect(said).not.toContain(not);
});
