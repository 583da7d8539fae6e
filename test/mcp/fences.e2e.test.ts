/** A law over all that a client can reach: with each toolset alone, nothing of another comes through. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { type Toolset, toolsets } from '../../src/endpoints/define.ts';
import { resourceDefinitions } from '../../src/mcp/resources/definitions.ts';
import { Catalogue } from '../../src/mcp/tools/catalogue.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { anOrder, argumentsOf, samples } from '../samples.ts';
import { serverOver, sharedServer, type TestServer } from '../server-over.ts';

const alone: readonly Toolset[][] = toolsets.map((toolset) => [toolset]);

/** What says who a customer is, and which segment they are in. */
function customerTexts(world: World): string[] {
  const { segments } = world;
  const people = world.customers().flatMap(({ name, email }) => [name, email]);
  return [...people, ...segments.map(({ name }) => name)].filter((text) => text.length >= 6);
}

/** Names of the reference lists. */
function listedNames({ shops, locations }: World): string[] {
  return [...shops, ...locations].map(({ name }) => name);
}

/** Everything that the client is told: by each tool, resource, prompt, completion and refusal. */
async function walk({ client, sandbox, ask }: TestServer): Promise<Map<string, string>> {
  const said = new Map<string, string>();
  const hear = async (what: string, run: () => Promise<unknown>) => {
    said.set(what, JSON.stringify(await run().catch((error) => String(error))));
  };
  const order = anOrder(sandbox.world);
  const { tools } = await client.listTools();
  said.set('tools/list', JSON.stringify(tools));
  said.set('instructions', client.getInstructions() ?? '');
  const kept: unknown[] = [];
  const wrong: JsonObject[] = [
    ...['shop_id', 'location_id', 'segment_id', 'product_group_id'].flatMap((name) => [
      { [name]: 'no such name' },
      { [name]: 'a' },
      { [name]: 999_999 },
    ]),
    { fields: ['customer_name', 'segment_id'] },
    { order_id: 1, customer_id: 1, shop_product_id: 1 },
  ];
  const offered = new Set(tools.map(({ name }) => name));
  for (const sample of samples) {
    const args = argumentsOf(sample, { orderId: order, resultId: kept[0] });
    // What is not offered is refused by its name, whatever it is asked.
    for (const extra of offered.has(sample.tool) ? [{}, ...wrong] : [{}])
      await hear(`${sample.tool} ${JSON.stringify({ ...args, ...extra })}`, async () => {
        const reply = await ask(sample.tool, { ...args, ...extra });
        const { result } = reply.context as { result?: { id: string } };
        if (result) kept.push(result.id);
        return [reply.text, reply.body];
      });
  }
  for (const source of [
    ...['tables', 'shops', 'customer_segments', `result('${kept[0]}')`],
    "list_discount_orders(period := 'last_week')",
    "list_orders(period := 'last_week', segment_id := 'a')",
    "find_reference(query := 'a')",
  ])
    await hear(`query ${source}`, async () => {
      const { text, body } = await ask('query', { sql: `SELECT * FROM ${source}` });
      return [text, body];
    });
  for (const { uri } of resourceDefinitions)
    for (const variable of [order, 1, 'NL', 'no%', kept[0]]) {
      const address = uri.replace(/\{\w+\}/, String(variable));
      await hear(`read ${address}`, () => client.readResource({ uri: address }));
    }
  const { prompts } = await client.listPrompts();
  said.set('prompts/list', JSON.stringify(prompts));
  for (const { name, arguments: taken = [] } of prompts) {
    await hear(`prompt ${name}`, () => client.getPrompt({ name, arguments: {} }));
    for (const argument of taken)
      await hear(`complete ${name} ${argument.name}`, () =>
        client.complete({
          ref: { type: 'ref/prompt', name },
          argument: { name: argument.name, value: '' },
        }),
      );
  }
  for (const { uri } of resourceDefinitions.filter((it) => it.uri.includes('{'))) {
    const name = /\{(\w+)\}/.exec(uri)?.[1] ?? '';
    await hear(`complete ${uri}`, () =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value: '' } }),
    );
  }
  return said;
}

