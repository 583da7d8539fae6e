/** A statement's time: interrupted at its end, and ended by force if that does not help. */
import { QueryError, statementCancelled } from '../errors.ts';
import type { Worker } from './worker.ts';

/** What is left of a statement's time to compute. Waiting and loading do not count. */
export interface TimeLeft {
  ms: number;
  /** The whole of it, for the error text. */
  readonly limitMs: number;
  /** How long an interrupted statement may take to end. */
  readonly patienceMs: number;
}

/**
 * Does `work` on a process within the time that is left, and takes off what it took. `check` throws
 * when the time is over, for work that goes on without the process.
 * @throws {QueryError} `out_of_time`, or `cancelled` when the signal says so
 */
export async function withinTime<Result>(
  worker: Worker,
  left: TimeLeft,
  signal: AbortSignal,
  now: () => number,
  work: (check: () => void) => Promise<Result>,
): Promise<Result> {
  let reason: QueryError | undefined;
  let force: NodeJS.Timeout | undefined;
  const stop = (because: QueryError) => {
    if (reason !== undefined) return;
    reason = because;
    worker.post({ op: 'interrupt' }).catch(() => {}); // An ended process needs no interrupt.
    force = setTimeout(() => worker.kill(), left.patienceMs);
  };
  const cancel = () => stop(statementCancelled());
  const timer = setTimeout(() => stop(outOfTime(left.limitMs)), Math.max(0, left.ms));
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const startedMs = now();
  try {
    const check = () => {
      if (reason !== undefined) throw reason;
    };
    const result = await work(check);
    check();
    return result;
  } catch (error) {
    throw reason ?? error;
  } finally {
    left.ms -= now() - startedMs;
    clearTimeout(timer);
    clearTimeout(force);
    signal.removeEventListener('abort', cancel);
  }
}

function outOfTime(limitMs: number): QueryError {
  return new QueryError(
    'out_of_time',
    `The statement computed for ${limitMs / 1000} seconds, which is the most, and was stopped. Read a shorter period, filter before joining, and check that every join has its condition and every recursion its end.`,
  );
}
