import type { Call, RecordAnswer, RowsAnswer } from '../../analysis/answer.ts';
import { answerBrief, readBrief } from '../../analysis/briefs/brief.ts';
import { askEndpoint, askList } from '../../analysis/endpoint/ask-endpoint.ts';
import { readArguments } from '../../analysis/read-arguments.ts';
import type { Row } from '../../analysis/rows/rows.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { version } from '../../core/program.ts';
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
import { finishContext } from '../answers/context.ts';
import type { App } from '../app/app.ts';
import type { CallFacts } from '../telemetry/call-tracking.ts';
import { allTools } from '../tools/catalogue.ts';
import { readGuide } from './guide.ts';
import { toolSchemas } from './tool-schemas.ts';

export interface ResourceDefinition {
  uri: string;
  name: string;
  title: string;
  description: string;
  /** Undefined for a resource that is offered with any toolset. */
  toolset?: Toolset;
  /** Offered only if the query engine, an optional dependency, is installed. */
  needsEngine?: true;
  mimeType: string;
  read(app: App, variable: string, call: Call): Promise<Content>;
  /** Values for the variable. The caller filters them by what was typed. */
  complete?(app: App, typed: string, call: Call): Promise<readonly string[]>;
}

export interface Content {
  text: string;
  mimeType?: string;
  uri?: string;
  /** The tool and rows of the earlier answer that it shows. */
  source?: CallFacts;
}

/** Most values that a completion may carry by the protocol. */
export const maxCompletions = 100;

const json = 'application/json';
const markdown = 'text/markdown';

export const resourceDefinitions: readonly ResourceDefinition[] = [
  listResource('Shops', 'Sales channels with their location', listShops),
  listResource('Locations', 'Physical sites with address and country', listLocations),
  listResource('Tax rates', 'VAT rates of all countries', listTaxRates),
  listResource('Turnover groups', 'Product groups, also revenue-ledger keys', listTurnoverGroups),
  listResource('Payment methods', 'Payment methods with type_alias', listPaymentMethods),
  listResource('Customer segments', 'Segments with sizes', listCustomerSegments),
  {
    uri: 'commerce://access',
    name: 'access',
    title: 'Access',
    description: 'Who this key is, what it may see and how much rate budget is left',
    toolset: 'reference',
    mimeType: json,
    async read(app, _, call) {
      const answer = await askEndpoint(getMe, app.services, {}, call);
      const budget = app.services.client.budget() ?? 'no budget reported';
      const server = { name: 'commerce-mcp', version };
      return asAnswer(answer, { rate_budget: budget, server });
    },
  },
  {
    uri: 'commerce://guide',
    name: 'guide',
    title: 'Guide',
    description: 'How ids, money, days and scopes work here',
    toolset: 'reference',
    mimeType: markdown,
    read: async (app, _, { signal }) => ({ text: await readGuide(app, signal) }),
  },
  {
    uri: 'commerce://tables',
    name: 'tables',
    title: 'Tables for query',
    description: 'Every table of query: arguments, columns, what joins with what',
    toolset: 'analysis',
    needsEngine: true,
    mimeType: markdown,
    read: async ({ services }, _, { signal }) => ({
      text: renderTables(await services.statements.tables(signal)),
    }),
  },
  {
    ...recordResource('tax-rates/{country_code}', 'Tax rates of a country', listTaxRates),
    async complete({ services }, _, { signal }) {
      const rates = await services.reference.listForDisplay('tax_rate', signal);
      const values = rates.flatMap(({ row }) => Object.values(row)).map(String);
      return values.filter((value) => /^[A-Z]{2}$/.test(value)).sort();
    },
  },
  {
    ...recordResource('orders/{order_id}', 'An order', getOrder),
    complete: (app, _, call) => idsOf(app, listOrders, 'id', call, { period: 'last_7_days' }),
  },
  {
    ...recordResource('products/{shop_product_id}', 'A product', getProduct),
    async complete(app, typed, call) {
      const ids = await idsOf(app, searchProducts, 'shop_product_id', call);
      return ids.filter((id) => id.startsWith(typed));
    },
  },
  {
    uri: 'commerce://schemas/{tool}',
    name: 'schemas',
    title: 'Schemas of a tool',
    description: 'Its arguments and every known field of its answers, to generate types from',
    mimeType: json,
    read: async (app, tool) => ({ text: JSON.stringify(toolSchemas(app, tool)) }),
    complete: async ({ services }) => allTools.filter(services.hasTool),
  },
  {
    uri: 'commerce://briefs/{name}',
    name: 'brief',
    title: 'A brief',
    description: 'Saved questions with their answers of now',
    mimeType: markdown,
    toolset: 'analysis',
    async read({ services, catalogue, briefs }, name, call) {
      const asking = { services, tools: catalogue.list(), call };
      const brief = await answerBrief(readBrief(briefs(), name), asking);
      return { text: await briefMarkdown(brief, { services }) };
    },
    complete: async ({ briefs }) => [...briefs().keys()],
  },
  {
    uri: 'commerce://results/{result_id}',
    name: 'result',
    title: 'A kept result',
    description: 'All rows of an earlier answer as JSON; as CSV where the id ends in .csv',
    mimeType: json,
    async read({ services: { results } }, id) {
      const content = await results.read(id, finishContext);
      const { tool, rows } = await results.get(id.replace(/\.(csv|json)$/, ''));
      return { ...content, source: { sourceTool: tool, rows: rows.length } };
    },
    complete: async ({ services }) => services.results.ids(),
  },
];

