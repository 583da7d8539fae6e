// Imported into a server that is measured: tells what it holds, and how long its event loop was held up since last asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('message', () => {
  // The second collection frees objects that the first one finalizes.
  for (let collection = 0; collection < 2; collection++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({
    longestMs: delay.max / 1e6,
    p99Ms: delay.percentile(99) / 1e6,
    liveMb: (heapUsed + external) / 2 ** 20,
    residentMb: rss / 2 ** 20,
  });
  delay.reset();
});
process.channel.unref();
