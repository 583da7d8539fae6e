import { setMaxListeners } from 'node:events';

/**
 * Works through `items` in order, `width` of them at once. The first failure ends the others
 * through their signal and is thrown once all have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal | undefined,
  work: (item: T, ending: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  // One listener for each item under way and what it starts: more than Node takes for a leak.
  setMaxListeners(0, ending.signal);
  const onAbort = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  let next = 0;
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    while (next < items.length && !failure) {
      const item = items[next++];
      if (item === undefined) return;
      try {
        await work(item, ending.signal);
      } catch (error) {
        failure ??= { error };
        ending.abort(error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  if (failure) throw failure.error;
}
