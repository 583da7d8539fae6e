import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { type FaultyServer, patienceFor, withFaultyServer } from './faulty-server.ts';

const orders = { period: 'last_month', limit: 20 };

/** What was read, without when. */
async function payload({ ask }: FaultyServer): Promise<JsonObject> {
  const { body, text } = await ask('list_orders', orders);
  const { context, ...rest } = body;
  return Object.keys(rest).length > 0 ? rest : { text, context };
}

/** Tries a server that has given the right answer before, and gives it again once all is well. */
const around = (fault: string, trial: (server: FaultyServer, right: JsonObject) => Promise<void>) =>
  withFaultyServer({ ordersPerDay: 3, settings: patienceFor(fault) }, async (server) => {
    const right = await payload(server);
    expect(right).toMatchObject({ count: 20 });
    await trial(server, right);
    server.sandbox.control.clearFaults();
    expect(await payload(server)).toEqual(right);
  });

// Each has a server of its own and mostly waits: several run at a time.
describe.concurrent('an answer that is broken', () => {
  test.each([
    '502',
    'html',
    'reset',
    'reset=middle',
    'body=cut',
    'body=deep',
    'slow',
    'slow=body:ms=400',
  ])('once (%s) is asked for again, and the right one is given', (fault) =>
    around(fault, async (server, right) => {
      server.sandbox.control.inject(`${fault}${fault.includes(':') ? ',' : ':'}times=1`);
      expect(await payload(server)).toEqual(right);
    }),
  );

  test.each<[fault: string, says: RegExp[]]>([
    [
      '502',
      [/answered 502: A fault of the sandbox/, /trace_id [\w-]{8,}/, /try again in a little while/],
    ],
    ['html=echo', [/answered 503: .*Bearer \*\*\*/, /try again in a little while/]],
    ['reset', [/the connection was (reset|closed)/, /try again in a little while/]],
    ['reset=middle', [/answered 200, but the answer was cut off after \d+ bytes/, /Try once more/]],
    ['body=cut', [/the answer is cut off or no JSON: "\{/, /Try once more/]],
    ['body=not-text', [/the answer is not UTF-8 text/, /Try once more/]],
    ['body=plain', [/the answer is text\/plain, not JSON/, /Try once more/]],
    ['huge=headers', [/the connection failed \(UND_ERR_HEADERS_OVERFLOW\)/, /try again/]],
    ['body=deep', [/nested/, /Try once more/]],
    ['slow', [/no whole answer within 2 s/, /try again in a little while/]],
    ['slow=body:ms=400', [/no whole answer within 2 s/, /try again in a little while/]],
    ['huge', [/answered with more than 64 MB/, /a shorter period/]],
  ])('for ever (%s) is explained', (fault, says) =>
    around(fault, async ({ ask, sandbox, hurry }) => {
      sandbox.control.inject(fault);
      hurry(fault);
      const answer = await ask('list_orders', orders);
      hurry();
      expect(answer).toMatchObject({ isError: true, body: {}, links: [] });
      expect(answer.text).toMatch(/^list_orders: GET \/api\/order/);
      for (const words of says) expect(answer.text).toMatch(words);
    }),
  );
});

describe('a platform', () => {
  test('that has gone is named by its address', () =>
    withFaultyServer({}, async ({ ask, sandbox }) => {
      await ask('get_me');
      await sandbox.close();
      const answer = await ask('get_me');
      expect(answer.isError).toBe(true);
      expect(answer.text).toContain('get_me: GET /api/me: nothing answers (ECONNREFUSED)');
      expect(answer.text).toContain(sandbox.baseUrl);
      expect(answer.text).toContain('try again in a little while');
    }));
});
