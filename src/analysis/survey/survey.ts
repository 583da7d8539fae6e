/**
 * What this key's account looks like, found by looking: once, when a statement, `tables` or the guide needs it,
 * and kept for a day. Its requests give way to all others, and nothing fails because of it.
 */
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import { unlessAborted } from '../../client/transport/runtime.ts';
import { addDays, amsterdamDay, type Day } from '../../core/calendar.ts';
import type { FieldTypes } from '../../core/column-tree.ts';
import { withDeadline } from '../../core/deadline.ts';
import { CommerceError, hasCode, messageOf, whereItFailed } from '../../core/errors.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { quote } from '../../core/text.ts';
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
import { maxWaitMs } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Services, Survey, ToolColumns } from '../services.ts';
import {
  type BehaviourFinding,
  type BehaviourName,
  behaviourFindingSchema,
  type LookReading,
  questions,
} from './behaviour.ts';
import { columnFindingsSchema, findColumns, mergeColumns, withoutFields } from './found.ts';

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

/** What a look found, or why it failed. */
interface CacheEntry {
  value?: unknown;
  failed?: string;
  untilMs: number;
}

/** How long findings are cached, and a refusal. */
const [findingsMs, refusedMs] = [24 * 3_600_000, 600_000];

/** How long another failure is cached: statements need columns, while answers can do without behaviour. */
const failedMs = { columns: 10_000, behaviour: 600_000 };

/** Something to find out about the account. */
interface Exploration {
  about: keyof typeof failedMs;
  name: string;
  /** Of what is found, as another replica may have cached it. */
  schema: z.ZodType;
  look(): Promise<unknown>;
}

export class AccountSurvey {
  readonly #source: SurveySource;
  readonly #cache = new Map<string, CacheEntry>();
  readonly #underWay = new Map<string, Promise<void>>();
  #described: { openapi: unknown; columns: ReadonlyMap<string, FieldTypes> } | undefined;

