import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { binary, environment } from '../spawn.ts';

/** Starts the program in this Node, which says that it is another one. */
function startAs(version: string) {
  const claim = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${claim}`, binary, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: environment(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each(['10.24.1', '18.20.8', '20.18.3'])(
  'Node %s is told in one line which Node is needed',
  (version) => {
    const { status, stdout, stderr } = startAs(version);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const needed = packageJson.engines.node.replace('>=', '');
    expect(stderr).toMatch(`commerce-mcp needs Node ${needed} or newer, this is `);
    expect(stderr).toMatch(/ \(\S+\)\. Get one at https:\/\/nodejs\.org\n$/);
    expect(stderr.split('\n')).toHaveLength(2);
  },
);

test.each(['20.19.0', '22.0.0', '30.0.0'])('Node %s runs the program', (version) => {
  expect(startAs(version)).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test('an older Node can read the first file as a script', () => {
  const text = readFileSync(binary, 'utf8');
  expect(() => new Script(text)).not.toThrow();
  expect(text).not.toMatch(/\?\?|\?\.|\bawait\b/);
});
