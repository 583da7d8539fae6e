/**
 * What this key's account looks like, found by looking: once, when a statement, `tables` or the guide needs it,
 * and kept for a day. Its requests give way to all others, and nothing fails because of it.
 */
import type { SharedValues } from '../../client/request/get.ts';
import { addDays, amsterdamDay, type Day } from '../../core/calendar.ts';
import { type FieldTypes, mergeColumns, withoutFields } from '../../core/column-tree.ts';
import { unlessAborted, withDeadline } from '../../core/deadline.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import {
  type Endpoint,
  givesRows,
  isDelta,
  isPaged,
  largestPage,
  toolsets,
} from '../../endpoints/define.ts';
import { pathKey, responseColumns } from '../../endpoints/openapi.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { documentedColumns } from '../../endpoints/shapes.ts';
import { readEndpoint } from '../endpoint/ask-endpoint.ts';
import { prepareRequest } from '../endpoint/prepare-request.ts';
import { type Fence, isWithheld } from '../fence.ts';
import type { Row } from '../rows/rows.ts';
import type { Services, Survey, ToolColumns } from '../services.ts';
import {
  type BehaviourFinding,
  type BehaviourName,
  behaviourFindingSchema,
  type LookReading,
  questions,
} from './behaviour.ts';
import { FindingsCache } from './findings-cache.ts';
import { type ColumnFindings, columnFindingsSchema, findColumns } from './found.ts';

/** What looks are made with, and what is known without one. */
interface SurveySource extends Pick<Services, 'client' | 'reference' | 'maxRows' | 'now'> {
  endpoints: readonly Endpoint[];
  /** openapi.json, once it is there. */
  openapi: () => unknown;
  /** What the replicas on the key share. */
  shared?: SharedValues | undefined;
  /** Gets what fails unexpectedly. */
  log: Pick<Log, 'error'>;
}

export class AccountSurvey {
  readonly #source: SurveySource;
  readonly #columns: FindingsCache<ColumnFindings>;
  readonly #behaviours: FindingsCache<BehaviourFinding>;
  #described: { openapi: unknown; columns: ReadonlyMap<string, FieldTypes> } | undefined;

  constructor(source: SurveySource) {
    this.#source = source;
    // Statements need columns, while answers can do without behaviour.
    this.#columns = new FindingsCache('columns', columnFindingsSchema, source, 10_000);
    this.#behaviours = new FindingsCache('behaviour', behaviourFindingSchema, source, 600_000);
  }

  /** What a caller may know of it. */
  forCaller(fence: Fence): Survey {
    const isOut = (name: BehaviourName) => !questions[name].toolsets.every((it) => fence.has(it));
    return {
      columnsOf: (tool) => this.#columnsOf(tool, fence),
      look: async (tools, signal = new AbortController().signal) => {
        const looks = tools.map((tool) => this.#exploreColumns(tool));
        await unlessAborted(Promise.all(looks), signal).catch(() => {});
      },
      behaviour: async (name, signal, withinMs = 5000) => {
        if (isOut(name)) return { sentence: `${questions[name].open} is left out.` };
        const exploring = this.#exploreBehaviour(name);
        await withDeadline({ ms: withinMs, signal }, () => exploring).catch(() => {});
        return this.#behaviour(name) ?? { sentence: `${questions[name].open} is not known yet.` };
      },
      known: (name) => (isOut(name) ? undefined : this.#behaviour(name)),
    };
  }

  #columnsOf(tool: string, fence: Fence): ToolColumns {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined)
      return { columns: {}, isOpen: false, seen: {}, measures: [], looked: 0 };
    const { value: found, failed } = this.#columns.get(tool) ?? {};
    const described = this.#describedColumns().get(pathKey(endpoint.path));
    const known = [documentedColumns(endpoint.output), described ?? {}, found?.columns ?? {}];
    const seen = Object.entries(found?.seen ?? {});
    const isOut = (path: string) => isWithheld(fence, endpoint, path);
    return {
      columns: withoutFields(mergeColumns(...known), isOut),
      isOpen: described === undefined,
      seen: Object.fromEntries(seen.filter(([path]) => !isOut(path))),
      measures: found?.measures ?? [],
      looked: found?.looked ?? 0,
      ...(failed !== undefined && { failed }),
    };
  }

  #describedColumns(): ReadonlyMap<string, FieldTypes> {
    const openapi = this.#source.openapi();
    if (this.#described?.openapi !== openapi)
      this.#described = { openapi, columns: responseColumns(openapi) };
    return this.#described?.columns ?? new Map();
  }

  #endpoint(tool: string): Endpoint | undefined {
    return this.#source.endpoints.find((it) => it.tool === tool);
  }

