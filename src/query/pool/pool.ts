/** The engine's processes: started when needed, kept while used, ended when idle. */
import { type FairQueue, QueueFullError } from '../../core/fair-queue.ts';
import { QueryError, statementCancelled } from '../errors.ts';
import type { Worker } from './worker.ts';

export interface PoolOptions {
  /** Whose turn it is: callers in rotation, however many statements each has waiting. */
  turns: FairQueue;
  start(): Worker;
  /** A process that nothing used for so long is ended. */
  idleMs: number;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #workers = new Set<Worker>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Waits for a turn and gives a process for as long as `work` takes. */
  async use<Result>(
    caller: string,
    signal: AbortSignal,
    work: (worker: Worker) => Promise<Result>,
  ): Promise<Result> {
    const { turns, start, idleMs } = this.#options;
    const end = await takeTurn(turns, caller, signal);
    try {
      const worker = this.#alive().find(({ isResting }) => isResting) ?? start();
      this.#workers.add(worker);
      worker.wake();
      return await work(worker).finally(() => worker.rest(idleMs));
    } finally {
      end();
    }
  }

  /** The ids of the running processes. */
  processIds(): number[] {
    return this.#alive().flatMap(({ pid }) => pid ?? []);
  }

  close(): void {
    for (const worker of this.#alive()) worker.kill();
  }

  #alive(): Worker[] {
    for (const worker of this.#workers) if (!worker.isAlive()) this.#workers.delete(worker);
    return [...this.#workers];
  }
}

/**
 * Waits for a turn; gives what ends it.
 * @throws {QueryError} `overloaded` when too many wait, `cancelled` when the signal says so
 */
export async function takeTurn(
  turns: FairQueue,
  caller: string,
  signal: AbortSignal,
): Promise<() => void> {
  try {
    return await turns.enter({ caller, signal });
  } catch (error) {
    if (signal.aborted) throw statementCancelled();
    if (error instanceof QueueFullError) throw overloaded(error);
    throw error;
  }
}

function overloaded({ reason, limit }: QueueFullError): QueryError {
  return new QueryError(
    'overloaded',
    reason === 'caller'
      ? `${limit} statements of yours are waiting already, the most of one caller. Ask again when one of them has been answered.`
      : `${limit} statements are waiting for the query engine already. Ask again in a few seconds.`,
  );
}
