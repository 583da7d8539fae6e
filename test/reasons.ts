import { expect } from 'vitest';
import type { Message } from '../src/core/message.ts';
import { modelReader } from '../src/mcp/answers/catalogue/catalogue.ts';

/** A message by its code, and some of its parameters. */
export interface Part {
  readonly code: Message['code'];
  readonly [parameter: string]: unknown;
}

/** An error with this reason, for `toThrow` and `rejects.toThrow`: parameters that are not named may be anything. */
export function reasonOf(reason: Part): Error {
  return expect.objectContaining({ reason: expect.objectContaining(reason) });
}

const model = modelReader(() => true);

/** What a model with every tool reads of a message, where the text of an answer is the subject. */
export function sentenceOf(message: Message): string {
  return model.say(message);
}

/** The same as a pattern, in which any number may stand for another. */
export function patternOf(message: Message): RegExp {
  const escaped = sentenceOf(message).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replaceAll(/\d[\d,]*/g, '\\d[\\d,]*'));
}
