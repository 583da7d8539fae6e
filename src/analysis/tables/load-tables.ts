import { LRUCache } from 'lru-cache';
import type { Budget } from '../../client/client.ts';
import { amsterdamDay } from '../../core/calendar.ts';
import { hasCode, InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { tableTtlMs } from '../endpoint/read-endpoint.ts';
import type { Services } from '../services.ts';
import { distinctAsks, sayOverlaps } from './distinct-asks.ts';
import type { TableReading } from './join-answers.ts';
import { beginTable, leastCalls, type OnAnswer } from './read-table.ts';
import type { TablePlan } from './table-plan.ts';

/** A table that was read for a statement. */
export interface KnownTable extends TableReading {
  /** What was asked, as the tool accepted it. */
  plan: TablePlan;
  /** The kept result that holds its rows; undefined where they were too many to keep, or none. */
  resultId: string | undefined;
  /** Epoch milliseconds after which it is read again. */
  freshUntilMs: number;
}

/** What statements read lately, without the rows, which lie with the kept results. */
export type TableMemory = LRUCache<string, Omit<KnownTable, 'rows' | 'plan'>>;

/** A memory of the tables read last. */
export function createTableMemory(): TableMemory {
  return new LRUCache({ max: 500 });
}

/** What loading the tables of one statement needs. */
export interface LoaderParts {
  services: Services;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
  memory: TableMemory;
  /** Whose tables they are, where callers are told apart. */
  caller: string;
  /** Most requests that the statement may need. */
  maxCalls: number;
  call: Call;
  onAnswer?: OnAnswer;
}

/** Loads the tables of one statement within the requests that it may make, over all its rounds. */
export class TableLoader {
  readonly #parts: LoaderParts;
  readonly #deadline;
  #spent = 0;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
    this.#deadline = parts.services.client.progressDeadline();
  }

  /** @throws InputError before anything is spent, where that would be too many requests */
  async load(given: readonly TablePlan[], signal: AbortSignal): Promise<KnownTable[]> {
    const plans = await Promise.all(given.map((plan) => this.#accepted(plan, signal)));
    const keys = plans.map((plan) => this.#keyOf(plan));
    const found = await Promise.all(keys.map((key, index) => this.#recall(key, plans[index])));
    const missing = plans.filter((_, index) => found[index] === undefined);
    const readings = await this.#readAll(missing, signal);
    return Promise.all(
      plans.map(async (plan, index) => {
        const reading = readings[missing.indexOf(plan)];
        const known =
          found[index] ?? (reading && (await this.#remember(plan, keys[index] ?? '', reading)));
        if (known === undefined) throw new TypeError('A table was neither known nor read.');
        const overlaps = sayOverlaps(plan, this.#parts.call.nowMs);
        return { ...known, warnings: [...known.warnings, ...overlaps] };
      }),
    );
  }

  async #accepted(plan: TablePlan, signal: AbortSignal): Promise<TablePlan> {
    const { readArguments, services, call } = this.#parts;
    const asks = plan.asks.map((ask) => ({ ...ask, input: readArguments(plan.tool, ask.input) }));
    return { ...plan, asks: await distinctAsks(services, { ...plan, asks }, { ...call, signal }) };
  }

  /** Names the question: the same one tomorrow is another. */
  #keyOf({ tool, asks, atMost }: TablePlan): string {
    const { caller, call } = this.#parts;
    const asked = asks.map(({ input, carried }) => [input, carried]);
    return JSON.stringify([caller, amsterdamDay(call.nowMs), tool.tool, asked, atMost ?? 'all']);
  }

  async #recall(key: string, plan?: TablePlan): Promise<KnownTable | undefined> {
    const { memory, services, call } = this.#parts;
    const table = memory.get(key);
    if (plan === undefined || table?.resultId === undefined || table.freshUntilMs <= call.nowMs)
      return undefined;
    const { readSinceMs } = plan.tool.toolset === 'orders' ? call : {};
    if (readSinceMs !== undefined && Date.parse(table.asOf) < readSinceMs) return undefined;
    const kept = await services.results.get(table.resultId).catch(() => undefined);
    return kept && { ...table, plan, rows: kept.rows, cached: true, calls: 0 };
  }

  async #remember(plan: TablePlan, key: string, reading: TableReading): Promise<KnownTable> {
    const { memory, call } = this.#parts;
    const resultId = await this.#keep(plan, reading);
    // Of pages that an earlier statement read, the age counts.
    const freshUntilMs = Date.parse(reading.asOf) + tableTtlMs(reading.period, call.nowMs);
    const { rows, ...known } = { ...reading, resultId, freshUntilMs };
    memory.set(key, known);
    return { rows, plan, ...known };
  }

  /** The id under which the rows can be had again; none for no rows, and for too many of them. */
  async #keep({ tool, asks }: TablePlan, reading: TableReading): Promise<string | undefined> {
    const { rows, asOf, period, complete, warnings } = reading;
    const { results, source } = this.#parts.services;
    if (rows.length === 0) return undefined;
    const [only] = asks;
    try {
      const kept = await results.keep(rows, {
        tool: tool.tool,
        arguments: asks.length === 1 ? (only?.input ?? {}) : {},
        context: {
          endpoint: tool.tool,
          source,
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

  async #readAll(plans: readonly TablePlan[], signal: AbortSignal): Promise<TableReading[]> {
    if (plans.length === 0) return [];
    const { services, call } = this.#parts;
    const steps = countSteps(plans, call);
    const { onProgress: _, ...silent } = call;
    // One table of one answer reports its own pages; of many, the answers are what counts.
    const calling = { ...(steps === undefined ? call : silent), signal, bulk: this.#deadline };
    const least = await Promise.all(plans.map((plan) => leastCalls(services, plan, calling)));
    this.#reserve(plans, least);
    const begun = await Promise.all(plans.map((plan) => beginTable(services, plan, calling)));
    this.#reserve(
      plans,
      begun.map(({ calls }) => calls),
    );
    const readings = await Promise.all(
      begun.map(({ finish }, index) =>
        finish(calling, (part) => {
          this.#parts.onAnswer?.(part);
          steps?.(index);
        }),
      ),
    );
    this.#spent += readings.reduce((sum, { calls }) => sum + calls, 0);
    return readings;
  }

  #reserve(plans: readonly TablePlan[], calls: readonly number[]): void {
    const { maxCalls, services } = this.#parts;
    const needed = calls.reduce((sum, own) => sum + own, this.#spent);
    if (needed <= maxCalls) return;
    const parts = plans
      .map((plan, index) => ({ plan, calls: calls[index] ?? 0 }))
      .sort((a, b) => b.calls - a.calls)
      .slice(0, 4)
      .map(({ plan, calls }) => `${plan.tool.tool} ${count(calls)} (${whyOf(plan, calls)})`);
    throw new InputError(
      [
        ...plans.flatMap(({ kept }, index) => (kept ? [sayMissing(kept, calls[index] ?? 0)] : [])),
        `query: this statement takes ${count(needed)} platform calls, and max_calls is ${count(maxCalls)}: ${parts.join(', ')}.`,
        `${sayTime(needed - this.#spent, services.client.budget())} Nothing of it was read beyond what tells the number, and that is kept.`,
        `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
      ].join('\n'),
      'max_calls',
    );
  }
}

function sayMissing({ orders, of }: NonNullable<TablePlan['kept']>, calls: number): string {
  return `query: lines of ${count(orders)} of ${count(of)} orders are kept; ${count(calls)} calls are missing.`;
}

function whyOf({ asks }: TablePlan, calls: number): string {
  if (asks.length === 1) return `${count(calls)} ${calls === 1 ? 'page' : 'pages'}`;
  const carried = Object.keys(asks[0]?.carried ?? {}).join(' and ');
  return `${count(asks.length)} values${carried === '' ? '' : ` of ${carried}`}`;
}

/** How long so many requests take at the present budget, as a sentence. */
function sayTime(calls: number, budget: Budget | undefined): string {
  if (budget === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  if (beyond <= 0) return 'The present rate budget has room for that.';
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = resetsInSeconds + (windows - 1) * windowSeconds;
  const time = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${time}.`;
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

function count(value: number): string {
  return value.toLocaleString('en-US');
}
