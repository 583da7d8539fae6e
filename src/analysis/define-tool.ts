import type { z } from 'zod';
import { amsterdamIso } from '../core/calendar.ts';
import type { JsonObject } from '../core/json.ts';
import type { Sentences } from '../core/text.ts';
import type { Endpoint, Toolset } from '../endpoints/define.ts';
import type { AnalysisAnswer, Answer, Call } from './answer.ts';
import { askEndpoint } from './endpoint/ask-endpoint.ts';
import { companionAnswers } from './endpoint/companions.ts';
import type { Fence } from './fence.ts';
import type { Services } from './services.ts';

/** Everything that is offered to a caller under a name, whatever answers it. */
interface OfferedTool {
  readonly tool: string;
  readonly title: string;
  /** What a model reads: what it returns, when to use it, which trap to avoid. */
  readonly description: Sentences;
  readonly toolset: Toolset;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Answers with arguments that `input` has accepted. */
  answer(services: Services, input: JsonObject, call: Call): Promise<Answer>;
}

/** An endpoint of the platform. Statements read it as a table. */
export interface EndpointTool extends OfferedTool {
  readonly kind: 'endpoint';
  readonly endpoint: Endpoint;
}

/** Figures or names that are worked out from endpoints. Statements read it as a table. */
export interface AnalysisTool extends OfferedTool {
  readonly kind: 'analysis';
  readonly endpoint?: undefined;
  /** Toolsets without which it is not offered, as it asks endpoints of them. */
  readonly needsToolsets?: readonly Toolset[];
  /** Toolsets whose endpoints it asks also for callers who lack them: it shows figures of its own. */
  readonly opensToolsets?: readonly Toolset[];
  /** The report whose measures are columns of its rows. */
  readonly measuresOf?: string;
  /** The tool as a caller may have it, where that is not for everybody; undefined: not at all. */
  forCaller?(fence: Fence): AnalysisTool | undefined;
  /** How many requests its arguments cost at least. @default 1 */
  calls?(input: JsonObject, nowMs: number): number;
}

/**
 * Rows of a `statement`, which needs the query engine, rows that were `kept`, for which nothing is asked, or a `file`
 * of either.
 */
export interface StatementTool extends OfferedTool {
  readonly kind: 'statement' | 'kept' | 'file';
  readonly endpoint?: undefined;
}

/** A tool that statements read as a table. */
export type TableTool = EndpointTool | AnalysisTool;

export type ToolDefinition = TableTool | StatementTool;

/** What a sentence of a description needs that is true where order lines are kept. */
export const keptLines = 'kept order lines';

interface Typed<Input extends z.ZodObject> {
  input: Input;
  calls?(input: z.output<Input>, nowMs: number): number;
  answer(services: Services, input: z.output<Input>, call: Call): Promise<AnalysisAnswer>;
}

type Untyped<Tool> = Omit<Tool, keyof Typed<z.ZodObject> | 'toolset'>;

/** Declares an analysis, whose arguments are typed by its own schema. */
export function defineAnalysis<Input extends z.ZodObject>(
  definition: Omit<Untyped<AnalysisTool>, 'kind'> & Typed<Input>,
): AnalysisTool {
  const { tool, answer, opensToolsets } = definition;
  const located = locateAnswers(tool, answer, opensToolsets);
  return { ...definition, kind: 'analysis', toolset: 'analysis', answer: located };
}

/** Declares a tool over statements or kept rows, whose arguments are typed by its own schema. */
export function defineStatement<Input extends z.ZodObject>(
  definition: Untyped<StatementTool> & Omit<Typed<Input>, 'calls'>,
): StatementTool {
  const { tool, answer } = definition;
  return { ...definition, toolset: 'analysis', answer: locateAnswers(tool, answer) };
}

/** Adds to answers of our own where they come from and the call. */
function locateAnswers<Input>(
  tool: string,
  answer: (services: Services, input: Input, call: Call) => Promise<AnalysisAnswer>,
  opensToolsets: readonly Toolset[] = [],
) {
  return async (services: Services, input: Input & JsonObject, call: Call): Promise<Answer> => {
    const opened = new Set([...services.fence, ...opensToolsets]);
    const { context, ...found } = await answer({ ...services, opened }, input, call);
    const read = { endpoint: tool, ...services.origin, as_of: amsterdamIso(call.nowMs) };
    const asked = { toolCall: { tool, arguments: input }, calls: 1 };
    return { ...asked, ...found, context: { ...read, ...context } };
  };
}

/** The tool of an endpoint. */
export function endpointTool(endpoint: Endpoint): EndpointTool {
  const { tool, title, description, toolset, input, output } = endpoint;
  const answer = companionAnswers.get(tool) ?? askEndpoint.bind(undefined, endpoint);
  const offered = { tool, title, description, toolset, input, output };
  return { ...offered, kind: 'endpoint', endpoint, answer };
}

/** Whether statements read a tool as a table. */
export function isTable(tool: ToolDefinition): tool is TableTool {
  return tool.kind === 'endpoint' || tool.kind === 'analysis';
}
