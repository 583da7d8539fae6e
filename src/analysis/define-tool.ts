import type { z } from 'zod';
import type { JsonObject } from '../core/json.ts';
import type { Endpoint, Toolset } from '../endpoints/define.ts';
import type { Answer, Call } from './answer.ts';
import { ask } from './endpoint/ask-endpoint.ts';
import type { Platform } from './services.ts';

/** Something that can be asked: every endpoint is a question, and so is every analysis. */
export interface Question {
  /** Name of the tool, at most 40 characters. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Section 5.8: the capability that a refusal is most likely about. */
  readonly capability?: string | undefined;
  /** False when the answer comes from what this process has kept. */
  readonly asksPlatform: boolean;
  /** Answers with arguments that `input` has accepted. */
  answer(platform: Platform, input: JsonObject, call: Call): Promise<Answer>;
}

/** Declares an analysis; its arguments are typed by its own schema. */
export function defineQuestion<Input extends z.ZodObject>(
  question: Omit<Question, 'input' | 'answer' | 'toolset'> & {
    input: Input;
    answer(platform: Platform, input: z.output<Input>, call: Call): Promise<Answer>;
  },
): Question {
  const { input, answer } = question;
  return {
    ...question,
    toolset: 'analysis',
    answer: (platform, raw, call) => answer(platform, input.parse(raw), call),
  };
}

/** The question that an endpoint answers. */
export function endpointQuestion(endpoint: Endpoint): Question {
  const { tool, title, description, toolset, input, output, capability } = endpoint;
  return {
    tool,
    title,
    description,
    toolset,
    input,
    output,
    capability,
    asksPlatform: true,
    answer: (platform, given, call) => ask(platform, endpoint, given, call),
  };
}
