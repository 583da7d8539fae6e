/** A law over all that a client can reach: with each toolset alone, nothing of another comes through. */

import { describe, expect, test } from 'vitest';
import { fenceMessages } from '../../src/analysis/fence.ts';
import { type Toolset, toolsets } from '../../src/endpoints/define.ts';
import { Catalogue } from '../../src/mcp/tools/catalogue.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { sayInOther } from '../sandbox/other-dialect.ts';
import { accounts, serverOver, sharedServer } from '../server-over.ts';
import { walk } from './walk.ts';

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

function tellers(said: ReadonlyMap<string, string>, texts: readonly string[]): string[] {
  return [...said].flatMap(([what, text]) => {
    const found = texts.find((it) => text.includes(it));
    return found === undefined ? [] : [`${what}: ${found}`];
  });
}

/** An answer with figures or rows, whose ids have their names beside them. */
function isAnswered(text: string): boolean {
  return ['labels', 'resolved', 'reference_period'].some(
    (key) => text.includes(`"${key}`) || text.includes(`${key}\\"`),
  );
}

describe.each(accounts)('over an account ($description, $dialect)', (account) => {
  const buyer = account.dialect === 'plain' ? 'customer_name' : sayInOther('customer_name');

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
      const all = new Catalogue().list();
      const others = all.map(({ tool }) => tool).filter((tool) => !offered.has(tool));
      const { prompts } = await client.listPrompts();
      const texts = JSON.stringify([tools, prompts, client.getInstructions()]);
      expect(
        others.filter((tool) => tool !== 'query' && new RegExp(`\\b${tool}\\b`).test(texts)),
      ).toEqual([]);
    });
  });

  describe('an answer that lacks columns', () => {
    const leftOut = fenceMessages.not_open({ columns: [buyer, 'segment_id'] }).text;
    const narrow = sharedServer(only(['reports', 'orders', 'analysis']));

    test.each(['list_discount_orders', 'list_orders'])('says so: %s', async (tool) => {
      const { text, rows, context } = await narrow.ask(tool, { period: 'last_week' });
      expect(text).toContain(`# Warning: ${leftOut}`);
      expect(rows[0]).toHaveProperty('relation_data_id');
      expect(rows[0]).not.toHaveProperty(buyer);
      expect(context.labels).toHaveProperty('shop_id');
      expect(context.labels).not.toHaveProperty('segment_id');
    });

    test('is no other in SQL, and what SQL knows of it is no more', async () => {
      const sql = "SELECT * FROM list_discount_orders(period := 'last_week')";
      const { rows, text } = await narrow.ask('query', { sql });
      expect(Object.keys(rows[0] ?? {})).not.toContain(buyer);
      expect(text).toContain(leftOut);
      const look = await narrow.ask('query', { sql: 'SELECT * FROM tables' });
      expect(look.text).not.toMatch(new RegExp(`${buyer}|segment_id|search_customers`));
    });

    test('has them where customers are open', async () => {
      const { ask } = await serverOver('memory', only(['reports', 'customers']));
      const { rows, context } = await ask('list_discount_orders', { period: 'last_week' });
      expect(rows[0]).toHaveProperty(buyer);
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
    return { ...account, ordersPerDay: 10, settings: { COMMERCE_TOOLSETS: open.join() } };
  }
});
