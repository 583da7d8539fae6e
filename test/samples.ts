/**
 * A row for each tool that there should be, whatever the source says: what the laws over the whole
 * catalogue are held against. A new endpoint or analysis has its row here and nowhere else in the tests.
 */
import type { z } from 'zod';
import { analysisTools } from '../src/analysis/tools.ts';
import type { JsonObject } from '../src/core/json.ts';
import { type Toolset, toolsets } from '../src/endpoints/define.ts';
import { inputSchemas, type ObjectSchema } from '../src/mcp/tools/catalogue.ts';
import type { World } from '../src/sandbox/world/world.ts';

/** A tool with arguments that are right. */
export interface Sample {
  tool: string;
  toolset: Toolset;
  /** Toolsets without which it is not offered. */
  needs?: readonly Toolset[];
  /** None unless given; some depend on what there is to ask about. */
  ask?: JsonObject | ((given: Given) => JsonObject);
}

/** What there is to ask about: an order, and an answer of which rows were kept. */
export interface Given {
  orderId: number;
  resultId?: unknown;
}

/** An endpoint as the API document has it. */
interface EndpointSample extends Sample {
  path: string;
  /** The argument that fills the `{id}` of the path. */
  pathId?: string;
  parameters?: Record<string, Documented>;
  /** What the platform needs to be asked, where it needs anything: days before 20 November 2026. */
  query?: string;
}

