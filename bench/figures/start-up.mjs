// Time from spawn to the answer of `tools/list`, as a client starts a server.
import { bare, ours } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare, part } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { cpuTimeOf } from '../process-figures.mjs';

const rounds = 32;
const wallMsOf = ({ wallMs }) => wallMs;

export async function startUp() {
  const platform = await openPlatform();
  const { settings } = platform;
  const beside = (rounds, args, own) =>
    alternate(rounds, {
      ours: () => start([ours, 'stdio', ...args], own),
      baseline: () => start([bare, 'stdio'], settings),
    });
  try {
    const live = await beside(rounds, [], settings);
    const sandbox = await beside(rounds / 4, ['--sandbox'], {});
    const nowhere = { ...settings, COMMERCE_BASE_URL: 'http://127.0.0.1:9' };
    const unreachable = await beside(rounds / 4, [], nowhere);
    const cpu = part(live, ({ cpuMs }) => cpuMs);
    return [
      compare('start-up', 'ms', part(live, wallMsOf), { atMost: 1.1 }),
      ...(cpu.ours.every(Number.isFinite) ? [compare('start-up, CPU', 'ms', cpu)] : []),
      compare('start-up with --sandbox', 'ms', part(sandbox, wallMsOf)),
      compare('start-up, platform unreachable', 'ms', part(unreachable, wallMsOf)),
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
