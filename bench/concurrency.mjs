// How many requests at once: `node bench/concurrency.mjs`. On a clock of its own, 30 and 120 reports
// from a platform 200 ms away that works on 8 of them at a time, and what somebody else on the same
// platform waits meanwhile.
import { load } from './bundle.mjs';

const { createClient } = await load('src/client/client.ts');
const { FakeClock } = await load('test/client/fake-clock.ts');
const { FakePlatform } = await load('test/client/fake-platform.ts');

const travelMs = 100;
const places = 8;
const account = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'acme.1',
  clientSecret: 's3cret',
  timeoutMs: 60_000,
  maxWaitMs: 600_000,
  maxRows: 100_000,
};

console.log('at once | work a report | 30 reports | 120 reports | somebody else waits');
for (const workMs of [0, 50, 150])
  for (const concurrency of [4, 8, 16, 32]) {
    const short = await read(30, concurrency, workMs);
    const long = await read(120, concurrency, workMs);
    const cells = [`${workMs} ms`, inSeconds(short.ms), inSeconds(long.ms), `${long.otherMs} ms`];
    console.log([concurrency, ...cells].join(' | '));
  }

/** How long so many reports take, and the longest that another's request waited for a place. */
async function read(count, concurrency, workMs) {
  const clock = new FakeClock();
  const platform = new FakePlatform(clock, { quota: 600, latencyMs: () => [travelMs, travelMs] });
  const freeAtMs = Array.from({ length: places }, () => 0);
  const serve = async () => {
    const place = freeAtMs.indexOf(Math.min(...freeAtMs));
    const waitMs = Math.max(0, freeAtMs[place] - clock.elapsed());
    freeAtMs[place] = clock.elapsed() + waitMs + workMs;
    await clock.sleep(waitMs + workMs);
    return waitMs;
  };
  const runtime = platform.runtime();
  const send = async (request) => {
    if (request.url.pathname.startsWith('/api')) await serve();
    return platform.send(request);
  };
  const client = createClient({ ...account, concurrency }, { ...runtime, send });
  await clock.run(client.get('/api/me'));
  const beganMs = clock.elapsed();
  let isOver = false;
  let otherMs = 0;
  const somebodyElse = async () => {
    while (!isOver) {
      otherMs = Math.max(otherMs, await serve());
      await clock.sleep(130);
    }
  };
  const other = somebodyElse();
  const asking = Array.from({ length: count }, (_, id) => client.get(`/api/report/${id}`));
  await clock.run(Promise.all(asking));
  const ms = clock.elapsed() - beganMs;
  isOver = true;
  await clock.run(other);
  return { ms, otherMs };
}

function inSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
