import type { Runtime } from '../../src/client/transport/runtime.ts';

/** A clock that stands still until it is run: sleeps are woken in order, at once. */
export class FakeClock {
  #elapsed = 0;
  #underWay = 0;
  /** In the order in which they were set. */
  readonly #timers = new Set<{ atMs: number; ring(): void }>();
  /** Wall clock minus elapsed clock: change it to make the wall clock jump. */
  wallOffsetMs = Date.UTC(2026, 2, 14, 9);

  elapsed = (): number => this.#elapsed;
  now = (): number => this.#elapsed + this.wallOffsetMs;

  alarm: Runtime['alarm'] = (ms, ring) => {
    const timer = { atMs: this.#elapsed + Math.max(0, ms), ring };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = this.alarm(ms, resolve);
      const end = () => {
        stop();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', end, { once: true });
    });

  /** Does work of the real world, while which the clock stands still. */
  async standStill<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await work();
    } finally {
      this.#underWay--;
    }
  }

  /** Runs the clock from sleep to sleep until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    let idleTurns = 0;
    for (;;) {
      await settled();
      if (isDone) return work;
      if (this.#underWay > 0) continue;
      if (this.#wakeNext()) continue;
      // Long answers are read in pieces, with turns of the loop in between.
      if (++idleTurns > 1000) throw new Error('nothing will ever wake this work');
    }
  }

  /** Runs the clock for so long. */
  async advance(ms: number): Promise<void> {
    await this.run(this.sleep(ms));
  }

  #wakeNext(): boolean {
    const [any, ...others] = this.#timers;
    if (!any) return false;
    const first = others.reduce((a, b) => (b.atMs < a.atMs ? b : a), any);
    this.#timers.delete(first);
    this.#elapsed = Math.max(this.#elapsed, first.atMs);
    first.ring();
    return true;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
