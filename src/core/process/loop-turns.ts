import { FairQueue, type Waiter } from '../fair-queue.ts';

/** A piece of work that took longer is followed by a pause of the same length. */
const longMs = 20;

/** Runs work that blocks the event loop, one piece at a time, callers in rotation; other events are served between. */
export class LoopTurns {
  readonly #queue = new FairQueue({ maxActive: 1, maxWaiting: Infinity });

  /** @throws the reason of the waiter's signal, or the error of the work */
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
