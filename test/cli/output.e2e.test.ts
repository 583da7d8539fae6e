import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { binary, environment } from '../spawn.ts';

/** A device that has no room for anything. */
const full = '/dev/full';

/** Starts a command whose output goes into pipes, or to that device where it is named. */
function start(args: readonly string[], toDevice?: 'stdout' | 'stderr') {
  const device = toDevice ? openSync(full, 'w') : 'pipe';
  const pipeOr = (name: string) => (name === toDevice ? device : 'pipe');
  const stdio: StdioOptions = ['pipe', pipeOr('stdout'), pipeOr('stderr')];
  const child = spawn(process.execPath, [binary, ...args], { env: environment(), stdio });
  if (device !== 'pipe') closeSync(device);
  onTestFinished(() => void child.kill());
  return child;
}

test.skipIf(!existsSync(full))(
  'a command that cannot write its answer fails and says so',
  async () => {
    const child = start(['tools', '--json'], 'stdout');
    const printed = child.stderr && text(child.stderr);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await printed).toContain('the answer could not be written: ENOSPC\n');
  },
);

// Commander writes the help, and console.log the answer of a command.
test('a command whose reader has seen enough of its help ends quietly', async () => {
  const child = start(['--help']);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const printed = child.stderr && text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await printed).not.toMatch(/could not be written|EPIPE|\n\s+at /);
});

describe.skipIf(!existsSync(full))('a server', () => {
  test('a server goes on when its log cannot be written', async () => {
    const child = start(['stdio', '--sandbox', '--log-level', 'debug'], 'stderr');
    const call = (id: number, method: string, params: object) =>
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    for (let id = 2; id < 6; id += 1) call(id, 'tools/call', { name: 'list_shops', arguments: {} });
    let printed = '';
    for await (const part of child.stdout ?? []) {
      printed += part;
      if ([1, 2, 3, 4, 5].every((id) => printed.includes(`"id":${id}`))) break;
    }
    expect(child.exitCode).toBeNull();
  });
});
