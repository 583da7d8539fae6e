/** Whoever reads what an answer says. */
import type { Reader } from './reader.ts';

/** A model, or whoever else reads its texts, by which tools it can call. */
export function modelReader(hasTool: Reader['hasTool']): Reader {
  return {
    hasTool,
    say: (message) => (typeof message === 'string' ? message : message.text),
  };
}

/** Whoever is not let in: told of no tool. */
export const outsideReader = modelReader(() => false);
