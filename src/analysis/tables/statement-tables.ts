import { amsterdamDay, amsterdamIso } from '../../core/calendar.ts';
import { CommerceError, hasCode, InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { jsonChunks } from '../../query/json-chunks.ts';
import type { LoadedTable, TableProvider, TableRequest } from '../../query/provider.ts';
import type { Call, TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { tableTtlMs } from '../endpoint/read-endpoint.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { asksOf } from './asks.ts';
import type { ColumnKnowledge } from './column-knowledge.ts';
import { columnTypes } from './column-types.ts';
import { type CostItem, tooManyCalls } from './cost.ts';
import { factColumns } from './fact-rows.ts';
import { createTableReader, isReport, type TablePlan } from './read-table.ts';
import type { KnownTable, TableMemory } from './table-memory.ts';
import { argumentsOf, type NamedTable } from './table-names.ts';

/** What the tables of one statement are made from. */
export interface StatementTablesParts {
  services: Services;
  /** The tables that the caller may read, by name. */
  tables: ReadonlyMap<string, NamedTable>;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
  memory: TableMemory;
  knowledge: ColumnKnowledge;
  /** Whose tables they are, where callers are told apart. */
  caller: string;
  /** Most requests that the statement may need. */
  maxCalls: number;
  call: Call;
  /** The rows of the table `tables`. */
  describe(): Promise<Row[]>;
}

/** The tables of one statement, and what became of them. */
export interface StatementTables extends TableProvider {
  /** What was read, in the order in which it was needed. */
  uses(): readonly TableUse[];
  warnings(): string[];
}

/** Loads what a statement names: each table once, within the requests that it may make. */
export function openStatementTables(parts: StatementTablesParts): StatementTables {
  const { services, tables, memory, knowledge, maxCalls, call } = parts;
  const reader = createTableReader(services);
  const uses: TableUse[] = [];
  const warnings = new Set<string>();
  const patience = services.client.patience();
  let spent = 0;

  /** A request that has to be read, with its arguments accepted. */
  interface Wanted {
    request: TableRequest;
    plan: TablePlan;
    key: string;
  }

  function wantedOf(request: TableRequest, tool: ToolDefinition): Wanted {
    const asks = asksOf(tool, request.args).map(({ input, carried }) => ({
      input: parts.readArguments(tool, input),
      carried,
    }));
    const { atMost } = request;
    const given = [parts.caller, amsterdamDay(call.nowMs), tool.tool, asks, atMost ?? 'all'];
    const plan = { tool, asks, ...(atMost !== undefined && { atMost }) };
    return { request, plan, key: JSON.stringify(given) };
  }

  function reserve(items: readonly CostItem[]): void {
    const calls = items.reduce((sum, item) => sum + item.calls, 0);
    if (spent + calls > maxCalls)
      throw tooManyCalls(items, spent, maxCalls, services.client.budget());
  }

  async function readAll(wanted: readonly Wanted[], signal: AbortSignal): Promise<KnownTable[]> {
    reserve(wanted.map(({ plan }) => costItem(plan, reader.leastCalls(plan), 'at least')));
    const calling: Call = { ...call, signal, bulk: patience };
    const begun = await Promise.all(wanted.map(({ plan }) => reader.begin(plan, quiet(calling))));
    reserve(wanted.map(({ plan }, index) => costItem(plan, begun[index]?.calls ?? 0, 'in all')));
    const done = wanted.map(() => 0);
    const steps = wanted.reduce((sum, { plan }) => sum + plan.asks.length, 0);
    const readings = await Promise.all(
      begun.map(async ({ finish }, index) => {
        const { plan } = wanted[index] ?? {};
        return finish(steps > 1 ? quiet(calling) : calling, () => {
          done[index] = (done[index] ?? 0) + 1;
          if (plan && steps > 1) report(plan, done[index] ?? 0, steps, done);
        });
      }),
    );
    spent += readings.reduce((sum, { calls }) => sum + calls, 0);
    return Promise.all(
      readings.map(async (reading, index) => {
        const { plan, key } = wanted[index] ?? {};
        if (plan === undefined || key === undefined)
          throw new TypeError('a reading without a plan');
        if (isReport(plan.tool)) knowledge.rememberFacts(plan.tool.tool, reading.rows);
        else knowledge.remember(plan.tool.tool, reading.rows);
        const resultId = await keep(plan, reading);
        const freshUntilMs = services.now() + tableTtlMs(reading.period, call.nowMs);
        const known = { ...reading, resultId, freshUntilMs };
        memory.put(key, known);
        return known;
      }),
    );
  }

  function report(plan: TablePlan, own: number, steps: number, done: readonly number[]): void {
    const total = plan.asks.length;
    const name = total > 1 ? `${count(own)} of ${count(total)} ${plan.tool.noun ?? 'answers'}` : '';
    const all = done.reduce((sum, one) => sum + one, 0);
    call.onProgress?.({
      done: all,
      total: steps,
      message: name === '' ? `read ${plan.tool.tool}` : `read ${name} (${plan.tool.tool})`,
    });
  }

  async function keep(
    plan: TablePlan,
    reading: KnownTable | Omit<KnownTable, 'resultId' | 'freshUntilMs'>,
  ) {
    const { rows, asOf, period, complete, warnings: own } = reading;
    if (rows.length === 0) return undefined;
    try {
      const kept = await services.results.keep(rows, {
        tool: plan.tool.tool,
        arguments: plan.asks.length === 1 ? (plan.asks[0]?.input ?? {}) : {},
        context: {
          endpoint: plan.tool.tool,
          source: services.source,
          as_of: asOf,
          ...(period && { period }),
          ...(own.length > 0 && { warnings: own }),
        },
        ...(!complete && { rest: {} }),
      });
      return kept.id;
    } catch (error) {
      if (!hasCode(error, 'too_large')) throw error;
      return undefined;
    }
  }

  function useOf({ request, plan }: Wanted, known: KnownTable): TableUse {
    const { period, rows, calls, asOf, cached, complete, resultId } = known;
    const [only] = plan.asks;
    return {
      table: request.name,
      tool: plan.tool.tool,
      arguments: plan.asks.length === 1 ? (only?.input ?? {}) : argumentsInShort(request),
      ...(period && { period }),
      rows: rows.length,
      calls,
      as_of: asOf,
      ...(cached && { cached }),
      complete: complete && request.atMost === undefined,
      ...(resultId !== undefined && { result: resultId }),
    };
  }

  async function loadResult({ name, args }: TableRequest): Promise<LoadedTable> {
    const { id } = args;
    const given = id && 'value' in id ? id.value : undefined;
    if (typeof given !== 'string')
      throw new InputError("result takes the id of kept rows: FROM result('r_...').", 'id');
    const kept = await services.results.get(given);
    for (const warning of kept.context.warnings ?? []) warnings.add(warning);
    uses.push({
      table: name,
      tool: kept.tool,
      arguments: kept.arguments,
      ...(kept.context.period && { period: kept.context.period }),
      rows: kept.rows.length,
      calls: 0,
      as_of: kept.context.as_of,
      cached: true,
      complete: kept.rest === undefined,
      result: kept.id,
    });
    return { chunks: () => jsonChunks(kept.rows), key: kept.id };
  }

  async function loadTables({ name }: TableRequest): Promise<LoadedTable> {
    const rows = await parts.describe();
    uses.push({
      table: name,
      tool: 'tables',
      arguments: {},
      rows: rows.length,
      calls: 0,
      as_of: amsterdamIso(call.nowMs),
      complete: true,
    });
    return { chunks: () => jsonChunks(rows) };
  }

  /** Types for what came without values; a report's columns are ours. */
  function hintsFor(tool: ToolDefinition): Record<string, string> {
    if (isReport(tool)) return { ...factColumns };
    return columnTypes(knowledge.columns(tool.tool) ?? []);
  }

  return {
    names: () => [...tables.keys()],
    table(name) {
      const table = tables.get(name);
      if (table === undefined) return undefined;
      const kind = { arguments: argumentsOf(table) };
      return table.kind === 'result' ? { ...kind, positional: 'id' } : kind;
    },
    async load(requests, signal) {
      const named = requests.map((request) => ({ request, table: tables.get(request.name) }));
      const wanted = named.map(({ request, table }) =>
        table?.kind === 'tool' ? wantedOf(request, table.tool) : undefined,
      );
      const known = await Promise.all(
        wanted.map((one) => one && memory.get(one.key, services.results, call.nowMs)),
      );
      const missing = wanted.filter(
        (one, index): one is Wanted => one !== undefined && !known[index],
      );
      const read = new Map<Wanted, KnownTable>();
      (await readAll(missing, signal)).forEach((table, index) => {
        const one = missing[index];
        if (one) read.set(one, table);
      });
      return Promise.all(
        named.map(async ({ request, table }, index): Promise<LoadedTable> => {
          if (table?.kind === 'result') return loadResult(request);
          if (table?.kind === 'tables') return loadTables(request);
          const one = wanted[index];
          const loaded = known[index] ?? (one && read.get(one));
          if (one === undefined || loaded === undefined)
            throw new CommerceError('bad_input', `There is no table ${request.name}.`);
          uses.push(useOf(one, loaded));
          for (const warning of loaded.warnings) warnings.add(warning);
          return {
            columns: hintsFor(one.plan.tool),
            chunks: () => jsonChunks(loaded.rows),
            ...(loaded.resultId !== undefined && { key: loaded.resultId }),
          };
        }),
      );
    },
    uses: () => uses,
    warnings: () => [...warnings],
  };
}

/** The same call without reports of its own: the statement reports for all of them. */
function quiet({ onProgress: _, ...call }: Call): Call {
  return call;
}

function costItem({ tool, asks }: TablePlan, calls: number, measure: string): CostItem {
  const carried = Object.keys(asks[0]?.carried ?? {});
  const why =
    asks.length === 1
      ? `${measure} ${count(calls)} requests`
      : `${count(asks.length)} values${carried.length > 0 ? ` of ${carried.join(' and ')}` : ''}`;
  return { table: tool.tool, calls, why };
}

/** Arguments as a reader can take them in: of many values, how many there are. */
function argumentsInShort({ args }: TableRequest): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => {
      const given = 'value' in argument ? argument.value : argument.values;
      const isMany = Array.isArray(given) && given.length > 12;
      return [name, isMany ? `${count(given.length)} values` : given];
    }),
  );
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
