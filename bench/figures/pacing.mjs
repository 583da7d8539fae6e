// How much of a rate budget is used when more is wanted than it gives, and whether a 429 is drawn.
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../bundle.mjs';
import { count } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';

const quota = 300;
const windowSeconds = 10;
const windows = 3;
const inFlight = 32;

export async function pacing() {
  const platform = await openPlatform({ quota, windowSeconds });
  const { createClient } = await load('src/client/client.ts');
  const client = createClient({
    ...platform.account,
    concurrency: 8,
    timeoutMs: 30_000,
    maxWaitMs: 45_000,
    maxRows: 1000,
  });
  try {
    await nextWindow();
    const stop = new AbortController();
    const asking = ask(client, stop.signal);
    // The first window is where the quota is learnt; the others are counted, from roll to roll.
    const counts = [];
    for (let window = 0; window <= windows; window++) {
      await nextWindow();
      counts.push((await platform.stats()).requests);
    }
    stop.abort();
    await asking;
    const { refused } = await platform.stats();
    const used = counts[windows] - counts[0];
    const offered = quota * windows;
    return [
      count('budget used under full load', 'requests', used, offered, { atLeast: 0.98 }),
      count('budget refused (429) on the way', 'requests', refused, offered, { atMost: 0 }),
    ];
  } finally {
    await client.close();
    await platform.close();
  }
}

/** Keeps requests in flight, each for another order, until told to stop. */
async function ask(client, signal) {
  const { body } = await client.get('/api/order', { query: { from: '2026-01-01', limit: 1 } });
  const newest = body.data[0]?.id ?? 1;
  let next = 0;
  const worker = async () => {
    while (!signal.aborted)
      await client.get(`/api/order/${newest - (next++ % 1000)}`).catch(ignoreMissing);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Just before the platform's window rolls: all of it that will be used has been used. */
async function nextWindow() {
  const windowMs = windowSeconds * 1000;
  const justBefore = windowMs - 20;
  const into = Date.now() % windowMs;
  await sleep(into < justBefore - 20 ? justBefore - into : justBefore + windowMs - into);
}

/** An id that is no order costs as much of the budget as one that is. */
function ignoreMissing(error) {
  if (error.code !== 'not_found') throw error;
}
