import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolAnswer } from '../../clients.ts';
import { samples } from '../../samples.ts';
import { serverOver } from '../../server-over.ts';

/** What a reader pays for an answer as text, and for the same answer as the platform gave it. */
function cost({ text, body }: ToolAnswer) {
  const { context: _, ...payload } = body;
  const [asText, asJson] = [tokensOf(text), tokensOf(JSON.stringify(payload))];
  return { asText, asJson, share: asText / asJson };
}

function tokensOf(text: string): number {
  return encode(text).length;
}

/** Figures for whoever runs this: bounds alone do not show how near they are. */
function say(what: string, figures: JsonObject): void {
  console.info(`${what}: ${JSON.stringify(figures)}`);
}

describe('the cost in context', () => {
  test('of tools/list with everything on leaves room for two more tools in 7,900 tokens', async () => {
    const { client } = await serverOver('memory');
    const { tools } = await client.listTools();
    const tokens = tokensOf(JSON.stringify({ tools }));
    say('tools/list', { tools: tools.length, tokens });
    expect(tools.length, 'each tool has a row in test/samples.ts').toBe(samples.length);
    expect(
      tokens,
      'shorten its descriptions, or ask first whether an argument would do',
    ).toBeLessThanOrEqual(7900);
  });

  test.each([
    { business: 'a shop of 60 orders a day', options: { ordersPerDay: 60 } },
    { business: 'a chain of 1,500 orders a day', options: { ordersPerDay: 1500, seed: 2 } },
  ])('of 100 orders of $business as text is at most half of their JSON', async (given) => {
    const { business, options } = given;
    const { ask } = await serverOver('memory', options);
    const orders = await ask('list_orders', { period: 'last_week', limit: 100 });
    expect(orders.rows).toHaveLength(100);
    const { asText, asJson, share } = cost(orders);
    say(`100 orders of ${business}`, { asText, asJson, share });
    expect(share).toBeLessThanOrEqual(0.5);
  });

  test.each<[string, JsonObject]>([
    ['a daily close', { date: 'yesterday' }],
    ['a daily close of one location', { date: 'yesterday', location_id: 'Utrecht Oost' }],
  ])('of %s with its labels is at most 1.2 times its JSON', async (what, input) => {
    const { ask } = await serverOver('memory', { ordersPerDay: 60 });
    const close = await ask('get_daily_close', input);
    expect(close.context.labels).toBeDefined();
    const { asText, asJson, share } = cost(close);
    say(what, { asText, asJson, share });
    expect(share).toBeLessThanOrEqual(1.2);
  });
});
