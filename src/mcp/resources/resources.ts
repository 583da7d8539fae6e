import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  UriTemplate,
} from '@modelcontextprotocol/server';
import type { Call, CallOptions } from '../../analysis/answer.ts';
import { askEndpoint } from '../../analysis/endpoint/ask-endpoint.ts';
import { explain } from '../../analysis/errors/explain.ts';
import { CommerceError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { listCustomerSegments } from '../../endpoints/customers.ts';
import type { Endpoint, Toolset } from '../../endpoints/define.ts';
import { getOrder } from '../../endpoints/orders.ts';
import { getProduct } from '../../endpoints/products.ts';
import {
  getMe,
  listLocations,
  listPaymentMethods,
  listShops,
  listTaxRates,
  listTurnoverGroups,
} from '../../endpoints/reference.ts';
import type { App } from '../app/app.ts';
import { type Outcome, outcomeOf } from '../telemetry/call-tracking.ts';
import { readArguments } from '../tools/arguments.ts';
import { inputSchema } from '../tools/json-schema.ts';
import { guide } from './guide.ts';
import { readResult } from './kept-result.ts';

/** Something to read under an address, or under a family of addresses with one variable. */
interface ResourceDefinition {
  /** An address, or a template with one `{variable}`. */
  uri: string;
  name: string;
  title: string;
  description: string;
  /** Offered with every toolset when there is none. */
  toolset?: Toolset;
  mimeType: string;
  read(app: App, variable: string, call: Call): Promise<Content[]>;
}

/** One text of a resource. */
export interface Content {
  mimeType: string;
  text: string;
  /** The resource's own address unless given. */
  uri?: string;
}

const json = 'application/json';

const definitions: readonly ResourceDefinition[] = [
  list('shops', 'Shops', 'Sales channels with their location', listShops),
  list('locations', 'Locations', 'Physical sites with address and country', listLocations),
  list('tax-rates', 'Tax rates', 'VAT rates of all countries', listTaxRates),
  list(
    'turnover-groups',
    'Turnover groups',
    'Product groups, also revenue-ledger keys',
    listTurnoverGroups,
  ),
  list('payment-methods', 'Payment methods', 'Payment methods with type_alias', listPaymentMethods),
  list('customer-segments', 'Customer segments', 'Segments with sizes', listCustomerSegments),
  {
    uri: 'commerce://access',
    name: 'access',
    title: 'Access',
    description: 'Who this key is, what it may see and how much rate budget is left',
    toolset: 'reference',
    mimeType: json,
    read: async (app, _, call) => {
      const { payload, context } = await askEndpoint(app.services, getMe, {}, call);
      const budget = app.services.client.budget() ?? 'no budget reported';
      return [asJson({ ...payload, rate_budget: budget, context })];
    },
  },
  {
    uri: 'commerce://guide',
    name: 'guide',
    title: 'Guide',
    description: 'How ids, money, days and scopes work here',
    toolset: 'reference',
    mimeType: 'text/markdown',
    read: async () => [{ mimeType: 'text/markdown', text: guide }],
  },
  one('tax-rates/{country_code}', 'Tax rates of a country', listTaxRates, 'country_code'),
  one('orders/{order_id}', 'An order', getOrder, 'order_id'),
  one('products/{shop_product_id}', 'A product', getProduct, 'shop_product_id'),
  {
    uri: 'commerce://results/{result_id}',
    name: 'result',
    title: 'A kept result',
    description:
      'All rows of an earlier answer, as CSV and JSON; end the id in .csv or .json for one',
    mimeType: json,
    read: readResult,
  },
];

/** The resources with a fixed address, for the toolsets on offer. */
export function listResources(toolsets: readonly Toolset[]) {
  return offered(toolsets)
    .filter(({ uri }) => !UriTemplate.isTemplate(uri))
    .map(({ uri, name, title, description, mimeType }) => ({
      uri,
      name,
      title,
      description,
      mimeType,
    }));
}

/** The families of resources, for the toolsets on offer. */
export function listResourceTemplates(toolsets: readonly Toolset[]) {
  return offered(toolsets)
    .filter(({ uri }) => UriTemplate.isTemplate(uri))
    .map(({ uri, name, title, description, mimeType }) => ({
      uriTemplate: uri,
      name,
      title,
      description,
      mimeType,
    }));
}

/**
 * Reads a resource.
 *
 * @throws {ResourceNotFoundError} for an address that nothing lives under.
 * @throws {ProtocolError} with a text that says what to do next when the platform refuses or fails.
 */
export async function readResource(
  app: App,
  toolsets: readonly Toolset[],
  uri: string,
  options: CallOptions,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
  const call = { ...options, nowMs: app.services.now() };
  const found = find(toolsets, uri);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  const tracked = { tool: found.definition.uri, caller: app.caller };
  return app.activity.track(tracked, (report) => readFound(app, found, uri, call, report));
}

async function readFound(
  app: App,
  found: Found,
  uri: string,
  call: Call,
  report: (outcome: Outcome) => void,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
  try {
    const contents = await found.definition.read(app, found.variable, call);
    return { contents: contents.map((content) => ({ uri, ...content })) };
  } catch (error) {
    report(call.signal?.aborted ? 'cancelled' : outcomeOf(error));
    if (!(error instanceof CommerceError)) throw error;
    if (error.code === 'not_found') throw new ResourceNotFoundError(uri, error.message);
    const code =
      error.code === 'bad_input'
        ? ProtocolErrorCode.InvalidParams
        : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, await explain(app.services, error));
  }
}

function offered(toolsets: readonly Toolset[]): readonly ResourceDefinition[] {
  return definitions.filter(({ toolset }) => toolset === undefined || toolsets.includes(toolset));
}

interface Found {
  definition: ResourceDefinition;
  variable: string;
}

function find(toolsets: readonly Toolset[], uri: string): Found | undefined {
  for (const definition of offered(toolsets)) {
    if (definition.uri === uri) return { definition, variable: '' };
    if (!UriTemplate.isTemplate(definition.uri)) continue;
    const matched = new UriTemplate(definition.uri).match(uri);
    const [variable] = Object.values(matched ?? {}).flat();
    if (variable) return { definition, variable: decodeURIComponent(variable) };
  }
  return undefined;
}

function list(
  path: string,
  title: string,
  description: string,
  endpoint: Endpoint,
): ResourceDefinition {
  return {
    uri: `commerce://${path}`,
    name: path,
    title,
    description,
    toolset: endpoint.toolset,
    mimeType: json,
    read: (app, _, call) => readEndpoint(app, endpoint, {}, call),
  };
}

function one(
  path: string,
  title: string,
  endpoint: Endpoint,
  argument: string,
): ResourceDefinition {
  const { tool, input, toolset, description } = endpoint;
  return {
    uri: `commerce://${path}`,
    name: argument.replace(/_(id|code)$/, ''),
    title,
    description,
    toolset,
    mimeType: json,
    read: (app, variable, call) => {
      const reader = { tool, input, inputSchema: inputSchema(input) };
      return readEndpoint(app, endpoint, readArguments(reader, { [argument]: variable }), call);
    },
  };
}

async function readEndpoint(
  app: App,
  endpoint: Endpoint,
  input: JsonObject,
  call: Call,
): Promise<Content[]> {
  const { payload, rows, context } = await askEndpoint(app.services, endpoint, input, call);
  return [asJson({ ...payload, ...(rows && { data: rows }), context })];
}

function asJson(value: unknown): Content {
  return { mimeType: json, text: JSON.stringify(value) };
}
