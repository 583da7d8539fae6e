import { inParallel } from '../../client/paging/parallel.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject, numberIn } from '../../core/json.ts';
import type { Period } from '../../core/periods.ts';
import { givesRows, isDelta, isPaged, largestPage } from '../../endpoints/define.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import type { Ask } from './asks.ts';
import { factRows } from './fact-rows.ts';

/** A table that a statement needs, and the calls that answer it; their arguments are accepted. */
export interface TablePlan {
  tool: ToolDefinition;
  asks: readonly Ask[];
  /** So many rows are enough. */
  atMost?: number;
}

/** What was read for a table. */
export interface TableReading {
  rows: Row[];
  /** The first and last day of all that was asked for, where days were. */
  period?: Period;
  /** ISO 8601, of the oldest answer. */
  asOf: string;
  /** Whether nothing had to be asked of the platform. */
  cached: boolean;
  /** False when the platform has rows that are not here. */
  complete: boolean;
  calls: number;
  warnings: string[];
}

/** A call that has been begun: what it still costs, and how to end it. */
interface Begun {
  ask: Ask;
  calls: number;
  finish(call: Call): Promise<Answer | undefined>;
}

/** Calls under way at once: the client's own queue decides what leaves. */
const width = 64;

/** Reads tables: first what tells how long the lists are, then, once that is granted, the rest. */
export interface TableReader {
  /** Least requests of a plan, before anything is read. */
  leastCalls(plan: TablePlan): number;
  /** Reads what tells how many requests the plan takes in all. */
  begin(plan: TablePlan, call: Call): Promise<{ calls: number; finish: Finish }>;
}

type Finish = (call: Call, onStep: () => void) => Promise<TableReading>;

/** A reader of tables for one caller. */
export function createTableReader(services: Services): TableReader {
  function callsOf({ tool, atMost }: TablePlan, { input }: Ask, nowMs: number): number {
    if (atMost !== undefined && isPaged(tool)) return Math.ceil(atMost / largestPage(tool));
    return tool.calls?.(input, nowMs) ?? 1;
  }

  async function beginAsk(plan: TablePlan, ask: Ask, call: Call): Promise<Begun> {
    const { tool, atMost } = plan;
    const answer = (input: JsonObject, within: Services, calling: Call) =>
      answered(within, tool, input, plan.asks.length > 1, calling);
    if (isPaged(tool) && 'all' in tool.input.shape) {
      const limit = Math.min(largestPage(tool), atMost ?? Number.POSITIVE_INFINITY);
      const first = await answer({ ...ask.input, limit }, services, call);
      const total = numberIn(first?.payload.total);
      const rows = first?.rows?.length ?? 0;
      if (first?.rest === undefined || rows === (atMost ?? -1))
        return { ask, calls: 0, finish: async () => first };
      const wanted = Math.min(total, atMost ?? total, services.maxRows);
      const bounded = { ...services, maxRows: wanted < total ? wanted : services.maxRows };
      const calls = Math.max(1, Math.ceil(wanted / Math.max(1, rows)) - 1);
      return {
        ask,
        calls,
        finish: (calling) => answer({ ...ask.input, all: true }, bounded, calling),
      };
    }
    const whole = isDelta(tool) ? { ...ask.input, all: true } : ask.input;
    const calls = callsOf(plan, ask, call.nowMs);
    return { ask, calls, finish: (calling) => answer(whole, services, calling) };
  }

  return {
    leastCalls: (plan) =>
      plan.asks.reduce((sum, ask) => sum + callsOf(plan, ask, services.now()), 0),
    async begin(plan, call) {
      const begun: Begun[] = [];
      const indexed = plan.asks.map((ask, index) => ({ ask, index }));
      await inParallel(indexed, width, call.signal, async ({ ask, index }, signal) => {
        begun[index] = await beginAsk(plan, ask, { ...call, signal });
      });
      return {
        calls: begun.reduce((sum, { calls }) => sum + calls, 0),
        finish: async (calling, onStep) => {
          const parts: Part[] = [];
          const left = begun.map((one, index) => ({ one, index }));
          await inParallel(left, width, calling.signal, async ({ one, index }, signal) => {
            parts[index] = { ask: one.ask, answer: await one.finish({ ...calling, signal }) };
            onStep();
          });
          return joined(plan.tool, parts, calling.nowMs);
        },
      };
    },
  };
}

