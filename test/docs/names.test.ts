import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { clients } from '../../src/cli/commands/connect/clients.ts';
import { commands } from '../../src/cli/commands.ts';
import { runHere } from '../cli/run-here.ts';

/**
 * Words that fetch a package from a registry, and what they fetch. The bare name belongs to somebody else:
 * whatever lies there would be started with an API secret in its environment.
 */
const fetching =
  /\b(?:npx|npm (?:i|install|exec|add|init)|pnpm (?:dlx|add)|yarn (?:dlx|add)|bunx|bun (?:x|add)|deno run)\b[^\n]{0,60}?(?:"\s*,\s*"|\s)((?:@commerce-mcp\/|npm:)?(?:commerce-mcp|server)\b(?!\.mcpb)[^\s"'`]*)/g;

/** What a text tells to fetch and may not. */
function wronglyFetched(text: string): string[] {
  // Entries of clients have their words on lines of their own.
  const line = text.replaceAll(/",\s*"/g, '", "').replaceAll(/"args": \[\s*"/g, '"args": ["');
  return [...line.replaceAll(/"command": "npx",\s*/g, 'npx ').matchAll(fetching)]
    .map(([, name = '']) => name)
    .filter((name) => !(packageJson.published && name === packageJson.name));
}

const files = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'manifest.json',
  'server.json',
  ...readdirSync('docs').map((file) => join('docs', file)),
  ...readdirSync('prompts').map((file) => join('prompts', file)),
  ...readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', file)),
];

describe('a name of ours', () => {
  test.each(files)('is fetched from no registry in %s', (file) => {
    expect(wronglyFetched(readFileSync(file, 'utf8'))).toEqual([]);
  });

  test.each<[args: string[]]>([
    [['--help']],
    ...Object.keys(commands).map((name): [string[]] => [[name, '--help']]),
    ...clients.map(({ id }): [string[]] => [['connect', id, '--print']]),
    [['stdio']],
    [['nonsense']],
    [['doctor']],
    [['doctor', '--sandbox']],
    [['connect']],
    [['tools']],
    [['call', 'get_mee']],
    [['call', 'list_orders', 'period=yesterday', 'shop_id=utrecht', '--sandbox']],
  ])('is fetched from no registry in what %j prints', async (args) => {
    const { stdout, stderr } = await runHere(args);
    expect(stdout + stderr).not.toBe('');
    expect(wronglyFetched(stdout + stderr)).toEqual([]);
  });
});
