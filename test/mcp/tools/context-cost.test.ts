import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolAnswer } from '../../clients.ts';
import { anOrder, samples } from '../../samples.ts';
import { describedAs, serverOver } from '../../server-over.ts';

/** Tokens of an answer as text, and as the JSON of the platform. */
function cost({ text, body }: ToolAnswer) {
  const { context: _, ...payload } = body;
  const [asText, asJson] = [tokensOf(text), tokensOf(JSON.stringify(payload))];
  return { asText, asJson, share: asText / asJson };
}

function tokensOf(text: string): number {
  return encode(text).length;
}

/** Prints figures, because bounds do not show how near they are. */
function say(what: string, figures: JsonObject): void {
  console.info(`${what}: ${JSON.stringify(figures)}`);
}

describe('the cost in context', () => {
  test('tools/list costs at most 7,250 tokens for thirty tools, and 250 for each more', async () => {
    const { client } = await serverOver('memory');
    const { tools } = await client.listTools();
    const tokens = tokensOf(JSON.stringify({ tools }));
    say('tools/list', { tools: tools.length, tokens });
    expect(tools.length, 'each tool has a row in test/samples.ts').toBe(samples.length);
    expect(
      tokens,
      'shorten its descriptions, or ask first whether an argument would do',
    ).toBeLessThanOrEqual(7250 + 250 * Math.max(0, tools.length - 30));
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

  test.each(describedAs)(
    'of each record and report as text is below its JSON, over a %s description',
    async (description) => {
      const { ask, sandbox } = await serverOver('memory', { ordersPerDay: 60, description });
      const order_id = anOrder(sandbox.world);
      const order = await ask('get_order', { order_id });
      const { relation_data_id: customer_id } = order.body;
      const answers = await Promise.all([
        order,
        ...records(order_id, customer_id).map(([tool, input]) => ask(tool, input)),
      ]);
      for (const answer of answers) {
        const { asText, asJson, share } = cost(answer);
        say(answer.text.slice(0, 60), { asText, asJson, share });
        expect(linesOfPayload(answer.text), answer.text).toBeLessThan(asJson);
      }
      const [texts, jsons] = (['asText', 'asJson'] as const).map((side) =>
        answers.reduce((sum, answer) => sum + cost(answer)[side], 0),
      );
      // With headlines, names of ids, notes and warnings.
      expect(Number(texts)).toBeLessThanOrEqual(0.9 * Number(jsons));
    },
  );
});

function records(order_id: number, customer_id: unknown): [tool: string, input: JsonObject][] {
  const period = 'last_week';
  return [
    ['get_me', {}],
    ['get_location', { location_id: 3 }],
    ['get_order', { order_id, lines: true }],
    ['get_product', { shop_product_id: '1001' }],
    ['get_customer', { customer_id }],
    ['get_daily_close', { date: 'yesterday' }],
    ['get_daily_close', { date: 'yesterday', location_id: 'Utrecht Oost' }],
    ['get_financial_report', { period }],
    ['get_financial_report', { period, sections: ['revenue'] }],
    ['get_financial_report', { period, sections: ['turnover_by_group'] }],
    ['get_financial_report', { period, sections: ['direct_paid', 'not_paid_now'] }],
    ['get_payment_report', { period }],
  ];
}

/** Tokens of an answer without its headline, notes and warnings. */
function linesOfPayload(text: string): number {
  const lines = text.split('\n').slice(1);
  return tokensOf(lines.filter((line) => !/^# (?!Same|Empty)/.test(line)).join('\n'));
}