  constructor(source: SurveySource) {
    this.#source = source;
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
      behaviour: async (name, signal) => {
        if (isOut(name)) return { sentence: `${questions[name].open} is left out.` };
        await withDeadline(maxWaitMs, signal, (ending) =>
          unlessAborted(this.#exploreBehaviour(name), ending),
        ).catch(() => {});
        return this.#behaviour(name) ?? { sentence: `${questions[name].open} is not known yet.` };
      },
      known: (name) => (isOut(name) ? undefined : this.#behaviour(name)),
    };
  }

  #columnsOf(tool: string, fence: Fence): ToolColumns {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined) return { columns: {}, isOpen: false, seen: {}, measures: [] };
    const { value, failed } = this.#cached(`columns:${tool}`) ?? {};
    const found = columnFindingsSchema.safeParse(value).data;
    const described = this.#describedColumns().get(pathKey(endpoint.path));
    const known = [documentedColumns(endpoint.output), described ?? {}, found?.columns ?? {}];
    const seen = Object.entries(found?.seen ?? {});
    const isOut = (path: string) => isWithheld(fence, endpoint, path);
    return {
      columns: withoutFields(mergeColumns(...known), isOut),
      isOpen: described === undefined && found === undefined,
      seen: Object.fromEntries(seen.filter(([path]) => !isOut(path))),
      measures: found?.measures ?? [],
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
    const look = async () => findColumns(await this.#request(endpoint), isReport);
    await this.#lookOnce({ about: 'columns', name: tool, schema: columnFindingsSchema, look });
  }

  #behaviour(name: BehaviourName): BehaviourFinding | undefined {
    const entry = this.#cached(`behaviour:${name}`);
    if (entry === undefined) return undefined;
    const reason = entry.failed ? `: ${entry.failed}` : '.';
    const open = { sentence: `${questions[name].open} is open${reason}` };
    return behaviourFindingSchema.safeParse(entry.value).data ?? open;
  }

  #exploreBehaviour(name: BehaviourName): Promise<void> {
    const { looks, decide } = questions[name];
    const lookAll = async () => {
      const readings: Promise<LookReading>[] = [];
      for (const look of looks) {
        const next = typeof look === 'function' ? look(await Promise.all(readings)) : look;
        const [tool = '', input] = next ?? [];
        const endpoint = this.#endpoint(tool);
        if (endpoint) readings.push(this.#request(endpoint, input));
      }
      return decide(await Promise.all(readings)) ?? null;
    };
    return this.#lookOnce({
      about: 'behaviour',
      name,
      schema: behaviourFindingSchema,
      look: lookAll,
    });
  }

  #cached(key: string): CacheEntry | undefined {
    const entry = this.#cache.get(key);
    return entry && entry.untilMs > this.#source.now() ? entry : undefined;
  }

  /** Looks once, however many callers wait for it, unless another replica has. Never fails. */
  async #lookOnce(exploration: Exploration): Promise<void> {
    const key = `${exploration.about}:${exploration.name}`;
    if (this.#cached(key)) return;
    const looking = this.#underWay.get(key) ?? this.#explore(key, exploration);
    this.#underWay.set(key, looking);
    await looking;
    this.#underWay.delete(key);
  }

  async #explore(key: string, { about, schema, look }: Exploration): Promise<void> {
    const { shared, now, log } = this.#source;
    const entrySchema = z.object({ value: schema.nullable(), untilMs: z.number().min(now()) });
    try {
      const known = await shared?.get(`survey:1:${key}`, (it) => entrySchema.safeParse(it).data);
      const entry = known ?? { value: await look(), untilMs: now() + findingsMs };
      this.#cache.set(key, entry);
      if (known === undefined) void shared?.put(`survey:1:${key}`, entry, findingsMs);
    } catch (error) {
      if (hasCode(error, 'cancelled')) return;
      const isExpected = error instanceof CommerceError;
      if (!isExpected) log.error(whereItFailed(error), 'a look at the account failed');
      const failed = isExpected ? quote(messageOf(error), 160) : 'it cannot be read';
      const isRefused = hasCode(error, 'forbidden') || hasCode(error, 'not_found');
      this.#cache.set(key, { failed, untilMs: now() + (isRefused ? refusedMs : failedMs[about]) });
    }
  }

  /** One request of a look, after those whose rows have the ids that it takes; equal ones are made once. */
  async #request(endpoint: Endpoint, input: JsonObject = {}): Promise<LookReading> {
    const { client, now, ...services } = this.#source;
    const ids = idsFor(endpoint);
    const list = ids && this.#endpoint(ids.of);
    const { rows = [] } = list ? await this.#request(list) : {};
    const idInput = ids ? idArgument(ids, rows) : {};
    if (idInput === undefined) throw new CommerceError('not_found', `${ids?.of} gave no rows.`);
    const behind = {
      ...client,
      get: (path: string, how = {}) => client.get(path, { ...how, priority: 'prefetch' }),
    };
    const call = { nowMs: now(), statementDeadline: client.progressDeadline() };
    const args = { ...lookArguments(endpoint, amsterdamDay(now())), ...idInput, ...input };
    // It looks for the account itself; what a caller may know of it is decided where they ask.
    const looking = { ...services, client: behind, fence: new Set(toolsets) };
    return readEndpoint(await prepareRequest(looking, endpoint, args, call));
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
  /** Rows that tell more than others. */
  prefer?(row: Row): boolean;
}

const byTool: Readonly<Record<string, Ids>> = {
  get_order: { of: 'list_orders', column: 'id', argument: 'order_id', prefer: isDiscounted },
  list_order_items: { of: 'list_orders', column: 'id', argument: 'order_id', prefer: isDiscounted },
  get_customer: { of: 'search_customers', column: 'id', argument: 'customer_id' },
  get_location: { of: 'list_locations', column: 'id', argument: 'location_id' },
  // docs/platform.md#product-ids: each takes its own.
  get_product: { of: 'search_products', column: 'shop_product_id', argument: 'shop_product_id' },
  list_product_prices: { of: 'search_products', column: 'id', argument: 'product_ids', atMost: 25 },
  list_stock: { of: 'search_products', column: 'id', argument: 'product_id' },
};

/** An order with a discount has lines of more kinds. */
function isDiscounted({ discount_value_wt: discount }: Row): boolean {
  return numberIn(discount) > 0;
}

/** The ids that the look at a tool needs, where the tool takes them. */
function idsFor({ tool, input }: Endpoint): Ids | undefined {
  const ids = byTool[tool];
  return ids && ids.argument in input.shape ? ids : undefined;
}

/** These ids as the argument that takes them; undefined where no row has one. */
function idArgument(ids: Ids, rows: readonly Row[]): JsonObject | undefined {
  const { column, argument, atMost = 1, prefer = () => false } = ids;
  const sorted = [...rows.filter(prefer), ...rows];
  const found = sorted.map((row) => row[column]).filter(Number.isSafeInteger);
  const chosen = [...new Set(found)].slice(0, atMost);
  if (chosen.length === 0) return undefined;
  return { [argument]: ids.atMost === undefined ? chosen[0] : chosen.join(',') };
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
