import { FairQueue, type Waiter } from '../fair-queue.ts';

/** Work that held up the event loop for longer is followed by a pause of the same length. */
const longMs = 20;

/**
 * Turns at work that holds up the event loop: one piece at a time, callers in rotation, and everything else is served
 * between two pieces, however many are waiting.
 */
export class LoopTurns {
  readonly #queue = new FairQueue({ maxActive: 1, maxWaiting: Infinity });

  /** Works when its turn has come. @throws the reason of the waiter's signal, or what the work throws */
  async take<Result>(waiter: Waiter, work: () => Result): Promise<Result> {
    const release = await this.#queue.enter({ ...waiter });
    const startedMs = performance.now();
    try {
      return work();
    } finally {
      setImmediate(() => {
        const tookMs = performance.now() - startedMs;
        if (tookMs > longMs) setTimeout(release, tookMs).unref();
        else release();
      });
    }
  }
}
