import { inParallel } from '../../client/paging/parallel.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { isDelta, isPaged, largestPage } from '../../endpoints/define.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import type { Services } from '../services.ts';
import { joinAnswers, type TablePart, type TableReading } from './join-answers.ts';
import type { Ask, TablePlan } from './table-plan.ts';

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
  /** Least requests of a plan, before anything is read; what is kept costs none. */
  leastCalls(plan: TablePlan, call: Call): Promise<number>;
  /** Reads what tells how many requests the plan takes in all. */
  begin(plan: TablePlan, call: Call): Promise<{ calls: number; finish: Finish }>;
}

type Finish = (
  call: Call,
  onStep: (ask: Ask, answer: Answer | undefined) => void,
) => Promise<TableReading>;

/** A reader of tables for one caller. */
export function createTableReader(services: Services): TableReader {
  /** Requests that are not answered by what is kept. */
  async function price(tool: ToolDefinition, inputs: readonly JsonObject[], call: Call) {
    // Arguments that are refused cause their error when the call is made.
    const isKept = async (input: JsonObject) => tool.isKept?.(services, input, call) ?? false;
    const kept = await Promise.all(inputs.map((input) => isKept(input).catch(() => false)));
    return kept.filter((isFree) => !isFree).length;
  }

  async function leastOf({ tool, atMost }: TablePlan, { input }: Ask, call: Call) {
    if (!isPaged(tool)) {
      return tool.calls === undefined ? price(tool, [input], call) : tool.calls(input, call.nowMs);
    }
    const size = largestPage(tool);
    const wanted = atMost ?? size;
    return price(tool, pages(input, 0, wanted, size), call);
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
      const spent = first?.calls ?? 1;
      if (first?.rest === undefined || rows === (atMost ?? -1))
        return { ask, calls: spent, finish: async () => first };
      const wanted = Math.min(total, atMost ?? total, services.maxRows);
      const others = pages(ask.input, rows, wanted, Math.max(1, rows));
      const [last] = others.slice(-1);
      // A drain asks for the last page whole, to see that nothing is behind it.
      if (atMost === undefined && wanted === total && last !== undefined)
        last.limit = Math.min(largestPage(tool), services.maxRows - numberIn(last.start));
      const calls = spent + (await price(tool, others, call));
      if (atMost === undefined) {
        const all = { ...ask.input, all: true };
        const finish = async (calling: Call) => {
          const whole = await answer(all, calling);
          return whole && { ...whole, calls: spent + (whole.calls ?? 0) };
        };
        return { ask, calls, finish };
      }
      const more = (calling: Call) => (start: number) =>
        answer({ ...ask.input, start, limit: Math.min(limit, wanted - start) }, calling);
      return { ask, calls, finish: (calling) => upTo(wanted, first, more(calling)) };
    }
    const whole = isDelta(tool) ? { ...ask.input, all: true } : ask.input;
    const calls = await leastOf(plan, ask, call);
    return { ask, calls, finish: (calling) => answer(whole, calling) };
  }

  return {
    async leastCalls(plan, call) {
      const each = await Promise.all(plan.asks.map((ask) => leastOf(plan, ask, call)));
      return each.reduce((sum, calls) => sum + calls, 0);
    },
    async begin(plan, call) {
      const begun: Begun[] = [];
      const indexed = plan.asks.map((ask, index) => ({ ask, index }));
      await inParallel(indexed, width, call.signal, async ({ ask, index }, signal) => {
        begun[index] = await beginAsk(plan, ask, { ...call, signal });
      });
      return {
        calls: begun.reduce((sum, { calls }) => sum + calls, 0),
        finish: async (calling, onStep) => {
          const parts: TablePart[] = [];
          const left = begun.map((one, index) => ({ one, index }));
          await inParallel(left, width, calling.signal, async ({ one, index }, signal) => {
            const answer = await one.finish({ ...calling, signal });
            parts[index] = { ask: one.ask, answer };
            onStep(one.ask, answer);
          });
          return joinAnswers(plan, parts, calling.nowMs, services.maxRows);
        },
      };
    },
  };
}

/** The pages of a list from row `start` on, as they are asked for one by one. */
function pages(input: JsonObject, start: number, end: number, size: number): JsonObject[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / size)) }, (_, index) => {
    const from = start + index * size;
    return { ...input, start: from, limit: Math.min(size, end - from) };
  });
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
