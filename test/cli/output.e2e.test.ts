import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { binary, environment } from '../spawn.ts';

/** A device that has no room for anything. */
const full = '/dev/full';

function start(args: readonly string[], stdout: number | 'pipe', stderr: number | 'pipe') {
  const child = spawn(process.execPath, [binary, ...args], {
    env: environment(),
    stdio: ['pipe', stdout, stderr],
  });
  onTestFinished(() => void child.kill());
  return child;
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const part of stream ?? []) text += part;
  return text;
}

describe('a command', () => {
  test.skipIf(!existsSync(full)).each([[['tools', '--json']], [['--help']]])(
    '%j that cannot write its answer fails and says so',
    async (args) => {
      const device = openSync(full, 'w');
      const child = start(args, device, 'pipe');
      closeSync(device);
      const said = textOf(child.stderr);
      const [code] = await once(child, 'exit');
      expect(code).toBe(1);
      expect(await said).toContain('the answer could not be written: ENOSPC\n');
    },
  );

  test.each([[['tools', '--json']], [['--help']]])(
    '%j whose reader has seen enough ends quietly',
    async (args) => {
      const child = start(args, 'pipe', 'pipe');
      child.stdout?.once('data', () => child.stdout?.destroy());
      const said = textOf(child.stderr);
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
      expect(await said).not.toMatch(/could not be written|EPIPE|\n\s+at /);
    },
  );
});

describe.skipIf(!existsSync(full))('a server', () => {
  test('goes on serving when its log cannot be written', async () => {
    const device = openSync(full, 'w');
    const child = start(['stdio', '--sandbox', '--log-level', 'debug'], 'pipe', device);
    closeSync(device);
    const call = (id: number, method: string, params: object) =>
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    for (let id = 2; id < 6; id += 1) call(id, 'tools/call', { name: 'list_shops', arguments: {} });
    let text = '';
    for await (const part of child.stdout ?? []) {
      text += part;
      if ([1, 2, 3, 4, 5].every((id) => text.includes(`"id":${id}`))) break;
    }
    expect(child.exitCode).toBeNull();
  });
});
