import type { Message, Messages } from '../../../core/message.ts';

/** Who reads a text. */
export interface Reader {
  /** Whether this reader can call a tool: a text names no other. */
  hasTool(tool: string): boolean;
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
