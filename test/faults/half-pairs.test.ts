import { describe, expect, test } from 'vitest';
import {
  type HttpReply,
  type HttpRequest,
  openSockets,
} from '../../src/client/transport/runtime.ts';
import { isRecord } from '../../src/core/json.ts';
import { ask, callTool } from '../mcp/http/messages.ts';
import { anOrder, questions } from '../samples.ts';
import { accounts, goingOn, serverOver } from '../server-over.ts';

/** Half of a character, as JSON escapes it. */
const half = '\ud83d';

/** Texts of a value that hold half of a surrogate pair, names of members among them. */
function halves(value: unknown): string[] {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    Array.isArray(value) ? halves(inner) : [...halves(name), ...halves(inner)],
  );
}

/** The same answer, each text that people type with half a pair at its end. */
function spoil(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
    /name|title|label|remark|city|town|street|road|e?mail|buyer|description|alias/.test(name) &&
    typeof value === 'string'
      ? `${value} ${half}`
      : isRecord(value)
        ? { ...value, [`typed_${half}`]: half }
        : value,
  );
}

async function bytesOf(text: string) {
  return { bytes: Buffer.from(text) };
}

/** A server whose platform answers with half pairs, or refuses the lists of names with a text that is cut in a pair. */
async function spoiltServer(isRefused: boolean, account: (typeof accounts)[number]) {
  const { send } = openSockets();
  const spoilt = async (request: HttpRequest): Promise<HttpReply> => {
    const reply = await send(request);
    if (!request.url.pathname.startsWith('/api/')) return reply;
    const isList = /\/(shop|location|tax-rate|payment-method)$/.test(request.url.pathname);
    if (isRefused && isList)
      return { ...reply, status: 403, body: bytesOf(`{"detail":"x${'😀'.repeat(900)}"}`) };
    return { ...reply, body: bytesOf(spoil(String((await reply.body).bytes))) };
  };
  return serverOver('http', {
    now: goingOn,
    quota: 100_000,
    ordersPerDay: 3,
    ...account,
    runtime: { send: spoilt },
  });
}

describe.each(accounts)(
  'no answer holds half a character, from an account ($description, $dialect)',
  (account) => {
    test.each([
      ['sends such texts', false],
      ['refuses in a text that is cut', true],
    ])('that %s', async (_, isRefused) => {
      const { url, sandbox } = await spoiltServer(isRefused, account);
      const asked = questions({ orderId: anOrder(sandbox.world) }).map(async ([tool, args]) => {
        const answer = await callTool(url, tool, args);
        expect(halves(answer), tool).toEqual([]);
        return JSON.stringify(answer).includes('\ufffd');
      });
      const replaced = (await Promise.all(asked)).filter(Boolean);
      if (!isRefused) expect(replaced.length).toBeGreaterThan(15);
    });

    test.runIf(account.dialect === 'plain')('where each argument does', async () => {
      const { url, sandbox } = await spoiltServer(false, account);
      const long = `${'x'.repeat(59)}😀 ${half}`;
      for (const [tool, args = {}] of questions({ orderId: anOrder(sandbox.world) }))
        for (const name of [...Object.keys(args), long]) {
          const answer = await callTool(url, tool, { ...args, [name]: long });
          expect(halves(answer), `${tool} ${name}`).toEqual([]);
        }
      for (const [method, params] of [
        ['tools/call', { name: long }],
        ['prompts/get', { name: long }],
        ['prompts/get', { name: 'daily-turnover', arguments: { date: long } }],
        ['resources/read', { uri: `commerce://orders/${long}` }],
        ['tools/list', { cursor: long }],
      ] as const)
        expect(halves(await ask(url, method, params)), method).toEqual([]);
      for (const uri of ['commerce://shops', 'commerce://access', 'commerce://tables'])
        expect(halves(await ask(url, 'resources/read', { uri })), uri).toEqual([]);
    });
  },
);
