import { expect, onTestFinished, test, vi } from 'vitest';
import { ask, scenes } from '../../../src/cli/commands/demo.ts';
import { serverOver } from '../../server-over.ts';
import { runHere } from '../run-here.ts';

const nothing = /undefined|NaN|\bnull\b|\[object/;

test.each([
  ['the first minutes of a year', '2027-01-01T00:01:00+01:00'],
  ['the day on which the clocks go forward', '2026-03-29T03:00:00+02:00'],
  ['the last day of February', '2028-02-29T12:00:00+01:00'],
])('the demo has an answer to everything on %s', async (_, moment) => {
  const { client } = await serverOver('memory', {
    ordersPerDay: 4,
    now: () => Date.parse(moment),
  });
  for (const scene of scenes) {
    const lines = await ask(client, scene);
    expect(lines.length, scene[0]).toBeGreaterThan(1);
    expect(lines.join('\n'), scene[0]).not.toMatch(nothing);
  }
});

test('an exchange that documents show is as wide as they ask, however wide the terminal', async () => {
  const { client } = await serverOver('memory');
  const [scene = expect.unreachable('no question')] = scenes;
  vi.stubGlobal('process', { ...process, stdout: { ...process.stdout, columns: 200 } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const widest = (lines: string[]) => Math.max(...lines.map((line) => line.length));
  expect(widest(await ask(client, scene, 78))).toBeLessThanOrEqual(78);
  expect(widest(await ask(client, scene))).toBeGreaterThan(78);
});

test('the demo shows its answers within 80 columns and leaves with 0', async () => {
  const { code, stdout, stderr } = await runHere(['demo']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // Nothing is fetched from a registry: who owns the name there is another matter.
  expect(stdout).not.toMatch(/\bnp[mx] /);
  // The path of the program is as long as it is.
  const lines = stdout.split('\n').map((it) => it.replace(/node \S+cli\.js/, 'commerce-mcp'));
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
});
