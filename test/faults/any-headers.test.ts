import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { HttpRequest } from '../../src/client/transport/runtime.ts';
import { hasCode } from '../../src/core/errors.ts';
import { settings, world } from '../client/fake-world.ts';
import { fuzz, fuzzTimeoutMs } from '../fuzz.ts';

const names = [
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit'],
  ...['retry-after', 'date'],
];

const anyHeader = fc.oneof(
  fc.constantFrom('0', '1', '-1', '60', '3600', '86400', '1e99', '999999999', '0.5', '', 'soon'),
  fc.constantFrom('"general";r=0;t=0', '"general";q=0;w=0', '"write";r=0;t=99999', 'general;r=;t='),
  fc.stringMatching(/^"?(general|write|x)"?(;[rtqw]=-?\d{0,12}){0,3}(, ?"general";q=\d{1,4})?$/),
  fc.string(),
);

const anyHeaders = fc.dictionary(fc.constantFrom(...names), anyHeader);

/** A client whose platform's answers carry whatever headers are given, the first set first. */
function oddWorld(given: Record<string, string>[]) {
  const { clock, platform } = world({ quota: 1000 });
  const send = async (request: HttpRequest) => {
    const reply = await platform.send(request);
    const odd = request.url.pathname.startsWith('/api') ? given.shift() : undefined;
    return { ...reply, header: (name: string) => odd?.[name] ?? reply.header(name) };
  };
  const client = createClient({ ...settings, maxWaitMs: 5000 }, { ...platform.runtime(), send });
  return { clock, client };
}

describe('whatever the rate headers say', () => {
  test(
    'each call ends in time, the budget stays a budget, and an hour later all is well',
    async () => {
      await fuzz(
        'rate headers',
        100,
        fc.asyncProperty(fc.array(anyHeaders, { minLength: 1, maxLength: 12 }), async (given) => {
          const { clock, client } = oddWorld([...given]);
          for (const [index] of given.entries()) {
            const before = clock.elapsed();
            const failure = await clock.run(client.get(`/api/order/${index}`)).then(
              () => undefined,
              (error: unknown) => error,
            );
            if (failure !== undefined) expect(hasCode(failure, 'rate_limited')).toBe(true);
            expect(clock.elapsed() - before).toBeLessThanOrEqual(6000);
            const { limit = 1, remaining = 0, resetsInSeconds = 0 } = client.budget() ?? {};
            for (const count of [limit, remaining, resetsInSeconds])
              expect(Number.isSafeInteger(count) && count >= 0, String(count)).toBe(true);
          }
          await clock.advance(3_700_000);
          await clock.run(client.get('/api/me'));
          expect(client.load()).toMatchObject({ waiting: 0, inFlight: 0 });
        }),
      );
    },
    fuzzTimeoutMs,
  );
});
