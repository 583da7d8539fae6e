import { inParallel } from '../../client/paging/parallel.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import type { Period } from '../../core/periods.ts';
import { isDelta, isPaged, largestPage } from '../../endpoints/define.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { tableRowsOf } from './answer-rows.ts';
import type { Ask } from './asks.ts';

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
  /** What a comparison held them against. */
  referencePeriod?: Period;
  /** ISO 8601, of the oldest answer. */
  asOf: string;
  /** Whether nothing had to be asked of the platform. */
  cached: boolean;
  /** False when the platform has rows that are not here. */
  complete: boolean;
  calls: number;
  warnings: string[];
  /** The largest page, when the answer shows that a list is paged which was taken for whole. */
  showsPaging?: number;
}

/** A call that has been begun: what it costs with what is spent on it already, and how to end it. */
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
    const answer = (input: JsonObject, calling: Call) =>
      answered(services, tool, input, plan.asks.length > 1, calling);
    if (isPaged(tool) && 'all' in tool.input.shape) {
      const limit = Math.min(largestPage(tool), atMost ?? Number.POSITIVE_INFINITY);
      // As a drain asks for its first page, which is then read already.
      const first = await answer({ ...ask.input, start: 0, limit }, call);
      const total = numberIn(first?.payload.total);
      const rows = first?.rows?.length ?? 0;
      if (first?.rest === undefined || rows === (atMost ?? -1))
        return { ask, calls: 1, finish: async () => first };
      const wanted = Math.min(total, atMost ?? total, services.maxRows);
      const calls = Math.ceil(wanted / Math.max(1, rows));
      if (atMost === undefined) {
        const all = { ...ask.input, all: true };
        return { ask, calls, finish: (calling) => answer(all, calling) };
      }
      const more = (calling: Call) => (start: number) =>
        answer({ ...ask.input, start, limit: Math.min(limit, wanted - start) }, calling);
      return { ask, calls, finish: (calling) => upTo(wanted, first, more(calling)) };
    }
    const whole = isDelta(tool) ? { ...ask.input, all: true } : ask.input;
    const calls = callsOf(plan, ask, call.nowMs);
    return { ask, calls, finish: (calling) => answer(whole, calling) };
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
          return joined(plan, parts, calling.nowMs);
        },
      };
    },
  };
}

/** The first `wanted` rows of a list: pages one after another, as many as it takes. */
async function upTo(
  wanted: number,
  first: Answer,
  read: (start: number) => Promise<Answer | undefined>,
): Promise<Answer> {
  const rows = [...(first.rows ?? [])];
  let { calls = 1, rest } = first;
  while (rows.length < wanted && rest !== undefined) {
    const next = await read(rows.length);
    if (next?.rows === undefined || next.rows.length === 0) break;
    rows.push(...next.rows);
    calls += next.calls ?? 1;
    rest = next.rest;
  }
  return { ...first, rows, calls, ...(rest && { rest }) };
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

function joined({ tool, atMost }: TablePlan, parts: readonly Part[], nowMs: number): TableReading {
  const answers = parts.flatMap(({ answer }) => answer ?? []);
  const missing = parts.length - answers.length;
  const contexts = answers.map(({ context }) => context);
  const periods = contexts.flatMap(({ period }) => period ?? []);
  const period = spanOf(periods);
  const references = contexts.flatMap(({ reference_period: reference }) => reference ?? []);
  const referencePeriod = spanOf(references);
  const asOf = contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs);
  const rows = parts.flatMap(({ ask, answer }) => (answer ? tableRowsOf(tool, answer, ask) : []));
  const complete = answers.every(({ rest }) => rest === undefined);
  const showsPaging = answers.find((answer) => answer.showsPaging !== undefined)?.showsPaging;
  return {
    rows,
    ...(period && { period }),
    ...(referencePeriod && { referencePeriod }),
    asOf,
    cached: answers.length > 0 && answers.every(({ calls = 1 }) => calls === 0),
    complete,
    ...(showsPaging !== undefined && { showsPaging }),
    calls: answers.reduce((sum, { calls = 1 }) => sum + calls, missing),
    warnings: [
      ...new Set(contexts.flatMap(({ warnings = [] }) => warnings)),
      ...(complete || atMost !== undefined ? [] : [sayRest(tool, rows.length, answers)]),
      ...(missing > 0
        ? [
            `${tool.tool}: the platform does not know ${missing} of the ${parts.length} values asked for; they have no rows.`,
          ]
        : []),
    ],
  };
}

/** That figures over a table are not those of the whole list. */
function sayRest({ tool }: ToolDefinition, rows: number, answers: readonly Answer[]): string {
  const [only] = answers;
  const total = answers.length === 1 ? numberIn(only?.payload.total) : Number.NaN;
  const of = total > rows ? ` of ${count(total)}` : '';
  return `${tool}: ${count(rows)}${of} rows were read, not all there are: counts and sums over them are not those of the whole.`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
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