interface Part {
  ask: Ask;
  /** Undefined for a value that the platform does not know. */
  answer: Answer | undefined;
}

/** One answer; of many, one that is not there is none. */
async function answered(
  services: Services,
  tool: ToolDefinition,
  input: JsonObject,
  isOneOfMany: boolean,
  call: Call,
): Promise<Answer | undefined> {
  try {
    return await tool.answer(services, input, call);
  } catch (error) {
    if (isOneOfMany && hasCode(error, 'not_found')) return undefined;
    if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
    const text = await explain(services, error, { question: tool, input }, call.signal);
    throw new ExplainedError(error.code, text, { cause: error });
  }
}

function joined(tool: ToolDefinition, parts: readonly Part[], nowMs: number): TableReading {
  const answers = parts.flatMap(({ answer }) => answer ?? []);
  const missing = parts.length - answers.length;
  const contexts = answers.map(({ context }) => context);
  const periods = contexts.flatMap(({ period }) => period ?? []);
  const period = spanOf(periods);
  const asOf = contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs);
  return {
    rows: parts.flatMap(({ ask, answer }) => (answer ? rowsOf(tool, answer, ask) : [])),
    ...(period && { period }),
    asOf,
    cached: answers.length > 0 && answers.every(({ calls = 1 }) => calls === 0),
    complete: answers.every(({ rest }) => rest === undefined),
    calls: answers.reduce((sum, { calls = 1 }) => sum + calls, missing),
    warnings: [
      ...new Set(contexts.flatMap(({ warnings = [] }) => warnings)),
      ...(missing > 0
        ? [
            `${tool.tool}: the platform does not know ${missing} of the ${parts.length} values asked for; they have no rows.`,
          ]
        : []),
    ],
  };
}

/** The rows of an answer: a list's own, a report's facts, or the one record. */
export function answerRows(tool: ToolDefinition, { payload, rows }: Answer): readonly Row[] {
  return rows ?? (isReport(tool) ? factRows(payload) : [record(payload)]);
}

/** The rows of an answer as a table has them. */
function rowsOf(tool: ToolDefinition, answer: Answer, { carried }: Ask): Row[] {
  const own = answerRows(tool, answer);
  const hasDots = Object.keys(own[0] ?? {}).some((column) => column.includes('.'));
  const nested = hasDots ? own.map(nest) : own;
  if (Object.keys(carried).length === 0) return [...nested];
  // A report's facts have columns for ids that stand above none of them.
  return nested.map((row) => ({
    ...carried,
    ...row,
    ...Object.fromEntries(
      Object.entries(carried).map(([name, value]) => [name, row[name] ?? value]),
    ),
  }));
}

/** Columns whose names have dots as the objects that SQL reaches by these names. */
function nest(row: Row): Row {
  const nested: Row = {};
  for (const [column, value] of Object.entries(row)) {
    const [first = '', ...rest] = column.split('.');
    const last = rest.pop();
    let place: JsonObject = nested;
    for (const step of last === undefined ? [] : [first, ...rest]) {
      const inner = place[step];
      const next: JsonObject = isRecord(inner) ? inner : {};
      place[step] = next;
      place = next;
    }
    place[last ?? first] = value;
  }
  return nested;
}

/** Whether a tool's answer is a report, which is read as facts. */
export function isReport(tool: Pick<ToolDefinition, 'toolset' | 'output'>): boolean {
  return tool.toolset === 'reports' && !givesRows(tool);
}

function record(payload: JsonObject): Row {
  return isRecord(payload.data) ? payload.data : payload;
}

function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined) return undefined;
  if (periods.every(({ given }) => given === first.given)) return first;
  const from = periods.map((it) => it.from).sort()[0] ?? first.from;
  const to =
    periods
      .map((it) => it.to)
      .sort()
      .at(-1) ?? first.to;
  return { ...first, from, to, given: `${from}..${to}` };
}
