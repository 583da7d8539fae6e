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
  #options: PoolOptions;
  #workers = new Set<Worker>();
  #free = new Map<Worker, NodeJS.Timeout>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Waits for a turn and gives a process for as long as `work` takes. */
  async use<Result>(
    caller: string,
    signal: AbortSignal,
    work: (worker: Worker) => Promise<Result>,
  ): Promise<Result> {
    const end = await takeTurn(this.#options.turns, caller, signal);
    try {
      const worker = this.#take();
      try {
        return await work(worker);
      } finally {
        this.#giveBack(worker);
      }
    } finally {
      end();
    }
  }

  /** The ids of the running processes. */
  processIds(): number[] {
    return [...this.#workers].flatMap((worker) =>
      worker.isAlive() && worker.pid ? [worker.pid] : [],
    );
  }

  close(): void {
    for (const worker of this.#workers) this.#drop(worker);
  }

  #take(): Worker {
    for (const worker of this.#free.keys()) if (!worker.isAlive()) this.#drop(worker);
    const [worker = this.#options.start()] = this.#free.keys();
    clearTimeout(this.#free.get(worker));
    this.#free.delete(worker);
    this.#workers.add(worker);
    worker.hold(true);
    return worker;
  }

  #giveBack(worker: Worker): void {
    if (!worker.isAlive()) {
      this.#drop(worker);
      return;
    }
    worker.hold(false);
    this.#free.set(worker, setTimeout(() => this.#drop(worker), this.#options.idleMs).unref());
  }

  #drop(worker: Worker): void {
    worker.kill();
    clearTimeout(this.#free.get(worker));
    this.#free.delete(worker);
    this.#workers.delete(worker);
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
