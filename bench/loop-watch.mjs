// Brought into a server with `--import`: how long its event loop was held up. On SIGUSR2 it writes
// what it saw to BENCH_LOOP_FILE and begins anew.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.BENCH_LOOP_FILE;
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

process.on('SIGUSR2', () => {
  const seen = { longestMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6 };
  writeFileSync(`${file}.new`, JSON.stringify(seen));
  renameSync(`${file}.new`, file);
  delay.reset();
});
