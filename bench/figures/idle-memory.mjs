// Resident memory of a server that has listed its tools and waits.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openStdio } from '../line-client.mjs';
import { alternate, compare } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { bare, ours } from '../servers.mjs';

const rounds = 5;
const restMs = 2000;

export async function idleMemory() {
  const platform = await openPlatform();
  const { settings } = platform;
  try {
    const resident = await alternate(rounds, {
      ours: () => atRest([ours, 'stdio'], settings),
      baseline: () => atRest([bare, 'stdio'], settings),
    });
    return [compare('resident memory when idle', 'MB', resident, { atMost: 1.3 })];
  } finally {
    await platform.close();
  }
}

async function atRest(args, settings) {
  const server = openStdio(args, settings);
  await server.initialize();
  await server.request('tools/list');
  await sleep(restMs);
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(server.pid)]);
  await server.close();
  return Number(stdout) / 1024;
}
