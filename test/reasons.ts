import { expect } from 'vitest';
import type { Message } from '../src/core/message.ts';

/** Some parameters of a message, its code among them. */
export type Part<It extends Message = Message> = It extends Message
  ? Pick<It, 'code'> & Partial<It>
  : never;

/** An error with this reason, for `toThrow` and `rejects.toThrow`: parameters that are not named may be anything. */
export function reasonOf(reason: Part): Error {
  return expect.objectContaining({ reason: expect.objectContaining(reason) });
}
