/** The engine's processes: started when needed, kept while used, ended when idle. */
import type { Turns } from './turns.ts';
import type { Worker } from './worker.ts';

/** A process and what its database holds. A database belongs to one caller. */
export interface Seat {
  worker: Worker;
  /** Whose database is open; undefined when none is. */
  owner: string | undefined;
  /** The tables in it by their keys, the one used last at the end. */
  tables: Map<string, SeatedTable>;
  /** Tables loaded so far: each gets a name of its own. */
  loaded: number;
}

export interface SeatedTable {
  /** Its name in the schema of loaded tables. */
  name: string;
  columns: readonly { name: string; type: string }[];
  /** Length of the JSON text it was made of. */
  size: number;
}

export interface PoolOptions {
  turns: Turns;
  start(): Worker;
  /** A process that nobody used for so long is ended. */
  idleMs: number;
}

export interface Pool {
  /**
   * Waits for a turn and gives a process for as long as `work` takes: the one with this caller's
   * database if it is free. A process that ended is replaced at the next use.
   */
  use<Result>(
    caller: string,
    signal: AbortSignal,
    work: (seat: Seat) => Promise<Result>,
  ): Promise<Result>;
  /** The ids of the running processes. */
  processIds(): number[];
  close(): void;
}

/** A pool without any process yet. */
export function createPool({ turns, start, idleMs }: PoolOptions): Pool {
  const free = new Set<Seat>();
  const all = new Set<Seat>();
  const idle = new Map<Seat, NodeJS.Timeout>();

  function drop(seat: Seat): void {
    seat.worker.kill();
    clearTimeout(idle.get(seat));
    idle.delete(seat);
    free.delete(seat);
    all.delete(seat);
  }

  function seatFor(caller: string): Seat {
    for (const seat of free) if (!seat.worker.isAlive()) drop(seat);
    const seats = [...free];
    const seat = seats.find(({ owner }) => owner === caller) ??
      seats.find(({ owner }) => owner === undefined) ??
      seats[0] ?? { worker: start(), owner: undefined, tables: new Map(), loaded: 0 };
    free.delete(seat);
    all.add(seat);
    clearTimeout(idle.get(seat));
    seat.worker.hold(true);
    return seat;
  }

  function giveBack(seat: Seat): void {
    if (!seat.worker.isAlive()) {
      drop(seat);
      return;
    }
    seat.worker.hold(false);
    free.add(seat);
    idle.set(seat, setTimeout(() => drop(seat), idleMs).unref());
  }

  return {
    async use(caller, signal, work) {
      const end = await turns.take(caller, signal);
      try {
        const seat = seatFor(caller);
        try {
          return await work(seat);
        } finally {
          giveBack(seat);
        }
      } finally {
        end();
      }
    },
    processIds: () =>
      [...all].flatMap(({ worker: { pid, isAlive } }) => (isAlive() && pid ? [pid] : [])),
    close() {
      for (const seat of all) drop(seat);
    },
  };
}
