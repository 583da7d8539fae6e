// From spawn to `tools/list` answered, the way a client starts a server.
import { cpuTimeOf } from '../cpu-time.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { bare, ours } from '../servers.mjs';

const rounds = 32;

export async function startUp() {
  const platform = await openPlatform();
  const { settings } = platform;
  const nowhere = { ...settings, COMMERCE_BASE_URL: 'http://127.0.0.1:9' };
  try {
    const live = await alternate(rounds, {
      ours: () => start([ours, 'stdio'], settings),
      baseline: () => start([bare, 'stdio'], settings),
    });
    const sandbox = await alternate(rounds / 4, {
      ours: () => start([ours, 'stdio', '--sandbox']),
      baseline: () => start([bare, 'stdio'], settings),
    });
    const unreachable = await alternate(rounds / 4, {
      ours: () => start([ours, 'stdio'], nowhere),
      baseline: () => start([bare, 'stdio'], nowhere),
    });
    const cpu = part(live, 'cpuMs');
    return [
      compare('start-up', 'ms', part(live, 'wallMs'), { atMost: 0.95 }),
      ...(cpu.ours.every(Number.isFinite) ? [compare('start-up, CPU', 'ms', cpu)] : []),
      compare('start-up with --sandbox', 'ms', part(sandbox, 'wallMs')),
      compare('start-up, platform unreachable', 'ms', part(unreachable, 'wallMs')),
    ];
  } finally {
    await platform.close();
  }
}

async function start(args, settings) {
  const startedMs = performance.now();
  const server = openStdio(args, settings);
  await server.initialize();
  await server.request('tools/list');
  const wallMs = performance.now() - startedMs;
  const cpuMs = await cpuTimeOf(server.pid);
  await server.close();
  return { wallMs, cpuMs };
}

function part({ ours: one, baseline: other }, key) {
  return { ours: one.map((run) => run[key]), baseline: other.map((run) => run[key]) };
}
