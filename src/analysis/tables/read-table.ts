/** Reads the calls of a table: first what tells how long its lists are, then, once that is granted, the rest. */
import { inParallel } from '../../client/paging/drain.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import { isDelta, isPaged, largestPage } from '../../endpoints/define.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError, explain } from '../errors/explain.ts';
import type { Services } from '../services.ts';
import { joinAnswers, type TablePart, type TableReading } from './join-answers.ts';
import type { Ask, TablePlan } from './table-plan.ts';

/** Calls that have been begun: what they cost with what is spent on them already, and how to end them. */
interface Begun<Finish> {
  calls: number;
  finish: Finish;
}

/** Gets each answer of a table as it comes. */
export type OnAnswer = (part: TablePart) => void;

/** Calls under way at once: the client's own queue decides what leaves. */
const width = 64;

/** Least requests of a plan, before anything is read; what is kept costs none. */
export async function leastCalls(
  services: Services,
  { tool, asks, atMost }: TablePlan,
  call: Call,
): Promise<number> {
  const least = asks.map(({ input }) => leastOf(services, tool, input, atMost, call));
  return (await Promise.all(least)).reduce((sum, calls) => sum + calls, 0);
}

async function leastOf(
  services: Services,
  tool: ToolDefinition,
  input: JsonObject,
  atMost: number | undefined,
  call: Call,
): Promise<number> {
  if (tool.calls !== undefined) return tool.calls(input, call.nowMs);
  const size = isPaged(tool) ? largestPage(tool) : 0;
  return price(services, tool, size ? pages(input, 0, atMost ?? size, size) : [input], call);
}

/** Reads what tells how many requests a plan takes in all. */
export async function beginTable(
  services: Services,
  plan: TablePlan,
  call: Call,
): Promise<Begun<(call: Call, onAnswer: OnAnswer) => Promise<TableReading>>> {
  // So many rows are enough, and the bound of this server is one of the same kind.
  const maxRows = Math.min(plan.atMost ?? Number.POSITIVE_INFINITY, services.maxRows);
  const begun = await each(plan.asks, call.signal, async (ask, signal) => {
    return { ask, ...(await beginAsk({ ...services, maxRows }, plan, ask, { ...call, signal })) };
  });
  return {
    calls: begun.reduce((sum, { calls }) => sum + calls, 0),
    async finish(calling, onAnswer) {
      const parts = await each(begun, calling.signal, async ({ ask, finish }, signal) => {
        const part: TablePart = { ask, answer: await finish({ ...calling, signal }) };
        onAnswer(part);
        return part;
      });
      return joinAnswers(plan, parts, calling.nowMs, maxRows);
    },
  };
}

/** The results of `work` on each item, in their order. */
async function each<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await inParallel([...items.entries()], width, signal, async ([index, item], ending) => {
    results[index] = await work(item, ending);
  });
  return results;
}

async function beginAsk(
  services: Services,
  plan: TablePlan,
  { input }: Ask,
  call: Call,
): Promise<Begun<(call: Call) => Promise<Answer | undefined>>> {
  const { tool } = plan;
  const answer = (given: JsonObject, calling: Call) =>
    answered(services, tool, given, plan.asks.length > 1, calling);
  if (!isPaged(tool) || !('all' in tool.input.shape)) {
    const whole = isDelta(tool) ? { ...input, all: true } : input;
    const calls = await leastOf(services, tool, input, plan.atMost, call);
    return { calls, finish: (calling) => answer(whole, calling) };
  }
  // As a drain asks for its first page, which is then read already.
  const size = Math.min(largestPage(tool), services.maxRows);
  const first = await answer({ ...input, start: 0, limit: size }, call);
  const rows = first?.rows?.length ?? 0;
  const spent = first?.calls ?? 1;
  if (first?.rest === undefined || rows === services.maxRows)
    return { calls: spent, finish: async () => first };
  const wanted = Math.min(numberIn(first.payload.total), services.maxRows);
  const others = pages(input, rows, wanted, Math.max(1, rows));
  // A drain asks for the last page whole, to see that nothing is behind it.
  const [last] = others.slice(-1);
  if (last) last.limit = Math.min(size, services.maxRows - numberIn(last.start));
  return {
    calls: spent + (await price(services, tool, others, call)),
    async finish(calling) {
      const whole = await answer({ ...input, all: true }, calling);
      return whole && { ...whole, calls: spent + (whole.calls ?? 0) };
    },
  };
}

/** Requests that are not answered by what is kept. */
async function price(
  services: Services,
  tool: ToolDefinition,
  inputs: readonly JsonObject[],
  call: Call,
): Promise<number> {
  // Arguments that are refused cause their error when the call is made.
  const isKept = async (input: JsonObject) => tool.isKept?.(services, input, call) ?? false;
  const kept = await Promise.all(inputs.map((input) => isKept(input).catch(() => false)));
  return kept.filter((isFree) => !isFree).length;
}

/** The pages of a list from row `start` on, as they are asked for one by one. */
function pages(input: JsonObject, start: number, end: number, size: number): JsonObject[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / size)) }, (_, index) => {
    const from = start + index * size;
    return { ...input, start: from, limit: Math.min(size, end - from) };
  });
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
