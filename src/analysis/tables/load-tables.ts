import { amsterdamDay } from '../../core/calendar.ts';
import { hasCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isPaged } from '../../endpoints/define.ts';
import type { TableRequest } from '../../query/provider.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { tableTtlMs } from '../endpoint/read-endpoint.ts';
import type { Services } from '../services.ts';
import { isReport } from './answer-rows.ts';
import { asksOf, type TablePlan } from './asks.ts';
import type { ColumnKnowledge } from './columns/column-knowledge.ts';
import { type CostItem, tooManyCalls } from './cost.ts';
import type { TableReading } from './join-answers.ts';
import { createTableReader } from './read-table.ts';
import type { KnownTable, TableMemory } from './table-memory.ts';

/** What loading the tables of one statement needs. */
export interface LoaderParts {
  services: Services;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
  /** Takes a list as paged, for it has shown that it is; gives its tool as it is from then on. */
  learnPaging(tool: string, maxLimit: number): ToolDefinition | undefined;
  memory: TableMemory;
  knowledge: ColumnKnowledge;
  /** Whose tables they are, where callers are told apart. */
  caller: string;
  /** Most requests that the statement may need. */
  maxCalls: number;
  call: Call;
}

/** A table of a statement that a tool answers. */
export interface ToolTable {
  request: TableRequest;
  tool: ToolDefinition;
}

/** What was read for a table, and what was asked for it. */
export interface FilledTable {
  plan: TablePlan;
  known: KnownTable;
}

/** Loads tables within the requests that one statement may make, over as many rounds as it takes. */
export interface TableLoader {
  /** @throws InputError before anything is spent, where that would be too many requests */
  load(tables: readonly ToolTable[], signal: AbortSignal): Promise<FilledTable[]>;
}

