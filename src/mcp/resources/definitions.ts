import type { Call, RecordAnswer, RowsAnswer } from '../../analysis/answer.ts';
import { answerBrief } from '../../analysis/briefs/answer-brief.ts';
import { readBrief } from '../../analysis/briefs/brief.ts';
import { askEndpoint, askList } from '../../analysis/endpoint/ask-endpoint.ts';
import { readArguments } from '../../analysis/read-arguments.ts';
import type { Row } from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { sentencesFor } from '../../core/text.ts';
import { listCustomerSegments } from '../../endpoints/customers.ts';
import type { Endpoint, Toolset } from '../../endpoints/define.ts';
import { getOrder, listOrders } from '../../endpoints/orders.ts';
import { getProduct, searchProducts } from '../../endpoints/products.ts';
import {
  getMe,
  listLocations,
  listPaymentMethods,
  listShops,
  listTaxRates,
  listTurnoverGroups,
} from '../../endpoints/reference.ts';
import { briefMarkdown } from '../answers/brief.ts';
import { modelReader, writeContext } from '../answers/catalogue/catalogue.ts';
import type { App } from '../app/app.ts';
import type { CallFacts } from '../telemetry/call-tracking.ts';
import { allTools } from '../tools/catalogue.ts';
import { readGuide } from './guide.ts';
import { toolSchemas } from './tool-schemas.ts';

/** Something to read under an address, or under a family of addresses with one variable. */
export interface ResourceDefinition {
  /** An address, or a template with one `{variable}`. */
  uri: string;
  name: string;
  title: string;
  description: string;
  /** Offered with every toolset when there is none. */
  toolset?: Toolset;
  /** Offered only with the query engine, an optional part of an installation. */
  needsEngine?: true;
  mimeType: string;
  read(services: Services, variable: string, call: Call, app: App): Promise<Content[]>;
  /** Where the rows that it gives came from, if they are of an earlier answer. */
  source?(services: Services, variable: string): Promise<CallFacts>;
  /** Values for its variable, where something is known to begin with. */
  complete?(services: Services, typed: string, call: Call, app: App): Promise<readonly string[]>;
}

/** One text of a resource. */
export interface Content {
  mimeType: string;
  text: string;
  /** The resource's own address unless given. */
  uri?: string;
}

/** Most values that the protocol lets one completion carry. */
export const maxCompletions = 100;

const json = 'application/json';
const markdown = 'text/markdown';

/** Every resource, in the order in which they are listed. */
export const resourceDefinitions: readonly ResourceDefinition[] = [
  list('Shops', 'Sales channels with their location', listShops),
  list('Locations', 'Physical sites with address and country', listLocations),
  list('Tax rates', 'VAT rates of all countries', listTaxRates),
  list('Turnover groups', 'Product groups, also revenue-ledger keys', listTurnoverGroups),
  list('Payment methods', 'Payment methods with type_alias', listPaymentMethods),
  list('Customer segments', 'Segments with sizes', listCustomerSegments),
  {
    uri: 'commerce://access',
    name: 'access',
    title: 'Access',
    description: 'Who this key is, what it may see and how much rate budget is left',
    toolset: 'reference',
    mimeType: json,
    read: async (services, _, call) => {
      const answer = await askEndpoint(getMe, services, {}, call);
      const budget = services.client.budget() ?? 'no budget reported';
      return [asAnswer(services, answer, { rate_budget: budget })];
    },
  },
  {
    uri: 'commerce://guide',
    name: 'guide',
    title: 'Guide',
    description: 'How ids, money, days and scopes work here',
    toolset: 'reference',
    mimeType: markdown,
    read: async (_, __, { signal }, app) => [
      { mimeType: markdown, text: await readGuide(app, signal) },
    ],
  },
  {
    uri: 'commerce://tables',
    name: 'tables',
    title: 'Tables for query',
    description: 'Every table of query: arguments, columns, what joins with what',
    toolset: 'analysis',
    needsEngine: true,
    mimeType: markdown,
    async read({ statements }, _, { signal }) {
      return [{ mimeType: markdown, text: renderTables(await statements.tables(signal)) }];
    },
  },
  {
    ...one('tax-rates/{country_code}', 'Tax rates of a country', listTaxRates),
    complete: async ({ reference }, _, { signal }) => {
      const rates = await reference.listForDisplay('tax_rate', signal);
      const values = rates.flatMap(({ row }) => Object.values(row)).map(String);
      return values.filter((value) => /^[A-Z]{2}$/.test(value)).sort();
    },
  },
  {
    ...one('orders/{order_id}', 'An order', getOrder),
    complete: (services, _, call) =>
      idsOf(services, listOrders, 'id', call, { period: 'last_7_days' }),
  },
  {
    ...one('products/{shop_product_id}', 'A product', getProduct),
    complete: async (services, typed, call) => {
      const ids = await idsOf(services, searchProducts, 'shop_product_id', call);
      return ids.filter((id) => id.startsWith(typed));
    },
  },
  {
    uri: 'commerce://schemas/{tool}',
    name: 'schemas',
    title: 'Schemas of a tool',
    description: 'Its arguments and every known field of its answers, to generate types from',
    mimeType: json,
    read: async (_, tool, __, app) => [asJson(toolSchemas(app, tool))],
    complete: async ({ hasTool }) => allTools.filter(hasTool),
  },
  {
    uri: 'commerce://briefs/{name}',
    name: 'brief',
    title: 'A brief',
    description: 'Saved questions with their answers of now',
    mimeType: markdown,
    toolset: 'analysis',
    async read(services, name, call, { briefs, catalogue }) {
      const reader = modelReader(services.hasTool);
      const asking = { services, tools: catalogue.list(), call };
      const brief = await answerBrief(readBrief(briefs(), name), asking);
      return [{ mimeType: markdown, text: await briefMarkdown(brief, { services, reader }) }];
    },
    complete: async (_, __, ___, { briefs }) => [...briefs().keys()],
  },
  {
    uri: 'commerce://results/{result_id}',
    name: 'result',
    title: 'A kept result',
    description: 'All rows of an earlier answer as JSON; as CSV where the id ends in .csv',
    mimeType: json,
    read: async ({ results, hasTool }, id) => [
      await results.read(id, (context) => writeContext(context, modelReader(hasTool))),
    ],
    complete: async ({ results }) => results.ids(),
    async source({ results }, id) {
      const { tool, rows } = await results.get(id.replace(/\.(csv|json)$/, ''));
      return { sourceTool: tool, rows: rows.length };
    },
  },
];