/** What the API document says of a query parameter. */
export interface Documented {
  /** As JSON Schema has it; references are texts because they take names too. */
  type: 'string' | 'integer' | 'boolean';
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

const text: Documented = { type: 'string' };
const flag: Documented = { type: 'boolean' };
const reference: Documented = { type: 'string' };
const start: Documented = { type: 'integer', minimum: 0, default: 0 };
const language: Documented = { type: 'string', default: 'nl' };
const range = { from: text, to: text };
const limit = (standard: number, maximum: number) =>
  ({ type: 'integer', minimum: 1, maximum, default: standard }) as const;

const feed = { since: text, cursor: text, limit: limit(100, 250) };
const october = 'from=2026-10-01&to=2026-10-31';
const ofOrder = ({ orderId }: Given) => ({ order_id: orderId });

const byToolset: Readonly<Partial<Record<Toolset, readonly Omit<EndpointSample, 'toolset'>[]>>> = {
  reference: [
    { tool: 'get_me', path: '/api/me' },
    { tool: 'list_locations', path: '/api/location' },
    {
      tool: 'get_location',
      path: '/api/location/{id}',
      pathId: 'location_id',
      ask: { location_id: 3 },
    },
    { tool: 'list_payment_methods', path: '/api/payment-method' },
    { tool: 'list_shops', path: '/api/shop' },
    {
      tool: 'list_tax_rates',
      path: '/api/tax-rate',
      parameters: { country_code: text },
      ask: { country_code: 'NL' },
    },
    { tool: 'list_turnover_groups', path: '/api/turnover-group' },
  ],
  customers: [
    {
      tool: 'search_customers',
      path: '/api/customer',
      parameters: { q: text, segment_id: reference, start, limit: limit(50, 500) },
      ask: { q: 'jansen', limit: 5 },
    },
    {
      tool: 'get_customer',
      path: '/api/customer/{id}',
      pathId: 'customer_id',
      ask: { customer_id: 20_001 },
    },
    { tool: 'list_customer_segments', path: '/api/customer-segment' },
  ],
  reports: [
    {
      tool: 'list_discount_orders',
      path: '/api/discount-order',
      parameters: { ...range, shop_id: reference, only_full: flag, include_negative: flag },
      ask: { period: 'last_week', include_negative: true },
      query: `${october}&include_negative=1`,
    },
    {
      tool: 'get_financial_report',
      path: '/api/financial-report',
      parameters: { ...range, location_id: reference },
      ask: { period: 'last_month' },
      query: october,
    },
    {
      tool: 'get_payment_report',
      path: '/api/report/payment',
      parameters: { ...range, location_id: reference },
      ask: { period: 'yesterday', location_id: 2 },
      query: 'from=2026-11-19',
    },
    {
      tool: 'get_daily_close',
      path: '/api/report/daily-close',
      parameters: { date: text, location_id: reference },
      ask: { date: 'yesterday' },
      query: 'date=2026-11-19',
    },
    {
      tool: 'get_product_sales',
      path: '/api/report/product-sale',
      ask: { period: 'last_week' },
      query: 'from=2026-11-19',
    },
  ],
  orders: [
    {
      tool: 'list_orders',
      path: '/api/order',
      parameters: {
        ...{ ...range, shop_id: reference, status: text, is_internal: flag, is_paid: flag },
        ...{ segment_id: reference, start, limit: limit(100, 500) },
      },
      ask: { period: 'last_week', all: true },
      query: 'from=2026-11-01&to=2026-11-20&limit=500',
    },
    {
      tool: 'list_order_changes',
      path: '/api/order/delta',
      parameters: feed,
      ask: { since: 'yesterday', all: true },
      query: 'since=2026-11-18',
    },
    { tool: 'get_order', path: '/api/order/{id}', pathId: 'order_id', ask: ofOrder },
    { tool: 'list_order_items', path: '/api/order/{id}/item', pathId: 'order_id', ask: ofOrder },
  ],
  catalog: [
    {
      tool: 'search_products',
      path: '/api/product',
      parameters: {
        ...{ q: text, language_code: language, location_id: reference },
        ...{ start, limit: limit(25, 200) },
      },
      ask: { q: 'koek' },
    },
    {
      tool: 'list_product_changes',
      path: '/api/product/delta',
      parameters: { ...feed, language_code: language, location_id: reference },
      ask: { since: 'last_30_days' },
      query: 'since=2026-10-01',
    },
    {
      tool: 'get_product',
      path: '/api/product/{id}',
      pathId: 'shop_product_id',
      parameters: { location_id: reference },
      ask: { shop_product_id: 1001 },
    },
    {
      tool: 'list_product_prices',
      path: '/api/product-price',
      parameters: { product_ids: text, start, limit: limit(100, 500) },
      ask: { product_ids: '1001,1002' },
    },
    { tool: 'list_stock', path: '/api/stock', ask: { location_id: 2 } },
  ],
};

/** The endpoints of the API document with their parameters. */
export const endpointSamples: readonly EndpointSample[] = toolsets.flatMap((toolset) =>
  (byToolset[toolset] ?? []).map((sample) => ({ toolset, ...sample })),
);

const toolset = 'analysis';

/** Our own tools. */
export const analysisSamples: readonly Sample[] = [
  { tool: 'find_reference', toolset, ask: { query: 'Utrecht' } },
  { tool: 'compare_turnover', toolset, ask: { period: 'last_week', by: 'shop' } },
  { tool: 'turnover_trend', toolset, ask: { period: 'last_week', by: 'turnover_group' } },
  {
    tool: 'query',
    toolset,
    ask: {
      sql: "SELECT shop_id, count(*) AS orders FROM list_orders(period := 'last_week') GROUP BY ALL",
    },
  },
  {
    tool: 'show_figure',
    toolset,
    ask: {
      sql: "SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_week')",
    },
  },
  { tool: 'read_rows', toolset, ask: ({ resultId }) => ({ result_id: resultId, limit: 3 }) },
  { tool: 'export_rows', toolset, ask: ({ resultId }) => ({ result_id: resultId }) },
];

export const samples: readonly Sample[] = [...endpointSamples, ...analysisSamples];

/** The names of all tools that some toolsets stand for. */
export function toolsOf(...toolsets: readonly Toolset[]): string[] {
  const isOffered = ({ toolset, needs = [] }: Sample) =>
    [toolset, ...needs].every((it) => toolsets.includes(it));
  return samples.filter(isOffered).map(({ tool }) => tool);
}

/** A question for each tool that asks the platform. */
export function questions(given: Given): [tool: string, args: JsonObject][] {
  const fromKept = analysisTools.filter(({ kind }) => kind === 'kept' || kind === 'file');
  return samples
    .filter((sample) => !fromKept.some(({ tool }) => tool === sample.tool))
    .map((sample) => [sample.tool, argumentsOf(sample, given)]);
}

export function argumentsOf({ ask = {} }: Sample, given: Given): JsonObject {
  return typeof ask === 'function' ? ask(given) : ask;
}

/** An order that every business has: of its unbalanced day, which is over. */
export function anOrder(world: World): number {
  return world.orders(world.unbalancedDay.date)[0]?.id ?? 0;
}

/** The schema of one tool's arguments, as clients read it. */
export function inputSchema(schema: z.ZodObject): ObjectSchema {
  return inputSchemas({ schema }).schema ?? { type: 'object' };
}
