import { describe, expect, test } from 'vitest';
import { explain } from '../../../src/analysis/errors/explain.ts';
import { refusalError } from '../../../src/client/transport/http-errors.ts';
import { reply } from '../../client/fake-platform.ts';
import { fakeServices } from '../fake-services.ts';

describe('a refusal of the platform', () => {
  test.each([
    ['short', 'The role Guest lacks the capability location.list'],
    ['long', `${'One more reason. '.repeat(100)}The end`],
    ['of several lines', 'First line\nsecond line\u202e'],
    ['nothing but spaces around a word', '  no  '],
  ])('is told once, with a detail that is %s', async (_, detail) => {
    const origin = { endpoint: 'GET /api/location', status: 403, attempts: 1 };
    const text = JSON.stringify({ title: 'Forbidden', status: 403, detail, trace_id: 'abc-123' });
    const error = refusalError(origin, text, reply(403, text));
    const said = await explain(fakeServices().services, error);
    const beginning = detail.trim().split('\n')[0]?.slice(0, 40) ?? '';
    const once = detail.startsWith('One more')
      ? said.split('answered 403: One more')
      : said.split(beginning);
    expect(once).toHaveLength(2);
    expect(said).not.toContain('detail "');
    expect(said.split('abc-123')).toHaveLength(2);
    expect(said.split('403')).toHaveLength(2);
  });
});
