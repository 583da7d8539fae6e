import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import type { JsonObject } from '../../src/core/json.ts';
import { resourceDefinitions } from '../../src/mcp/resources/definitions.ts';
import { anOrder, argumentsOf, samples } from '../samples.ts';
import type { TestServer } from '../server-over.ts';

/** A client and what it may ask about. */
type Walked = Pick<TestServer, 'client' | 'sandbox' | 'ask'>;

/** Everything that the client is told: by each tool, resource, prompt, skill, completion and refusal. */
export async function walk({ client, sandbox, ask }: Walked): Promise<Map<string, string>> {
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
    for (const variable of uri.includes('{') ? [order, 1, 'NL', 'no%', kept[0]] : ['']) {
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
  for (const name of ['commerce', 'open-orders', ...prompts.map((prompt) => prompt.name)])
    await hear(`skill ${name}`, () => client.readResource({ uri: `skill://${name}/SKILL.md` }));
  await hear('skills/list', () => new SkillsClient(client).list());
  for (const { uri } of resourceDefinitions.filter((it) => it.uri.includes('{'))) {
    const name = /\{(\w+)\}/.exec(uri)?.[1] ?? '';
    await hear(`complete ${uri}`, () =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value: '' } }),
    );
  }
  return said;
}
