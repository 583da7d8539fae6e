/** What the server and the process that keeps order lines tell each other. */
import type { Day } from '../core/calendar.ts';

/** Where lines are kept, and whose. */
export interface LinesFolder {
  /** An absolute path. */
  folder: string;
  /** Names the key and what it may see, as 32 hexadecimal digits; of others only the room they take is seen. */
  owner: string;
  /** What the digests of its parts are made with: a secret, which goes to the process with each command. */
  key: string;
  /** Most bytes of all that is in the folder. */
  mostBytes: number;
  /** Called once for a part that is broken or none of this key's. */
  onLeftOut(file: string): void;
}

/** The lines of an order as they were read. */
export interface KeptOrder {
  id: number;
  /** Of the order's state; see the analysis for what it is made of. */
  stamp: number;
  shopId: number | null;
  /** The day on which it was placed. */
  day: Day;
  readAtMs: number;
  /** The rows as a JSON array. */
  lines: string;
}

export type LinesCommand =
  /** The lines of orders under these stamps, in the same order. Answered by any number of `found`. */
  | { op: 'find'; ids: Float64Array; stamps: Float64Array }
  | { op: 'keep'; orders: readonly KeptOrder[] }
  /** Makes one part of each month. */
  | { op: 'fold' };

/** The key is no argument of a process: everybody on the machine can read those. */
export type KeyedCommand = LinesCommand & Pick<LinesFolder, 'key'>;

/** Some orders whose lines are kept: the rows of each as a JSON array, and when the first was read. */
export interface FoundOrders {
  ids: Float64Array;
  lines: readonly string[];
  sinceMs: number;
}

/** What is told while a command is carried out. */
export type LinesPart =
  | { kind: 'found'; found: FoundOrders }
  /** A part that is not what its name says. */
  | { kind: 'left out'; file: string };

export type LinesReply =
  /** `droppedTo`: for want of room, what was placed until then has gone. */
  { kind: 'done'; droppedTo: Day | undefined } | { kind: 'failed'; message: string };
