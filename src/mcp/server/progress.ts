import type { Progress } from '../../analysis/answer.ts';

export type ProgressReport = Omit<Progress, 'done'> & { progress: number };

/** Time without a report after which a call says that it is still running. */
const heartbeatMs = 1000;

/**
 * Reports progress at most every 100 ms, and each second without other news. `progress` always grows, as the protocol
 * demands, and stays within its total. Stop it however the call ends.
 */
export class ProgressReporter {
  readonly #send: (report: ProgressReport) => void;
  readonly #startedMs = Date.now();
  readonly #heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  #last: Progress = { done: 0, message: '' };
  #furthest = 0;
  #waits = 0;
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(send: (report: ProgressReport) => void) {
    this.#send = send;
  }

  report(progress: Progress): void {
    this.#last = progress;
    // A message before the first step waits for the next heartbeat.
    if (progress.done === 0) return;
    const isLast = progress.done === progress.total;
    if (isLast || Date.now() - this.#sentMs >= 100) this.#emit(progress.message);
  }

  stop(): void {
    clearInterval(this.#heartbeat);
  }

  #beat(): void {
    const { done, total = Number.POSITIVE_INFINITY, message } = this.#last;
    if (Date.now() - this.#sentMs < heartbeatMs || done >= total) return;
    const seconds = Math.round((Date.now() - this.#startedMs) / 1000);
    this.#emit(`${message || 'waiting for the platform'} (${seconds} s)`);
  }

  #emit(message: string): void {
    const { done, total } = this.#last;
    this.#waits = done > this.#furthest ? 0 : this.#waits + 1;
    this.#furthest = Math.max(this.#furthest, done);
    // Heartbeats add parts of the next step, so progress grows without reaching that step.
    const progress = this.#furthest + this.#waits / (this.#waits + 1);
    this.#sentMs = Date.now();
    // A later part with a smaller total is reported without a total.
    this.#send({ progress, ...(total !== undefined && progress <= total && { total }), message });
  }
}
