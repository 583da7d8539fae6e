import type { Runtime } from '../../src/client/transport/runtime.ts';

interface Timer {
  atMs: number;
  order: number;
  ring(): void;
}

/** A clock that stands still until it is run: sleeps are woken in order, at once. */
export class FakeClock {
  #elapsed = 0;
  #order = 0;
  #underWay = 0;
  /** The one to be woken next stands last. */
  readonly #timers: Timer[] = [];
  /** Wall clock minus elapsed clock: change it to make the wall clock jump. */
  wallOffsetMs = Date.UTC(2026, 2, 14, 9);

  elapsed = (): number => this.#elapsed;
  now = (): number => this.#elapsed + this.wallOffsetMs;

  alarm: Runtime['alarm'] = (ms, ring) => {
    const timer = { atMs: this.#elapsed + Math.max(0, ms), order: this.#order++, ring };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return () => {
      const at = this.#placeOf(timer);
      if (this.#timers[at] === timer) this.#timers.splice(at, 1);
    };
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
    for (;;) {
      await settled();
      if (isDone) return work;
      if (this.#underWay > 0) continue;
      if (!this.#wakeNext()) throw new Error('nothing will ever wake this work');
    }
  }

  /** Runs the clock for so long. */
  async advance(ms: number): Promise<void> {
    await this.run(this.sleep(ms));
  }

  #wakeNext(): boolean {
    const first = this.#timers.pop();
    if (!first) return false;
    this.#elapsed = Math.max(this.#elapsed, first.atMs);
    first.ring();
    return true;
  }

  /** Where a timer stands, or belongs, among the others. */
  #placeOf({ atMs, order }: Timer): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#timers[middle];
      if (other && (other.atMs > atMs || (other.atMs === atMs && other.order > order)))
        from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
