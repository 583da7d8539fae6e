import type { Message } from '../../../core/message.ts';

/** A person who reads a text. */
export interface PersonReader<Said = Message> {
  /** A message in words. */
  say(message: Said | Message | string): string;
}

/** The texts of what this room tells a person: each says its parameters. */
export type OwnTexts = Readonly<
  Record<string, (parameters: never, reader: PersonReader) => string>
>;
