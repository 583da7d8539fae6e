/** Whose turn it is: so many at once, the others wait, one caller after the other. */
import { QueryError, statementCancelled } from '../errors.ts';

export interface TurnsOptions {
  /** So many have a turn at the same time. */
  atOnce: number;
  /** So many of them one caller may have, while others wait or not. @default all */
  ownAtOnce?: number;
  /** So many may wait, all callers together. */
  maxWaiting: number;
}

export interface Turns {
  /**
   * Waits for a turn; gives what ends it. Callers that wait get theirs in rotation, however many
   * statements each of them has waiting.
   * @throws {QueryError} `overloaded` when too many wait, `cancelled` when the signal says so
   */
  take(caller: string, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  start(): void;
}

/** Turns that nobody has yet. */
export function createTurns({ atOnce, ownAtOnce = atOnce, maxWaiting }: TurnsOptions): Turns {
  /** Callers in the order of their next turn. */
  const lines = new Map<string, Waiting[]>();
  // One caller never takes all the room there is to wait in.
  const maxOwn = Math.ceil(maxWaiting * 0.75);
  const running: string[] = [];
  let waiting = 0;

  function giveNext(): void {
    const first = [...lines].find(([caller]) => mayRun(caller));
    if (first === undefined) return;
    const [caller, line] = first;
    const next = line.shift();
    // Whoever had a turn goes to the end of the rotation.
    lines.delete(caller);
    if (line.length > 0) lines.set(caller, line);
    if (next === undefined) return;
    waiting--;
    running.push(caller);
    next.start();
  }

  function mayRun(caller: string): boolean {
    const own = running.filter((other) => other === caller).length;
    return running.length < atOnce && own < ownAtOnce;
  }

  function end(caller: string): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running.splice(running.indexOf(caller), 1);
      giveNext();
    };
  }

  return {
    take(caller, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(statementCancelled());
        if (mayRun(caller)) {
          running.push(caller);
          return resolve(end(caller));
        }
        const own = lines.get(caller)?.length ?? 0;
        if (own >= maxOwn) return reject(tooManyOfOne(own));
        if (waiting >= maxWaiting) return reject(overloaded(waiting));
        const leave = () => {
          const line = lines.get(caller) ?? [];
          lines.set(
            caller,
            line.filter((other) => other !== mine),
          );
          if (lines.get(caller)?.length === 0) lines.delete(caller);
          waiting--;
          reject(statementCancelled());
        };
        const mine: Waiting = {
          start() {
            signal.removeEventListener('abort', leave);
            resolve(end(caller));
          },
        };
        lines.set(caller, [...(lines.get(caller) ?? []), mine]);
        waiting++;
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

function overloaded(waiting: number): QueryError {
  return new QueryError(
    'overloaded',
    `${waiting} statements are waiting for the query engine already. Ask again in a few seconds.`,
  );
}

function tooManyOfOne(own: number): QueryError {
  return new QueryError(
    'overloaded',
    `${own} statements of yours are waiting already, the most of one caller. Ask again when one of them has been answered.`,
  );
}
