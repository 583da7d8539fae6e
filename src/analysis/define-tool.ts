import type { z } from 'zod';
import { amsterdamIso } from '../core/calendar.ts';
import type { JsonObject } from '../core/json.ts';
import type { Endpoint, Toolset } from '../endpoints/define.ts';
import type { AnalysisAnswer, Answer, Call } from './answer.ts';
import { askEndpoint } from './endpoint/ask-endpoint.ts';
import { companionAnswers } from './endpoint/companions.ts';
import type { Fence } from './fence.ts';
import type { Services } from './services.ts';

/** A tool: every endpoint is one, and so is every analysis. */
export interface ToolDefinition extends Omit<Endpoint, 'path' | 'toolset'> {
  readonly toolset: Toolset;
  /** False when the answer comes from what this process has kept. */
  readonly asksPlatform: boolean;
  /** Toolsets without which it is not offered, as it asks endpoints of them. */
  readonly needsToolsets?: readonly Toolset[];
  /** Toolsets whose endpoints it asks also for callers who lack them: what it shows of them is figures of its own. */
  readonly opensToolsets?: readonly Toolset[];
  /** Whether it needs the query engine, an optional part of an installation. */
  readonly needsEngine?: true | undefined;
  /** The report whose measures are columns of its rows. */
  readonly measuresOf?: string;
  /** The page in which hosts that can show its answer to a person. */
  readonly view?: 'figure' | undefined;
  /** The tool as a caller may have it, where that is not for everybody; undefined: not at all. */
  forCaller?(fence: Fence): ToolDefinition | undefined;
  /** How many requests arguments that `input` has accepted cost at least. @default 1 */
  calls?(input: JsonObject, nowMs: number): number;
  /** Answers with arguments that `input` has accepted. */
  answer(services: Services, input: JsonObject, call: Call): Promise<Answer>;
}

/** What a sentence of a description needs that is true where order lines are kept. */
export const keptLines = 'kept order lines';

/** Declares an analysis: its arguments are typed by its own schema, and its answers say where they come from. */
export function defineTool<Input extends z.ZodObject>(
  definition: Omit<ToolDefinition, 'input' | 'answer' | 'calls' | 'toolset'> & {
    input: Input;
    calls?(input: z.output<Input>, nowMs: number): number;
    answer(services: Services, input: z.output<Input>, call: Call): Promise<AnalysisAnswer>;
  },
): ToolDefinition {
  const { tool, opensToolsets = [] } = definition;
  const untyped: {
    answer(services: Services, input: JsonObject, call: Call): Promise<AnalysisAnswer>;
  } = definition;
  return {
    ...definition,
    toolset: 'analysis',
    async answer(services, input, call) {
      const opened = new Set([...services.fence, ...opensToolsets]);
      const answer = await untyped.answer({ ...services, opened }, input, call);
      const read = { endpoint: tool, ...services.origin, as_of: amsterdamIso(call.nowMs) };
      return {
        toolCall: { tool, arguments: input },
        calls: 1,
        ...answer,
        context: { ...read, ...answer.context },
      };
    },
  };
}

/** The tool of an endpoint. */
export function endpointTool(endpoint: Endpoint): ToolDefinition {
  const answer = companionAnswers.get(endpoint.tool) ?? askEndpoint.bind(undefined, endpoint);
  return { ...endpoint, asksPlatform: true, answer };
}
