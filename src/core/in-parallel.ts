import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import { linkController } from './deadline.ts';

/**
 * Works through `items` in order, `width` of them at once. The first failure ends the others
 * through their signal and is thrown once all have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal | undefined,
  work: (item: T, ending: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { controller, unlink } = linkController(signal);
  const ending = controller.signal;
  // One listener for each item under way and what it starts: more than Node takes for a leak.
  setMaxListeners(0, ending);
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
