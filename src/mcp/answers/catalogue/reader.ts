import type { Message } from '../../../core/message.ts';

/** Who reads a text. */
export interface Reader {
  /** Whether this reader can call a tool: a text names no other. */
  hasTool(tool: string): boolean;
  /** A message in words; a text that is written already stands as it is. */
  say(message: Message | string): string;
}
