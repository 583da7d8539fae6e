import { expect } from 'vitest';
import type { Message } from '../src/core/message.ts';

/** A message by its code, and some of its parameters. */
export interface Part {
  readonly code: Message['code'];
  readonly [parameter: string]: unknown;
}

/** An error with this reason, for `toThrow` and `rejects.toThrow`: parameters that are not named may be anything. */
export function reasonOf(reason: Part): Error {
  return expect.objectContaining({ reason: expect.objectContaining(reason) });
}

/** The sentence of a message as a pattern, in which any number may stand for another. */
export function patternOf({ text }: Message): RegExp {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replaceAll(/\d[\d,]*/g, '\\d[\\d,]*'));
}