function tellers(said: ReadonlyMap<string, string>, texts: readonly string[]): string[] {
  return [...said].flatMap(([what, text]) => {
    const found = texts.find((it) => text.includes(it));
    return found === undefined ? [] : [`${what}: ${found}`];
  });
}

describe.each(alone)('%s alone', (...open) => {
  const shared = sharedServer(only(open));

  test('tells nothing of what belongs to another toolset', async () => {
    const server = shared();
    const { world } = server.sandbox;
    const said = await walk(server);
    if (!open.includes('customers')) expect(tellers(said, customerTexts(world))).toEqual([]);
    if (open.includes('reference')) return;
    // Names stand beside the ids of answers that were allowed; nothing else lists them.
    const answers = new Set([...said.keys()].filter((what) => isAnswered(said.get(what) ?? '')));
    const unasked = new Map([...said].filter(([what]) => !answers.has(what)));
    expect(tellers(unasked, listedNames(world))).toEqual([]);
  }, 120_000);

  test('names no tool that is not there', async () => {
    const { client } = shared();
    const { tools } = await client.listTools();
    const offered = new Set(tools.map(({ name }) => name));
    const all = new Catalogue(toolsets).list();
    const others = all.map(({ tool }) => tool).filter((tool) => !offered.has(tool));
    const { prompts } = await client.listPrompts();
    const texts = JSON.stringify([tools, prompts, client.getInstructions()]);
    expect(
      others.filter((tool) => tool !== 'query' && new RegExp(`\\b${tool}\\b`).test(texts)),
    ).toEqual([]);
  });
});

/** An answer with figures or rows, whose ids have their names beside them. */
function isAnswered(text: string): boolean {
  return ['labels', 'resolved', 'reference_period'].some(
    (key) => text.includes(`"${key}`) || text.includes(`${key}\\"`),
  );
}

describe('an answer that lacks columns', () => {
  const narrow = sharedServer(only(['reports', 'orders', 'analysis']));

  test.each(['list_discount_orders', 'list_orders'])('says so: %s', async (tool) => {
    const { text, rows, context } = await narrow.ask(tool, { period: 'last_week' });
    expect(text).toContain(
      '# Warning: Left out, as they belong to the toolset customers, which is not open here: customer_name, segment_id.',
    );
    expect(rows[0]).toHaveProperty('relation_data_id');
    expect(rows[0]).not.toHaveProperty('customer_name');
    expect(context.labels).toHaveProperty('shop_id');
    expect(context.labels).not.toHaveProperty('segment_id');
  });

  test('is no other in SQL, and what SQL knows of it is no more', async () => {
    const sql = "SELECT * FROM list_discount_orders(period := 'last_week')";
    const { rows, text } = await narrow.ask('query', { sql });
    expect(Object.keys(rows[0] ?? {})).not.toContain('customer_name');
    expect(text).toContain('belong to the toolset customers');
    const look = await narrow.ask('query', { sql: 'SELECT * FROM tables' });
    expect(look.text).not.toMatch(/customer_name|segment_id|search_customers/);
  });

  test('has them where customers are open', async () => {
    const { ask } = await serverOver('memory', only(['reports', 'customers']));
    const { rows, context } = await ask('list_discount_orders', { period: 'last_week' });
    expect(rows[0]).toHaveProperty('customer_name');
    expect(context.labels).toHaveProperty('segment_id');
  });
});

test('find_reference looks in the lists of the toolsets that are open', async () => {
  const { ask } = await serverOver('memory', only(['analysis', 'reference']));
  const refused = await ask('find_reference', { query: 'a', kinds: ['customer_segment'] });
  expect(refused.isError).toBe(true);
  const kinds = (await ask('find_reference', { query: 'a' })).rows.map(({ kind }) => kind);
  expect(kinds).toContain('shop');
  expect(kinds).not.toContain('customer_segment');
});

/** Options that open these toolsets and no other. */
function only(open: readonly Toolset[]) {
  return { ordersPerDay: 10, settings: { COMMERCE_TOOLSETS: open.join() } };
}
