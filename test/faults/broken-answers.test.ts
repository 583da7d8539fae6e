import { describe, expect, test } from 'vitest';
import { type AnswerFlaw, clientMessages } from '../../src/client/messages.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type FaultyServer, patienceFor, withFaultyServer } from './faulty-server.ts';

const orders = { period: 'last_month', limit: 20 };
const passing = 'This usually passes: try again';
const odd = 'The platform, or something in front of it, gave an answer of an unexpected form.';

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
  const endpoint = 'GET /api/order';
  const flawed = (flaw: AnswerFlaw, status = 200) =>
    clientMessages.unreadable_answer({ endpoint, status, flaw, content: '' }).text;
  const late = clientMessages.answer_late({ endpoint, seconds: 2 }).text;
  const large = clientMessages.answer_too_large({ endpoint, bytes: 8_000_000 }).text;

  test.each<[fault: string, code: ErrorCode, says: string | RegExp, advice: string]>([
    ['502', 'upstream_failed', /502: A fault of the sandbox.*trace_id [\w-]{8,}/, passing],
    ['html=echo', 'upstream_failed', /503: .*Bearer \*\*\*/, passing],
    ['reset', 'unreachable', /\((ECONNRESET|UND_ERR_SOCKET)\)/, passing],
    ['reset=middle', 'malformed_answer', /200, .* \d+ bytes\n/, odd],
    ['body=cut', 'malformed_answer', `${flawed({ kind: 'not_json' })}: "{`, odd],
    ['body=not-text', 'malformed_answer', flawed({ kind: 'not_utf8' }), odd],
    ['body=plain', 'malformed_answer', flawed({ kind: 'other_type', type: 'text/plain' }), odd],
    ['huge=headers', 'unreachable', '(UND_ERR_HEADERS_OVERFLOW)', passing],
    ['body=deep', 'malformed_answer', 'nested', odd],
    ['slow', 'timeout', late, passing],
    ['slow=body:ms=400', 'timeout', late, passing],
    ['huge', 'too_large', large, 'Ask for less at once'],
  ])('(%s) is asked for again, and explained where it stays so: %s', (fault, code, says, advice) =>
    around(fault, async (server, right) => {
      const { ask, sandbox, hurry } = server;
      if (code !== 'too_large') {
        sandbox.control.inject(`${fault}${fault.includes(':') ? ',' : ':'}times=1`);
        expect(await payload(server)).toEqual(right);
      }
      sandbox.control.inject(fault);
      hurry(fault);
      const answer = await ask('list_orders', orders);
      hurry();
      expect(answer).toMatchObject({ isError: true, body: {}, links: [], failure: { code } });
      expect(answer.text).toMatch(/^list_orders: GET \/api\/order/);
      expect(answer.text).toMatch(says);
      expect(answer.text).toContain(`\n${advice}`);
    }),
  );
});

describe('a platform', () => {
  test('a platform that has gone is named by its address', () =>
    withFaultyServer({}, async ({ ask, sandbox }) => {
      await ask('get_me');
      await sandbox.close();
      const answer = await ask('get_me');
      expect(answer.failure).toEqual({ code: 'unreachable' });
      const { origin } = new URL(sandbox.baseUrl);
      const cause = { cause: 'ECONNREFUSED', fault: 'connection' } as const;
      const gone = { endpoint: 'GET /api/me', origin, ...cause };
      expect(answer.text.split('\n')).toEqual([
        `get_me: ${clientMessages.not_connected(gone).text}`,
        expect.stringContaining(passing),
      ]);
    }));
});
