/** A law over all that a client can be told: with two accounts in one server, nothing of the other. */

import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { connectNew, type NewConnection } from '../clients.ts';
import { goingOn, sandboxAt } from '../server-over.ts';
import { closeAfterwards } from '../setup/closing.ts';
import { folderWith } from '../setup/folder.ts';
import type { Sandbox } from '../spawn.ts';
import { type Entry, entryOf, serveAccounts, tokenOf } from './http/accounts-server.ts';
import { bearer } from './http/messages.ts';
import { walk } from './walk.ts';

/**
 * Every name, title and address of a platform begins with its mark; ids are those of any other. The figures that it
 * gives are added to `figures`.
 */
async function marked(sandbox: Sandbox, mark: string, figures: Set<string>): Promise<Sandbox> {
  const listener = getRequestListener(
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const { authorization = '' } = Object.fromEntries(request.headers);
      const answer = await fetch(sandbox.baseUrl + pathname + search, {
        headers: { authorization },
      });
      const text = await answer.text();
      for (const [figure] of text.matchAll(/\d+\.\d+/g)) figures.add(figure);
      const headers = new Headers(answer.headers);
      headers.delete('content-length');
      const isDescription = pathname === '/openapi.json';
      const texts = /"((?:\w+_)?(?:name|title|city|street|email|phone|sku|detail|alias))":"/g;
      return new Response(isDescription ? text : text.replace(texts, `"$1":"${mark} `), {
        status: answer.status,
        headers,
      });
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAfterwards(async () => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { ...sandbox, baseUrl: `http://127.0.0.1:${port}` };
}

/** Totals of orders that one business has and the other has not; large ones, which are no price by chance. */
function amounts({ world }: Sandbox, other: Sandbox): string[] {
  const sums = (it: Sandbox['world']) =>
    it.orders(it.firstDay, it.today()).map(({ totalWtCents }) => String(totalWtCents / 100));
  const theirs = new Set(sums(other.world));
  return sums(world).filter((it) => /^\d{3,}\.\d\d$/.test(it) && !theirs.has(it));
}

/** A folder of definitions: a view that bears the mark. */
function definitionsOf(mark: string): string {
  const statement = "SELECT id, total_wt FROM list_orders(period := 'last_week')";
  return folderWith({ 'views/own_orders.sql': `-- Orders of ${mark}\n${statement}\n` });
}

const names = ['utrecht', 'haarlem'] as const;
const marks = { utrecht: 'Uuuuu', haarlem: 'Hhhhh' };

test('no account is told anything of another, whatever is asked, and no line of the log mixes them', async () => {
  // At a fixed moment: on some days a sum of one business is a figure of the other by chance.
  const of = { ordersPerDay: 10, days: 40, now: goingOn };
  const real = {
    utrecht: await sandboxAt({ ...of, seed: 1 }),
    haarlem: await sandboxAt({ ...of, seed: 2 }),
  };
  const entries: Record<string, Entry> = {};
  const figures = { utrecht: new Set<string>(), haarlem: new Set<string>() };
  for (const name of names) {
    const entry = entryOf(await marked(real[name], marks[name], figures[name]));
    entries[name] = { ...entry, definitions: definitionsOf(marks[name]) };
  }
  const keepDir = folderWith();
  const server = await serveAccounts(entries, {
    settings: { COMMERCE_KEEP_DIR: keepDir },
    now: goingOn,
  });
  const results = { utrecht: '', haarlem: '' };

  const hearAll = async (name: (typeof names)[number], connection: NewConnection) => {
    const said = await walk({ ...connection, ask: connection.call, sandbox: real[name] });
    const hear = async (tool: string, input: JsonObject) => {
      const onprogress = (progress: unknown) =>
        void said.set(`progress of ${tool}`, `${JSON.stringify(progress)}`);
      const reply = await connection.call(tool, input, { onprogress });
      said.set(`${tool} ${JSON.stringify(input)}`, JSON.stringify(reply));
      return reply;
    };
    const lines = 'SELECT * FROM list_order_items(order_id := (SELECT id FROM own_orders))';
    // The second time from what is kept on disk.
    for (const sql of ['SELECT * FROM own_orders', lines, `${lines} WHERE true`])
      expect((await hear('query', { sql })).isError).toBe(false);
    const { context } = await hear('list_orders', { period: 'last_month', all: true });
    results[name] = (context as { result: { id: string } }).result.id;
    return { said, hear };
  };
  const connect = async (name: (typeof names)[number]) => {
    const requestInit = { headers: bearer(tokenOf(name)) };
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit });
    const connection = await connectNew(transport, 'auto');
    onTestFinished(connection.close);
    return hearAll(name, connection);
  };
  // At the same time: what they share is shared while both work.
  const [mine, theirs] = await Promise.all([connect('utrecht'), connect('haarlem')]);
  for (const [heard, id] of [
    [mine, results.haarlem],
    [theirs, results.utrecht],
  ] as const) {
    const gone = { failure: { code: 'result_gone' } };
    expect(await heard.hear('read_rows', { result_id: id })).toMatchObject(gone);
    expect(await heard.hear('query', { sql: `FROM result('${id}')` })).toMatchObject(gone);
  }
  const tells = (all: ReadonlyMap<string, string>, texts: readonly string[]) => {
    // A figure is no part of a longer figure or of an id.
    const either = texts.map((text) => text.replace('.', '\\.')).join('|');
    const any = new RegExp(`(?<![\\d.])(?:${either})(?!\\d)`);
    return [...all].flatMap(([what, text]) => {
      const [found] = any.exec(text) ?? [];
      return found === undefined ? [] : [`${what}: ${found}`];
    });
  };
  const own = amounts(real.utrecht, real.haarlem);
  const others = amounts(real.haarlem, real.utrecht);
  // A figure of one business is, in a report, that of the other by chance.
  const onlyIn = (some: readonly string[], not: ReadonlySet<string>) =>
    some.filter((it) => !not.has(it));
  expect(
    tells(mine.said, [marks.haarlem, '"haarlem"', ...onlyIn(others, figures.utrecht)]),
  ).toEqual([]);
  expect(tells(theirs.said, [marks.utrecht, '"utrecht"', ...onlyIn(own, figures.haarlem)])).toEqual(
    [],
  );
  // Each account is told its own names and figures, so the marks are found where they stand.
  expect(tells(mine.said, [marks.utrecht]).length).toBeGreaterThan(100);
  expect(tells(theirs.said, [marks.haarlem]).length).toBeGreaterThan(100);
  expect(tells(mine.said, own).length).toBeGreaterThan(3);

  const ofCalls = server.lines.filter(
    ({ message }) => message === 'call' || message === 'platform',
  );
  for (const { facts } of ofCalls) expect(facts.account).toMatch(/^(utrecht|haarlem)$/);
  const logged = server.lines.map((line) => JSON.stringify(line));
  expect(logged.filter((line) => names.every((name) => line.includes(name)))).toEqual([]);
  expect((await readdir(keepDir)).sort()).toEqual(['account-haarlem', 'account-utrecht']);
}, 120_000);
