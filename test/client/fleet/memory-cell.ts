import { randomBytes } from 'node:crypto';
import type { CasCell } from '../../../src/client/fleet/cas-cell.ts';
import type { FakeClock } from '../fake-clock.ts';

/** A cell without Redis, on a simulated clock, which can go away. */
export class MemoryCell {
  /** Milliseconds that a call takes on its way there, and back. */
  latencyMs: () => [there: number, back: number] = () => [0.2, 0.2];
  /** What becomes of calls. */
  mood: 'serve' | 'refuse' | 'hang' = 'serve';
  /** What its clock shows more than ours. */
  clockAheadMs = 1_790_000_000_000;
  calls = 0;
  #stamp = '';
  #text = '';
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  /** Forgets everything, as a restart without a disk does. */
  forget(): void {
    this.#stamp = '';
    this.#text = '';
  }

  /** What stands there. */
  get text(): string {
    return this.#text;
  }

  /** Writes as somebody else would. */
  write(text: string): void {
    this.#stamp = randomBytes(9).toString('base64');
    this.#text = text;
  }

  readonly cell: CasCell = {
    exchange: async (stamp, next) => {
      this.calls++;
      const [there, back] = this.latencyMs();
      if (this.mood === 'hang') await this.#clock.sleep(1000);
      else await this.#clock.sleep(there);
      if (this.mood !== 'serve') throw new Error('the cell is away');
      const isSwapped = next !== undefined && stamp === this.#stamp;
      if (isSwapped) {
        this.#stamp = next.stamp;
        this.#text = next.text;
      }
      const standing = {
        isSwapped,
        stamp: this.#stamp,
        text: isSwapped || stamp === this.#stamp ? undefined : this.#text,
        clockMs: this.#clock.elapsed() + this.clockAheadMs,
      };
      await this.#clock.sleep(back);
      return standing;
    },
  };
}
