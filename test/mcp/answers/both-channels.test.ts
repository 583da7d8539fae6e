import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../../src/core/json.ts';
import { neutralise, neutralJson } from '../../../src/core/text.ts';
import type { ToolAnswer } from '../../clients.ts';
import { anOrder, argumentsOf, samples } from '../../samples.ts';
import { serverOver, type TestServer } from '../../server-over.ts';

let server: TestServer;
let resultId: unknown;

beforeAll(async () => {
  server = await serverOver('memory', { ordersPerDay: 60 });
  const kept = await server.ask('list_orders', { period: 'last_week', all: true });
  resultId = record(kept.context.result).id;
});

function record(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Facts of the context that the text has to say, each as the text says it. */
function facts({ context, warnings, rows }: ToolAnswer): string[] {
  const { next, complete, result, more, resolved, left_open, read, period } = context;
  const { definitions, since, incomplete } = context;
  expect(incomplete !== undefined).toBe(complete === false && read !== undefined);
  const { rows: readRows = 0, of } = record(read);
  const count = (value: unknown) => Number(value).toLocaleString('en-US');
  return [
    ...warnings.map(({ text }) => `Warning: ${neutralise(String(text))}`),
    ...(isRecord(next) ? [`Next: ${String(next.tool)} ${neutralJson(next.arguments)}`] : []),
    ...(isRecord(result) ? [`as ${String(result.id)}: ${count(result.rows)} row`] : []),
    ...(incomplete === 'rows_not_shown'
      ? ['Read whole', `${count(rows.length)} of ${count(of)} row`]
      : []),
    ...(incomplete === 'rows_not_read'
      ? [
          `Not read whole: ${count(readRows)} row`,
          of === undefined ? 'more exist; sums' : `${count(of)} exist; sums`,
        ]
      : []),
    ...Object.values(record(more)).flatMap((names) => texts(names).slice(0, 6)),
    ...Object.values(record(resolved)).flatMap((it) => [
      String(record(it).given),
      String(record(it).id),
      String(record(it).note ?? ''),
    ]),
    ...Object.entries(record(definitions)).map(([name, said]) => `${name} ${String(said)}`),
    ...(isRecord(since)
      ? [`since "${String(since.given)}" is ${onTheClock(since.instant)}, Amsterdam time`]
      : []),
    ...Object.entries(record(left_open)).map(([name, meaning]) => `${name} ${String(meaning)}`),
    ...(isRecord(period) ? [String(period.from), String(period.to)] : []),
    ...[String(context.source), `as of ${onTheClock(context.as_of)}`],
  ];
}

/** The names of ids that the payload carries, which the text gives beside the id or in a legend. */
function names({ context, body }: ToolAnswer): string[] {
  const { context: _, ...payload } = body;
  const said = JSON.stringify(payload);
  return Object.entries(record(context.labels)).flatMap(([field, byId]) =>
    Object.entries(record(byId))
      .filter(([id]) => new RegExp(`"${field}":"?${id}\\b`).test(said))
      .map(([, name]) => String(name)),
  );
}

/** More questions than one a tool: cut, narrowed, empty, by name, with findings. */
const siblings: [tool: string, JsonObject][] = [
  ['list_orders', { period: 'last_month', limit: 500 }],
  ['list_orders', { period: 'last_month', all: true, fields: ['id'] }],
  ['list_orders', { period: 'last_month', sort: '-total_wt', top: 3 }],
  ['list_orders', { period: 'last_month', limit: 0 }],
  ['list_orders', { period: 'yesterday', limit: 1, shop_id: 'Webshop', is_internal: false }],
  ['list_orders', { period: 'today', segment_id: 'Horeca', shop_id: 'Café Perron', status: 'new' }],
  ['list_order_changes', { since: 'yesterday', limit: 2 }],
  ['get_daily_close', { date: '2026-11-03' }],
  ['get_daily_close', { date: '2026-11-11' }],
  ['get_financial_report', { period: 'last_month', sections: ['revenue'] }],
  ['turnover_trend', { period: 'last_14_days', against: 'week_earlier', by: 'shop' }],
  ['compare_turnover', { period: 'this_week', against: 'none', by: 'location' }],
  ['compare_turnover', { period: 'yesterday', by: 'shop', measures: ['average_order_value'] }],
  ['get_daily_close', { date: 'yesterday', location_id: 'Utrecht Oost' }],
  ['search_products', { q: 'koek' }],
  ['search_products', { q: 'nothing is called so' }],
  ['list_discount_orders', { period: 'last_90_days', top: 1, sort: 'discount_value_wt' }],
  ['list_discount_orders', { period: 'last_90_days' }],
  ['list_order_changes', { since: 'last_7_days', all: true }],
  ['search_customers', { limit: 500 }],
  ['list_product_prices', { all: true }],
  ['search_products', { limit: 200 }],
  ['list_stock', { all: true }],
  ['get_product_sales', { period: 'last_month', all: true }],
];

/** A moment as text has it: the structured payload keeps its offset. */
function onTheClock(moment: unknown): string {
  return String(moment).replace(/[+-]\d\d:\d\d$/, '');
}

describe('both channels', () => {
  test.each(samples)('of $tool say the same', (sample) =>
    expectAlike(
      sample.tool,
      argumentsOf(sample, { orderId: anOrder(server.sandbox.world), resultId }),
    ),
  );

  test.each(siblings)('of %s say the same of %j', (tool, args) => expectAlike(tool, args));

  test.each(siblings.slice(0, 3))('of a narrow key’s %s say the same of %j', async (tool, args) => {
    const settings = { COMMERCE_TOOLSETS: 'orders' };
    const narrow = await serverOver('memory', { sandbox: server.sandbox, settings });
    await expectAlike(tool, args, narrow);
  });

  test('cost at most 2,886 tokens together for a trend of 30 days', async () => {
    const { text, body, rows } = await server.ask('turnover_trend', {
      period: 'last_30_days',
    });
    expect(rows).toHaveLength(30);
    const [asText, asJson] = [text, JSON.stringify(body)].map((it) => encode(it).length);
    // 1,020 of text and 1,866 of structure: a shorter text pays for parameters that stand beside it.
    expect(Number(asText) + Number(asJson)).toBeLessThanOrEqual(2886);
  });
});

async function expectAlike(tool: string, args: JsonObject, from = server): Promise<void> {
  const answer = await from.ask(tool, args);
  const { text, isError, context, body } = answer;
  expect(isError, text).toBe(false);
  for (const fact of facts(answer)) expect(text).toContain(fact);
  for (const name of names(answer)) expect(text).toContain(neutralise(name));
  const isList = Array.isArray(body.data);
  // A figure and a file show no rows, but tell whether all of them are in it.
  const tellsWhole = isList || isRecord(body.figure) || tool === 'export_rows';
  expect(typeof context.complete).toBe(tellsWhole ? 'boolean' : 'undefined');
  expect(isRecord(context.read)).toBe(isList);
  // The structure has every warning of the text, and tells of missing rows as well.
  expect(text.split('\n').filter((line) => line.startsWith('# Warning: '))).toHaveLength(
    answer.warnings.length,
  );
  expect(/^# (Not read|Read) whole/m.test(text)).toBe(context.complete === false);
}
