import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../bundle.mjs';
import { questions } from './questions.mjs';
import { openServers } from './servers.mjs';
import { tally } from './tally.mjs';
import { trouble } from './trouble.mjs';
import { findings, readProcess, timeline } from './watch.mjs';

/**
 * Eight clients, a platform that fails at random, and how the servers bear it.
 * @returns what did not hold
 */
export async function amongFaults(minutes) {
  const { startSandbox } = await load('test/sandbox/start-sandbox.ts');
  const sandbox = await startSandbox({ quota: 3000, windowSeconds: 10, tokenLifetimeSeconds: 20 });
  const { clients, processes, close } = await openServers(sandbox);
  const ask = questions(sandbox.world);
  const counts = tally();
  const samples = [];
  const startedMs = performance.now();
  const endsAtMs = startedMs + minutes * 60_000;
  const sampleEveryMs = Math.min(5000, minutes * 1500);

  await Promise.all([
    ...clients.map(work),
    trouble(sandbox.control, sandbox.clientId, () => performance.now() < endsAtMs),
    watch(),
  ]);

  // Quiet again: whatever was broken on the way must not have stayed broken.
  sandbox.control.clearFaults();
  await sleep(6000);
  const after = await Promise.all(clients.map((client) => ask.plain(client)));
  const left = {
    requests: sandbox.stats.inFlight,
    wrong: after.filter((it) => it !== 'right').length,
  };
  await sleep(2000);
  sample();
  await close();
  await sandbox.close();

  console.log(`\nAmong faults: ${clients.length} clients on ${processes.length} servers`);
  console.log(`\n${counts.report()}`);
  console.log(`\n${timeline(samples)}`);
  const { verdict, failures } = findings({ samples, counts, left });
  console.log(`\n${verdict}`);
  return failures;

  /** One client: one question after the other, each twentieth of them abandoned. */
  async function work(client) {
    while (performance.now() < endsAtMs) {
      const leaves = Math.random() < 0.05;
      const signal = leaves ? AbortSignal.timeout(Math.ceil(Math.random() * 300)) : undefined;
      counts.add(await ask.any(client, signal));
    }
  }

  async function watch() {
    while (performance.now() < endsAtMs) {
      sample();
      await sleep(sampleEveryMs);
    }
  }

  function sample() {
    const atMs = performance.now() - startedMs;
    samples.push({ atMs, calls: counts.calls(), servers: processes.map(readProcess) });
  }
}