/** A loader for one statement. */
export function createTableLoader(parts: LoaderParts): TableLoader {
  const { services, memory, knowledge, maxCalls, call } = parts;
  const reader = createTableReader(services);
  const deadline = services.client.progressDeadline();
  let spent = 0;

  interface Wanted {
    plan: TablePlan;
    /** Names the question: the same one tomorrow is another. */
    key: string;
  }

  function wantedOf({ request, tool }: ToolTable): Wanted {
    const asks = asksOf(tool, request.args).map(({ input, carried }) => ({
      input: parts.readArguments(tool, input),
      carried,
    }));
    const { atMost } = request;
    const asked = [parts.caller, amsterdamDay(call.nowMs), tool.tool, asks, atMost ?? 'all'];
    const plan = { tool, asks, ...(atMost !== undefined && { atMost }) };
    return { plan, key: JSON.stringify(asked) };
  }

  function reserve(items: readonly CostItem[]): void {
    const calls = items.reduce((sum, item) => sum + item.calls, 0);
    if (spent + calls > maxCalls)
      throw tooManyCalls(items, spent, maxCalls, services.client.budget());
  }

  async function readAll(
    plans: readonly TablePlan[],
    signal: AbortSignal,
  ): Promise<TableReading[]> {
    if (plans.length === 0) return [];
    const steps = countSteps(plans, call);
    const { onProgress: _, ...silent } = call;
    // One table of one answer reports its own pages; of many, the answers are what counts.
    const calling = { ...(steps === undefined ? call : silent), signal, bulk: deadline };
    const least = await Promise.all(plans.map((plan) => reader.leastCalls(plan, calling)));
    reserve(plans.map((plan, index) => costOf(plan, least[index] ?? 0)));
    const begun = await Promise.all(plans.map((plan) => reader.begin(plan, calling)));
    reserve(plans.map((plan, index) => costOf(plan, begun[index]?.calls ?? 0)));
    const readings = await Promise.all(
      begun.map(({ finish }, index) => finish(calling, () => steps?.(index))),
    );
    spent += readings.reduce((sum, { calls }) => sum + calls, 0);
    const paged = plans.map((plan, index) => asPaged(plan, readings[index]));
    const again = paged.filter((plan) => plan !== undefined);
    const whole = await readAll(again, signal);
    return readings.map((reading, index) => {
      const plan = paged[index];
      const better = plan && whole[again.indexOf(plan)];
      return better ? { ...better, calls: better.calls + reading.calls } : reading;
    });
  }

  /** The plan for a list that gave its first page only, having been taken for one that is not paged. */
  function asPaged(plan: TablePlan, reading: TableReading | undefined): TablePlan | undefined {
    if (plan.atMost !== undefined || reading?.showsPaging === undefined) return undefined;
    const tool = parts.learnPaging(plan.tool.tool, reading.showsPaging);
    return tool && isPaged(tool) && !isPaged(plan.tool) ? { ...plan, tool } : undefined;
  }

  async function remember({ plan, key }: Wanted, reading: TableReading): Promise<KnownTable> {
    const { tool } = plan.tool;
    if (isReport(plan.tool)) knowledge.rememberFacts(tool, reading.rows);
    else knowledge.remember(tool, reading.rows);
    const resultId = await keep(plan, reading);
    // Of pages that an earlier statement read, the age counts.
    const freshUntilMs = Date.parse(reading.asOf) + tableTtlMs(reading.period, call.nowMs);
    const known = { ...reading, resultId, freshUntilMs };
    memory.put(key, known);
    return known;
  }

  /** The id under which the rows can be had again; none for no rows, and for too many of them. */
  async function keep(plan: TablePlan, reading: TableReading): Promise<string | undefined> {
    const { rows, asOf, period, complete, warnings } = reading;
    if (rows.length === 0) return undefined;
    const [only] = plan.asks;
    try {
      const kept = await services.results.keep(rows, {
        tool: plan.tool.tool,
        arguments: plan.asks.length === 1 ? (only?.input ?? {}) : {},
        context: {
          endpoint: plan.tool.tool,
          source: services.source,
          as_of: asOf,
          ...(period && { period }),
          ...(warnings.length > 0 && { warnings }),
        },
        ...(!complete && { rest: {} }),
      });
      return kept.id;
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      return undefined;
    }
  }

  return {
    async load(tables, signal) {
      const wanted = tables.map(wantedOf);
      const found = await Promise.all(
        wanted.map(({ key }) => memory.get(key, services.results, call.nowMs)),
      );
      const missing = wanted.filter((_, index) => found[index] === undefined);
      const readings = await readAll(
        missing.map(({ plan }) => plan),
        signal,
      );
      const read = await Promise.all(
        readings.map((reading, index) => {
          const one = missing[index];
          if (one === undefined) throw new TypeError('each reading is of a table that was wanted');
          return remember(one, reading);
        }),
      );
      return wanted.map((one, index) => {
        const known = found[index] ?? read[missing.indexOf(one)];
        if (known === undefined) throw new TypeError('a table was neither known nor read');
        return { plan: one.plan, known };
      });
    },
  };
}

/**
 * Reports how many answers have come, over all tables: `read 412 of 1,803 orders`. Undefined where
 * there is one answer only, which tells of its own pages.
 */
function countSteps(
  plans: readonly TablePlan[],
  { onProgress }: Call,
): ((index: number) => void) | undefined {
  const total = plans.reduce((sum, { asks }) => sum + asks.length, 0);
  if (total <= 1) return undefined;
  const done = plans.map(() => 0);
  return (index) => {
    const plan = plans[index];
    const own = (done[index] ?? 0) + 1;
    done[index] = own;
    if (plan === undefined) return;
    const { tool, noun } = plan.tool;
    const many = plan.asks.length > 1;
    const what = many ? `${count(own)} of ${count(plan.asks.length)} ${tool}` : (noun ?? tool);
    onProgress?.({ done: done.reduce((sum, one) => sum + one, 0), total, message: `read ${what}` });
  };
}

function costOf({ tool, asks }: TablePlan, calls: number): CostItem {
  const carried = Object.keys(asks[0]?.carried ?? {}).join(' and ');
  const of = carried === '' ? '' : ` of ${carried}`;
  const pages = `${count(calls)} ${calls === 1 ? 'page' : 'pages'}`;
  const why = asks.length === 1 ? pages : `${count(asks.length)} values${of}`;
  return { table: tool.tool, calls, why };
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
