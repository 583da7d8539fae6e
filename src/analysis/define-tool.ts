import type { z } from 'zod';
import type { JsonObject } from '../core/json.ts';
import type { Sentences } from '../core/sentence.ts';
import type { Endpoint, Toolset } from '../endpoints/define.ts';
import type { Answer, Call } from './answer.ts';
import { askEndpoint, isAnswerKept } from './endpoint/ask-endpoint.ts';
import type { Fence } from './fence.ts';
import type { Services } from './services.ts';

/** Something that can be asked: every endpoint is a question, and so is every analysis. */
export interface ToolDefinition {
  /** Name of the tool, at most 40 characters. */
  readonly tool: string;
  readonly title: string;
  readonly description: Sentences;
  readonly toolset: Toolset;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The capability that a refusal is most likely about (docs/platform.md#capabilities). */
  readonly capability?: string | undefined;
  /** False when the answer comes from what this process has kept. */
  readonly asksPlatform: boolean;
  /** What a row is, in the plural: `orders`. */
  readonly noun?: string | undefined;
  /** An argument that takes a comma list of ids. */
  readonly batchArgument?: string | undefined;
  /** Values that are known of arguments whose full set the platform leaves open. */
  readonly knownValues?: Endpoint['knownValues'];
  /** Whether days may be left out. */
  readonly daysAreOptional?: boolean | undefined;
  /** Whether it needs the query engine, an optional part of an installation. */
  readonly needsEngine?: true | undefined;
  /** The page in which hosts that can show its answer to a person. */
  readonly view?: 'figure' | undefined;
  /** Each row or record is of one customer, so that a plain `name` in it may be theirs. */
  readonly isOfCustomer?: boolean | undefined;
  /** The tool as a caller may have it, where that is not for everybody; undefined: not at all. */
  within?(fence: Fence): ToolDefinition | undefined;
  /** How many requests arguments that `input` has accepted cost at least. @default 1 */
  calls?(input: JsonObject, nowMs: number): Promise<number>;
  /** Whether one request with these arguments costs nothing, for its answer is kept. @default false */
  isKept?(services: Services, input: JsonObject, call: Call): Promise<boolean>;
  /** Answers with arguments that `input` has accepted. */
  answer(services: Services, input: JsonObject, call: Call): Promise<Answer>;
}

/** Declares an analysis; its arguments are typed by its own schema. */
export function defineTool<Input extends z.ZodObject>(
  question: Omit<ToolDefinition, 'input' | 'answer' | 'calls' | 'toolset'> & {
    input: Input;
    calls?(input: z.output<Input>, nowMs: number): Promise<number>;
    answer(services: Services, input: z.output<Input>, call: Call): Promise<Answer>;
  },
): ToolDefinition {
  return { ...question, toolset: 'analysis' };
}

/** The question that an endpoint answers. */
export function endpointTool(endpoint: Endpoint): ToolDefinition {
  const { namedIds } = endpoint;
  return {
    ...endpoint,
    asksPlatform: true,
    isKept: (services, given, call) => isAnswerKept(services, endpoint, given, call),
    answer: (services, given, call) =>
      askEndpoint(services, endpoint, given, {
        ...call,
        ...(!call.bulk && namedIds && { namedIds }),
      }),
  };
}
