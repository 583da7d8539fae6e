/** A model behind an address, in the one form that both kinds of address are spoken to. */
import type { JsonObject } from '../../src/core/json.ts';

/** A tool as a model is told of it. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** A call that a model asks for; `input` is undefined where it wrote no JSON object. */
export interface ModelCall {
  id: string;
  name: string;
  input: JsonObject | undefined;
}

/** What came of a call. */
export interface CallResult {
  id: string;
  text: string;
  isError: boolean;
}

/** What a model said: its last word where it asks for no call. */
export interface Turn {
  text: string;
  calls: readonly ModelCall[];
  /** As the address counts them: all that was read, cached or not, and all that was written. */
  tokens: Tokens;
}

export interface Tokens {
  read: number;
  written: number;
}

/** One conversation, which the model's own turns become a part of. */
export interface Conversation {
  ask(question: string): Promise<Turn>;
  handOver(results: readonly CallResult[]): Promise<Turn>;
}

/** Begins a conversation. */
export type Model = (system: string, tools: readonly ModelTool[]) => Conversation;

/** Where a model is, and what is needed to speak to it. */
export interface ModelSettings {
  /** Without the last part: `https://api.openai.com/v1`, `https://api.anthropic.com`. */
  url: string;
  key: string;
  name: string;
}
