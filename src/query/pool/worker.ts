/** One process of the engine, which takes one statement at a time. */
import { ChildProcess, ProcessEndedError } from '../../core/child-process.ts';
import { QueryError, type QueryErrorCode } from '../errors.ts';
import type { EngineReply, Outcome, RowsPart, SentStatement } from '../messages.ts';

/** A statement's time to compute. Waiting and loading do not count. */
export interface Computing {
  leftMs: number;
  /** The whole of it, for the error text. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Resident memory that a process takes beyond its database: Node, the engine's code, rows on their way. */
const overheadMb = 512;

export class Worker {
  readonly #child: ChildProcess<SentStatement, RowsPart, EngineReply>;
  /** Whether it has no statement. */
  isResting = true;

  /**
   * Starts a process. It fails with its first statement when it cannot run.
   * @param bounds.idleMs it ends when nothing used it for so long
   */
  constructor(entry: string, bounds: { memoryMb: number; threads: number; idleMs: number }) {
    const { memoryMb, threads, idleMs } = bounds;
    const mostMemoryMb = memoryMb + overheadMb;
    const args = [memoryMb, threads, mostMemoryMb];
    this.#child = new ChildProcess(entry, { args, idleMs, heapMb: mostMemoryMb });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#child.isAlive;
  }

  /**
   * Runs a round of a statement, and takes its time off what is left. One that is cancelled, or out of
   * time, is ended with its process.
   * @param onRows receives the rows of an answer before the answer itself
   * @throws {QueryError} what the engine says, or why the process ended before the answer
   */
  async run(
    statement: SentStatement,
    time: Computing,
    onRows: (part: RowsPart) => void,
  ): Promise<Outcome> {
    this.isResting = false;
    await this.#child.ready.catch((cause: unknown) => {
      // A process that ends by itself before it can take a statement will do so the next time.
      const isStopped = cause instanceof ProcessEndedError && !cause.isByItself;
      throw endOf(isStopped ? 'engine_failed' : 'engine_unavailable', cause);
    });
    const { limitMs, leftMs, signal } = time;
    const cancel = () => this.#child.kill(new QueryError('cancelled'));
    const timer = setTimeout(() => this.#child.kill(outOfTime(limitMs)), leftMs);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const startedMs = performance.now();
    try {
      const reply = await this.#child.ask(statement, leftMs, onRows).catch((cause: unknown) => {
        throw endOf('engine_failed', cause);
      });
      if (reply.kind === 'failed') throw new QueryError(reply.code, reply.message);
      return reply;
    } finally {
      time.leftMs -= performance.now() - startedMs;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.isResting = true;
    }
  }

  kill(): void {
    this.#child.kill(new QueryError('engine_failed'));
  }
}

/** The end of a process as the error of its statement. */
function endOf(code: QueryErrorCode, cause: unknown): QueryError {
  return cause instanceof QueryError ? cause : new QueryError(code, undefined, { cause });
}

function outOfTime(limitMs: number): QueryError {
  return new QueryError(
    'out_of_time',
    `The statement computed for ${limitMs / 1000} seconds, which is the most, and was stopped. Read a shorter period, filter before joining, and check that every join has its condition and every recursion its end.`,
  );
}
