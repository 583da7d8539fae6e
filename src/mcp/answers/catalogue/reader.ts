import type { ToolCall } from '../../../analysis/answer.ts';
import type { Message, Messages } from '../../../core/message.ts';

/** How a text is written for those who read it. */
export interface Dialect {
  /** An argument of a call with its value: `period: "yesterday"`. */
  argument(name: string, value: unknown): string;
  /** A moment, given as ISO 8601 with an offset. */
  moment(iso: string): string;
  /** Ends a warning that has to be handed on. */
  readonly passOn: string;
  /** Whether this reader can call a tool: a text names no other. */
  hasTool(tool: string): boolean;
  /** How the rest is had: by a call as it is made, or as it is typed. */
  next(call: ToolCall): string;
  /** Whether kept rows are there after the answer: those of a command go with its process. */
  readonly keepsRows: boolean;
}

/** Who reads a text. */
export interface Reader extends Dialect {
  /** A message in words; a text that is written already stands as it is. */
  say(message: Message | string): string;
}

/** The texts of codes: each is written from its parameters, or stands as it is where it has none. */
export type Texts = {
  readonly [Code in keyof Messages]: Text<Messages[Code]>;
};

type Text<Parameters> =
  | ((parameters: Readonly<Parameters>, reader: Reader) => string)
  | (object extends Parameters ? string : never);
