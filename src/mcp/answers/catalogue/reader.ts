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
}

/** Who reads a text. */
export interface Reader extends Dialect {
  /** A message in words. */
  say(message: Message): string;
}

/** The texts of codes: each is written from its parameters. */
export type Texts = {
  readonly [Code in keyof Messages]: (
    parameters: Readonly<Messages[Code]>,
    reader: Reader,
  ) => string;
};

/** Parts of a text, joined where they say something: `First sentence. Second one.` */
export function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}

/** The end of a sentence about an unknown name: `; did you mean shop_id?`, or `.` where no name is near. */
export function orMeant(nearest: string | undefined): string {
  return nearest === undefined ? '.' : `; did you mean ${nearest}?`;
}
