/**
 * Replaces `AbortSignal.any` and `.timeout`: Node 20 collects their signals as garbage, with the listeners, where
 * nothing else holds them.
 */
import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';

/**
 * Calls `end` when a signal aborts, at once where it has aborted already.
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal, end: () => void): () => void {
  // Every request under way listens: Node would warn of a leak from the eleventh on.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return () => signal.removeEventListener('abort', end);
}

/** A controller that also aborts with the first of `sources`, for its reason, until `unlink`. */
export function linkController(...sources: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController();
  const links = sources
    .filter((source) => source !== undefined)
    .map((source) => onAbort(source, () => controller.abort(source.reason)));
  return { controller, unlink: () => links.forEach((unlink) => void unlink()) };
}

export interface Limits {
  ms: number;
  signal?: AbortSignal | undefined;
  /** Calls `ring` after `ms`, unless the function it returns is called before. @default `setTimeout` */
  alarm?: (ms: number, ring: () => void) => () => void;
  /** The error for work that took too long. @default a `TimeoutError` */
  late?: () => Error;
}

/**
 * Runs `work` with a signal that aborts at the deadline or with `limits.signal`, and ends then even if the work ignores
 * it.
 * @throws what the work throws, the reason of the signal, or the error for late work
 */
export async function withDeadline<T>(
  { ms, signal, alarm = setAlarm, late }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stops: (() => void)[] = [];
  const ending = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      controller.abort(reason);
      reject(reason);
    };
    const lateError = () => late?.() ?? new DOMException('The time was up.', 'TimeoutError');
    stops.push(alarm(ms, () => end(lateError())));
    if (signal) stops.push(onAbort(signal, () => end(signal.reason)));
  });
  const working = Promise.race([work(controller.signal), ending]);
  return working.finally(() => stops.forEach((stop) => void stop()));
}

/** The default of {@link Limits.alarm}. */
export function setAlarm(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

/** The result of `work`, unless the signal ends first: then its reason is thrown. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).then(leave);
  });
}

/**
 * Works through `items` in order, `width` of them at once. The first failure aborts the others; it is thrown when all
 * have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal | undefined,
  work: (item: T, ending: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { controller, unlink } = linkController(signal);
  const ending = controller.signal;
  const queue = new PQueue({ concurrency: width });
  const working = items.map((item) =>
    queue.add(async () => {
      try {
        ending.throwIfAborted();
        await work(item, ending);
        ending.throwIfAborted();
      } catch (error) {
        controller.abort(error);
        throw error;
      }
    }),
  );
  await Promise.all(working).finally(() => queue.onIdle().then(unlink));
}
