import { expect, test } from 'vitest';
import { sandboxAt } from '../server-over.ts';
import { callAs } from './caller.ts';

test('a sandbox refuses the request beyond its quota and says when to come back', async () => {
  const sandbox = await sandboxAt({ quota: 3, now: () => Date.parse('2026-11-20T12:00:18Z') });
  const caller = await callAs(sandbox);
  const answers = await Promise.all(Array.from({ length: 5 }, () => caller.get('/api/shop')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBe(2);
  expect(refused[0]?.headers.get('retry-after')).toBe('42');
  expect(refused[0]?.headers.get('ratelimit')).toBe('"general";r=0;t=42');
  expect(refused[0]?.body).toMatchObject({ status: 429, title: 'Too Many Requests' });
  expect(sandbox.stats).toMatchObject({ requests: 5, exchanges: 1, refused: 2 });
  sandbox.control.rollWindow();
  expect((await caller.get('/api/shop')).status).toBe(200);
  sandbox.control.setQuota(1);
  expect((await caller.get('/api/shop')).headers.get('ratelimit-limit')).toBe('1');
});
