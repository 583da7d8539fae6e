import type { Runtime } from '../../src/client/transport/runtime.ts';

interface Timer {
  atMs: number;
  order: number;
  wake(): void;
}

/** A clock that stands still until it is run: sleeps are woken in order, at once. */
export class FakeClock {
  #elapsed = 0;
  #order = 0;
  #timers: Timer[] = [];
  /** Wall clock minus elapsed clock: change it to make the wall clock jump. */
  wallOffsetMs = Date.UTC(2026, 2, 14, 9);

  elapsed = (): number => this.#elapsed;
  now = (): number => this.#elapsed + this.wallOffsetMs;

  sleep: Runtime['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer: Timer = {
        atMs: this.#elapsed + Math.max(0, ms),
        order: this.#order++,
        wake: resolve,
      };
      this.#timers.push(timer);
      signal?.addEventListener(
        'abort',
        () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
          reject(signal.reason);
        },
        { once: true },
      );
    });

  /** Runs the clock from sleep to sleep until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    for (;;) {
      await settled();
      if (isDone) return work;
      if (!this.#wakeNext()) throw new Error('nothing will ever wake this work');
    }
  }

  /** Runs the clock for so long. */
  async advance(ms: number): Promise<void> {
    await this.run(this.sleep(ms));
  }

  #wakeNext(): boolean {
    const [first, ...rest] = this.#timers.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
    if (!first) return false;
    this.#timers = rest;
    this.#elapsed = Math.max(this.#elapsed, first.atMs);
    first.wake();
    return true;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