function list(title: string, description: string, endpoint: Endpoint): ResourceDefinition {
  const name = title.toLowerCase().replace(' ', '-');
  return { ...ofEndpoint(endpoint), uri: `commerce://${name}`, name, title, description };
}

/** A family of records, or of lists, by the argument in its path. */
function one(path: string, title: string, endpoint: Endpoint): ResourceDefinition {
  const [, argument = ''] = /\{(.*)\}/.exec(path) ?? [];
  const name = argument.replace(/_(id|code)$/, '');
  const description = sentencesFor(endpoint.description, () => false);
  return { ...ofEndpoint(endpoint, argument), uri: `commerce://${path}`, name, title, description };
}

function ofEndpoint(
  endpoint: Endpoint,
  argument?: string,
): Pick<ResourceDefinition, 'toolset' | 'mimeType' | 'read'> {
  // Resources give ids without names.
  const unnamed = { ...endpoint, namedIds: [] };
  return {
    toolset: endpoint.toolset,
    mimeType: json,
    async read(services, variable, call) {
      const input = argument === undefined ? {} : readArguments(endpoint, { [argument]: variable });
      return [asAnswer(services, await askEndpoint(unnamed, services, input, call))];
    },
  };
}

/** An answer in the form of `structuredContent`, with what else is to be in it. */
function asAnswer({ hasTool }: Services, answer: RowsAnswer | RecordAnswer, more?: JsonObject) {
  const data = answer.kind === 'rows' ? answer.rows : undefined;
  const context = writeContext(answer.context, modelReader(hasTool));
  return asJson({ ...answer.payload, ...more, data, context });
}

function asJson(value: unknown): Content {
  return { mimeType: json, text: JSON.stringify(value) };
}

async function idsOf(
  services: Services,
  endpoint: Endpoint,
  field: string,
  call: Call,
  input: JsonObject = {},
): Promise<string[]> {
  const args = { ...input, limit: maxCompletions, fields: [field] };
  const { rows } = await askList(endpoint, services, args, call);
  return rows
    .map((row) => toNumber(row[field]))
    .filter(Number.isSafeInteger)
    .map(String);
}

const heading = `# The tables of query

FROM list_orders(period := 'yesterday'): a star marks an argument that has to be given.`;

/** `commerce://tables`: each table as it is called, what it holds, and its columns. */
export function renderTables(tables: readonly Row[]): string {
  const entries = tables.map(({ name, holds, arguments: taken, columns }) => {
    const called = taken === '' ? name : `${name}(${String(taken).replace(/^\(|\)$/g, '')})`;
    return columns === '' ? `${called}: ${holds}` : `${called}: ${holds}\n  ${columns}`;
  });
  return `${[heading, ...entries].join('\n\n')}\n`;
}
