/** Everything that is said to whoever reads an answer, by its code: a file a subject, each read from top to bottom. */
import type { Finished, Message } from '../../../core/message.ts';
import { platformTexts } from './platform.ts';
import type { Reader, Texts } from './reader.ts';

export const texts: Texts = {
  ...platformTexts,
};

/** A model, or whoever else reads its texts, by which tools it can call. */
export function modelReader(hasTool: Reader['hasTool']): Reader {
  const reader: Reader = {
    hasTool,
    say(message) {
      if (typeof message === 'string') return message;
      if (!(message.code in texts)) return (message as Finished).text;
      // The type of a table of functions does not tell that each code has its own parameters.
      const text = texts[message.code as keyof typeof texts] as
        | string
        | ((it: Message, reader: Reader) => string);
      return typeof text === 'string' ? text : text(message, reader);
    },
  };
  return reader;
}

/** Whoever is not let in: told of no tool. */
export const outsideReader = modelReader(() => false);