  async #exploreColumns(tool: string): Promise<void> {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined) return;
    const isReport = endpoint.toolset === 'reports' && !givesRows(endpoint);
    await this.#columns.find(tool, async () =>
      findColumns(await this.#request(endpoint), isReport),
    );
  }

  #behaviour(name: BehaviourName): BehaviourFinding | undefined {
    const entry = this.#behaviours.get(name);
    if (entry === undefined) return undefined;
    const reason = entry.failed ? `: ${entry.failed}` : '.';
    const open = { sentence: `${questions[name].open} is open${reason}` };
    return entry.value ?? open;
  }

  #exploreBehaviour(name: BehaviourName): Promise<void> {
    const { looks, decide } = questions[name];
    return this.#behaviours.find(name, async () => {
      const readings: Promise<LookReading>[] = [];
      for (const look of looks) {
        const next = typeof look === 'function' ? look(await Promise.all(readings)) : look;
        const [tool = '', input] = next ?? [];
        const endpoint = this.#endpoint(tool);
        if (endpoint) readings.push(this.#request(endpoint, input));
      }
      return decide(await Promise.all(readings));
    });
  }

  /** One request of a look, after those whose rows have the ids that it takes; equal ones are made once. */
  async #request(endpoint: Endpoint, input: JsonObject = {}): Promise<LookReading> {
    const { client, now, ...services } = this.#source;
    const ids = idsFor(endpoint);
    const candidates = ids ? await this.#candidates(ids) : [{}];
    const behind = {
      ...client,
      // A platform in trouble is not asked again and again for what nobody waits for.
      get: (path: string, how = {}) =>
        client.get(path, { ...how, priority: 'prefetch', isTriedOnce: true }),
    };
    const call = { nowMs: now(), statementDeadline: client.progressDeadline() };
    // It looks for the account itself; what a caller may know of it is decided where they ask.
    const looking = { ...services, client: behind, fence: new Set(toolsets) };
    const read = async (id: JsonObject) => {
      const args = { ...lookArguments(endpoint, amsterdamDay(now())), ...id, ...input };
      return readEndpoint(await prepareRequest(looking, endpoint, args, call));
    };
    let failure = new CommerceError('not_found', `${ids?.of} gave no rows.`);
    for (const id of candidates) {
      try {
        return await read(id);
      } catch (error) {
        if (!hasCode(error, 'not_found') && !hasCode(error, 'forbidden')) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Arguments that take ids, to be tried one after the other. */
  async #candidates(ids: Ids): Promise<JsonObject[]> {
    const { of, otherwise } = ids;
    const list = this.#endpoint(of);
    const reading = list ? this.#request(list) : Promise.resolve({ rows: [] });
    const { rows = [] } = await reading.catch((error: unknown) => {
      if (otherwise === undefined) throw error;
      return { rows: [] };
    });
    const found = idArguments(ids, rows);
    return found.length === 0 && otherwise ? this.#candidates(otherwise) : found;
  }
}

// How each tool is looked at: a few rows of a list, a record by an id from its list, a report of last week.

/** Ids that one tool's look takes from the rows of another's. */
interface Ids {
  /** The tool that gives them, and its column. */
  of: string;
  column: string;
  /** The argument that takes them. */
  argument: string;
  /** So many at once, with commas. @default 1 */
  atMost?: number;
  /** So many one after the other, where the key cannot read one that the list gives. @default 1 */
  tries?: number;
  /** The rows, those that tell most first. */
  order?(rows: readonly Row[], column: string): readonly Row[];
  /** Where these rows have none. */
  otherwise?: Ids;
}

const someOrder: Ids = {
  ...{ of: 'list_orders', column: 'id', argument: 'order_id', tries: 3 },
  order: discountedFirst,
};

const byTool: Readonly<Record<string, Ids>> = {
  get_order: someOrder,
  list_order_items: someOrder,
  // docs/platform.md#customers: of most orders it is the one of sales without a customer.
  get_customer: {
    ...{ of: 'list_orders', column: 'relation_data_id', argument: 'customer_id', tries: 3 },
    order: rarestFirst,
    otherwise: { of: 'search_customers', column: 'id', argument: 'customer_id', tries: 3 },
  },
  get_location: { of: 'list_locations', column: 'id', argument: 'location_id' },
  // docs/platform.md#product-ids: each takes its own.
  get_product: { of: 'search_products', column: 'shop_product_id', argument: 'shop_product_id' },
  list_product_prices: { of: 'search_products', column: 'id', argument: 'product_ids', atMost: 25 },
  list_stock: { of: 'search_products', column: 'id', argument: 'product_id' },
};

/** An order with a discount has lines of more kinds. */
function discountedFirst(rows: readonly Row[]): readonly Row[] {
  return [...rows.filter((row) => toNumber(row.discount_value_wt) > 0), ...rows];
}

function rarestFirst(rows: readonly Row[], column: string): readonly Row[] {
  const groups = groupBy(rows, (row) => String(row[column]));
  return [...groups.values()].sort((a, b) => a.length - b.length).flat();
}

function idsFor({ tool, input }: Endpoint): Ids | undefined {
  const ids = byTool[tool];
  return ids && ids.argument in input.shape ? ids : undefined;
}

/** What to look at, and what else where that cannot be read. */
function idArguments(ids: Ids, rows: readonly Row[]): JsonObject[] {
  const { column, argument, atMost, tries = 1, order = () => rows } = ids;
  const found = order(rows, column).map((row) => row[column]);
  const chosen = [...new Set(found.filter(Number.isSafeInteger))].slice(0, atMost ?? tries);
  if (chosen.length === 0) return [];
  return atMost === undefined
    ? chosen.map((id) => ({ [argument]: id }))
    : [{ [argument]: chosen.join(',') }];
}

/** The other arguments: of orders the last 30 days, of all else last week or yesterday, the first rows. */
function lookArguments(endpoint: Endpoint, today: Day): JsonObject {
  const { shape } = endpoint.input;
  const isOrders = endpoint.tool === listOrders.tool;
  const days = isOrders ? { from: addDays(today, -29), to: today } : { period: 'last_week' };
  // Of some lists the behaviour is seen as well: as much as one request gives.
  const isWhole = isOrders || endpoint.toolset === 'reports' || isDelta(endpoint);
  const limit = Math.min(isWhole ? 1000 : 100, largestPage(endpoint));
  return {
    ...('from' in shape && days),
    ...('date' in shape && { date: 'yesterday' }),
    ...(isDelta(endpoint) && { since: 'last_7_days' }),
    ...((isPaged(endpoint) || isDelta(endpoint)) && { limit }),
  };
}
