import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { deadlineMs, openRehearsal, type Rehearsal } from './faulty-server.ts';

let rehearsal: Rehearsal;
let right: JsonObject;

const orders = { period: 'last_month', limit: 20 };

/** What was read, without when. */
async function payload(): Promise<JsonObject> {
  const { structured, text } = await rehearsal.ask('list_orders', orders);
  const { context, ...rest } = structured;
  return Object.keys(rest).length > 0 ? rest : { text, context };
}

beforeAll(async () => {
  rehearsal = await openRehearsal();
  await rehearsal.connection.listTools();
  right = await payload();
});

afterEach(async () => {
  rehearsal.sandbox.control.clearFaults();
  expect(await payload()).toEqual(right);
  expect(rehearsal.slips()).toEqual([]);
});

afterAll(() => rehearsal.close());

describe('an answer that is broken', () => {
  test.each([
    ...['500', '502', '503', 'html', 'echo', 'reset', 'reset-body', 'empty', 'cut', 'malformed'],
    ...['not-text', 'content-type', 'huge-headers', 'deep', 'slow', 'drip:ms=150'],
  ])('once (%s) is asked for again, and the right one is given', async (fault) => {
    rehearsal.sandbox.control.inject(`${fault}${fault.includes(':') ? ',' : ':'}times=1`);
    expect(await payload()).toEqual(right);
  });

  test.each(['502', 'html', 'reset', 'reset-body', 'cut'])(
    'twice in a row (%s) is asked for a third time',
    async (fault) => {
      rehearsal.sandbox.control.inject(`${fault}:times=2`);
      expect(await payload()).toEqual(right);
    },
  );

  test.each<[fault: string, says: RegExp[]]>([
    ['500', [/answered 500: A fault of the sandbox/, /trace_id/, /try again in a little while/]],
    ['502', [/answered 502: A fault of the sandbox/, /trace_id/, /try again in a little while/]],
    ['503', [/answered 503: A fault of the sandbox/, /trace_id/, /try again in a little while/]],
    ['html', [/answered 503: <html><body><h1>503/, /try again in a little while/]],
    ['echo', [/answered 502: .*Bearer \*\*\*/, /try again in a little while/]],
    ['reset', [/the connection was (reset|closed)/, /try again in a little while/]],
    ['reset-body', [/answered 200, but the answer was cut off after \d+ bytes/, /Try once more/]],
    ['empty', [/answered 200, but the answer is empty/, /Try once more/]],
    ['cut', [/the answer is cut off or no JSON: "\{/, /Try once more/]],
    ['malformed', [/the answer is cut off or no JSON: "\{/, /Try once more/]],
    ['not-text', [/the answer is not UTF-8 text/, /Try once more/]],
    ['content-type', [/the answer is text\/plain, not JSON/, /Try once more/]],
    ['huge-headers', [/the connection failed \(UND_ERR_HEADERS_OVERFLOW\)/, /try again/]],
    ['deep', [/nested/, /Try once more/]],
    ['slow', [/no whole answer within 1 s/, /try again in a little while/]],
    ['drip:ms=150', [/no whole answer within 1 s/, /try again in a little while/]],
    ['huge', [/answered with more than 64 MB/, /a shorter period/]],
  ])('for ever (%s) is explained by the deadline', async (fault, says) => {
    rehearsal.sandbox.control.inject(fault);
    const answer = await rehearsal.ask('list_orders', orders);
    expect(answer).toMatchObject({ isError: true, structured: {}, links: [] });
    expect(answer.text).toMatch(/^list_orders: GET \/api\/order/);
    for (const words of says) expect(answer.text).toMatch(words);
    expect(answer.tookMs).toBeLessThan(deadlineMs);
  });
});
