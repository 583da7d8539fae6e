import type { Message, PersonMessage, PersonMessages } from '../../../core/message.ts';

/** A person who reads a text. */
export interface PersonReader<Said = Message | PersonMessage> {
  /** A message in words. */
  say(message: Said | Message | PersonMessage | string): string;
}

/** The texts of what other rooms tell a person. */
export type PersonTexts = {
  readonly [Code in keyof PersonMessages]: (
    parameters: Readonly<PersonMessages[Code]>,
    reader: PersonReader,
  ) => string;
};

/** The texts of what this room tells a person: each says its parameters. */
export type OwnTexts = Readonly<
  Record<string, (parameters: never, reader: PersonReader) => string>
>;