function listResource(title: string, description: string, endpoint: Endpoint): ResourceDefinition {
  const name = title.toLowerCase().replace(' ', '-');
  return { ...readerOf(endpoint), uri: `commerce://${name}`, name, title, description };
}

function recordResource(path: string, title: string, endpoint: Endpoint): ResourceDefinition {
  const [, argument = ''] = /\{(.*)\}/.exec(path) ?? [];
  const name = argument.replace(/_(id|code)$/, '');
  const description = sentencesFor(endpoint.description, () => false);
  return { ...readerOf(endpoint, argument), uri: `commerce://${path}`, name, title, description };
}

function readerOf(endpoint: Endpoint, argument?: string) {
  // Ids get no names in resources.
  const unnamed = { ...endpoint, namedIds: [] };
  return {
    toolset: endpoint.toolset,
    mimeType: json,
    async read(app: App, variable: string, call: Call) {
      const input = argument === undefined ? {} : readArguments(endpoint, { [argument]: variable });
      return asAnswer(await askEndpoint(unnamed, app.services, input, call));
    },
  };
}

/** An answer in the form of `structuredContent`, with additional members. */
function asAnswer(answer: RowsAnswer | RecordAnswer, additions?: JsonObject): Content {
  const data = answer.kind === 'rows' ? answer.rows : undefined;
  const context = finishContext(answer.context);
  return { text: JSON.stringify({ ...answer.payload, ...additions, data, context }) };
}

async function idsOf(
  { services }: App,
  endpoint: Endpoint,
  field: string,
  call: Call,
  input: JsonObject = {},
): Promise<string[]> {
  const args = { ...input, limit: maxCompletions, fields: [field] };
  const { rows } = await askList(endpoint, services, args, call);
  const ids = rows.map((row) => toNumber(row[field]));
  return ids.filter(Number.isSafeInteger).map(String);
}

const heading = `# The tables of query

FROM list_orders(period := 'yesterday'): a star marks an argument that has to be given.`;

/** `commerce://tables`: each table with its arguments, its content and its columns. */
export function renderTables(tables: readonly Row[]): string {
  const entries = tables.map(({ name, holds, arguments: args, columns }) => {
    const call = args === '' ? name : `${name}(${String(args).replace(/^\(|\)$/g, '')})`;
    const line = holds === '' ? call : `${call}: ${holds}`;
    return columns === '' ? line : `${line}\n  ${columns}`;
  });
  return `${[heading, ...entries].join('\n\n')}\n`;
}
