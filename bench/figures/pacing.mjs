// The share of a rate budget that is used under full load, and refusals with 429.
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
    // The first window teaches the quota; the others are counted from roll to roll.
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

/** Keeps requests in flight, each for another order, until stopped. */
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

/** Resolves just before the window of the platform rolls. */
async function nextWindow() {
  const windowMs = windowSeconds * 1000;
  const justBefore = windowMs - 20;
  const into = Date.now() % windowMs;
  await sleep(into < justBefore - 20 ? justBefore - into : justBefore + windowMs - into);
}

/** A missing order costs as much budget as another one. */
function ignoreMissing(error) {
  if (error.code !== 'not_found') throw error;
}
