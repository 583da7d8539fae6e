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

/** A tool of any kind. */
interface OfferedTool {
  readonly tool: string;
  readonly title: string;
  /** Tells a model what the tool returns, when to use it and which trap to avoid. */
  readonly description: Sentences;
  readonly toolset: Toolset;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** @param input arguments that the schema has accepted */
  answer(services: Services, input: JsonObject, call: Call): Promise<Answer>;
}

/** An endpoint of the platform. Statements read it as a table. */
export interface EndpointTool extends OfferedTool {
  readonly kind: 'endpoint';
  readonly endpoint: Endpoint;
}

/** Figures or names computed from several endpoints. Statements read it as a table. */
export interface AnalysisTool extends OfferedTool {
  readonly kind: 'analysis';
  readonly endpoint?: undefined;
  /** It asks endpoints of these toolsets, and is not offered without them. */
  readonly needsToolsets?: readonly Toolset[];
  /** It may ask endpoints of these toolsets for callers who lack them, since it shows only figures of its own. */
  readonly opensToolsets?: readonly Toolset[];
  /** The report whose measures are columns of its rows. */
  readonly measuresOf?: string;
  /** Adapts the tool to a caller's toolsets; undefined where he may not have it. */
  forCaller?(fence: Fence): AnalysisTool | undefined;
  /** The least number of requests that its arguments cost. @default 1 */
  calls?(input: JsonObject, nowMs: number): number;
}

/** Rows of a `statement`, which needs the query engine, `kept` rows, which cost no request, or a `file` of either. */
export interface StatementTool extends OfferedTool {
  readonly kind: 'statement' | 'kept' | 'file';
  readonly endpoint?: undefined;
}

export type TableTool = EndpointTool | AnalysisTool;

export type ToolDefinition = TableTool | StatementTool;

/** A sentence of a description `needs` this if it is true only where order lines are kept. */
export const keptLines = 'kept order lines';

interface Typed<Input extends z.ZodObject> {
  input: Input;
  calls?(input: z.output<Input>, nowMs: number): number;
  answer(services: Services, input: z.output<Input>, call: Call): Promise<AnalysisAnswer>;
}

type Untyped<Tool> = Omit<Tool, keyof Typed<z.ZodObject> | 'toolset'>;

export function defineAnalysis<Input extends z.ZodObject>(
  definition: Omit<Untyped<AnalysisTool>, 'kind'> & Typed<Input>,
): AnalysisTool {
  const { tool, answer, opensToolsets } = definition;
  const located = locateAnswers(tool, answer, opensToolsets);
  return { ...definition, kind: 'analysis', toolset: 'analysis', answer: located };
}

export function defineStatement<Input extends z.ZodObject>(
  definition: Untyped<StatementTool> & Omit<Typed<Input>, 'calls'>,
): StatementTool {
  const { tool, answer } = definition;
  return { ...definition, toolset: 'analysis', answer: locateAnswers(tool, answer) };
}

/** Adds origin and call to answers. */
function locateAnswers<Input>(
  tool: string,
  answer: (services: Services, input: Input, call: Call) => Promise<AnalysisAnswer>,
  opensToolsets: readonly Toolset[] = [],
) {
  return async (services: Services, input: Input & JsonObject, call: Call): Promise<Answer> => {
    const opened = new Set([...services.fence, ...opensToolsets]);
    const { context, ...facts } = await answer({ ...services, opened }, input, call);
    const origin = { endpoint: tool, ...services.origin, as_of: amsterdamIso(call.nowMs) };
    const defaults = { toolCall: { tool, arguments: input }, calls: 1 };
    return { ...defaults, ...facts, context: { ...origin, ...context } };
  };
}

export function endpointTool(endpoint: Endpoint): EndpointTool {
  const { tool, title, description, toolset, input, output } = endpoint;
  const answer = companionAnswers.get(tool) ?? askEndpoint.bind(undefined, endpoint);
  const offered = { tool, title, description, toolset, input, output };
  return { ...offered, kind: 'endpoint', endpoint, answer };
}

/** Whether statements can read the tool as a table. */
export function isTableTool(tool: ToolDefinition): tool is TableTool {
  return tool.kind === 'endpoint' || tool.kind === 'analysis';
}
