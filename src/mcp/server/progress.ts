import type { Progress } from '../../analysis/answer.ts';

/** A progress notification, without its token. */
export interface ProgressReport {
  progress: number;
  total?: number;
  message: string;
}

/** The reports of one call. */
export interface ProgressReporter {
  report(progress: Progress): void;
  /** Ends the reports; must be called however the call ends. */
  stop(): void;
}

/** A call that takes longer than this says that it is under way, and again as long as it takes. */
const heartbeatMs = 1000;

/**
 * Reports progress at most every 100 ms, and once a second where nothing else is reported, such as
 * while a call waits for rate budget. `progress` always grows, as the protocol asks,
 * and stays within the total it comes with.
 */
export function createProgressReporter(
  send: (report: ProgressReport) => void,
  now: () => number = Date.now,
): ProgressReporter {
  const startedMs = now();
  let last: Progress = { done: 0, message: '' };
  let furthest = 0;
  let waits = 0;
  let said = '';
  let reportedMs = Number.NEGATIVE_INFINITY;

  const emit = (message: string): void => {
    const { done, total = Number.POSITIVE_INFINITY } = last;
    waits = done > furthest ? 0 : waits + 1;
    furthest = Math.max(furthest, done);
    // A wait adds a part of a step, so that a heartbeat is progress too and never the next step.
    const progress = furthest + waits / (waits + 1);
    // The end of a part is told once; a later part with a smaller total goes on without a total.
    if (waits > 0 && progress > total && message === said) return;
    said = message;
    reportedMs = now();
    send({ progress, ...(last.total !== undefined && progress <= total && { total }), message });
  };

  const heartbeat = setInterval(() => {
    if (now() - reportedMs < heartbeatMs || (last.total !== undefined && last.done >= last.total))
      return;
    const seconds = Math.round((now() - startedMs) / 1000);
    emit(`${last.message || 'waiting for the platform'} (${seconds} s)`);
  }, heartbeatMs);
  heartbeat.unref();

  return {
    report(progress) {
      last = progress;
      const isLast = progress.done === progress.total;
      if (isLast || now() - reportedMs >= 100) emit(progress.message);
    },
    stop: () => clearInterval(heartbeat),
  };
}
