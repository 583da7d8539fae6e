import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCommandLine } from '../../src/cli/arguments.ts';
import { listSettings, readConfig } from '../../src/config.ts';
import { fencedBlocks } from './markdown.ts';

const blocks = fencedBlocks('docs/deploy.md');

function block(language: string): string {
  return blocks.find((it) => it.language === language)?.text ?? expect.unreachable(language);
}

/** Settings as they would be read; the secrets lie in files that are not here. */
function settles(env: Record<string, string>): void {
  const known = listSettings().map(({ setting }) => setting.variable);
  for (const name of Object.keys(env))
    expect(known).toContain(name.replace(/(SECRET)_FILE$/, '$1'));
  readConfig({ env, readFile: () => 'a secret' });
}

describe('docs/deploy.md', () => {
  test('has a unit whose settings can be read, and whose command is one of ours', () => {
    const unit = block('ini');
    const pairs = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)];
    settles(Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])));
    const [, words = ''] = /^ExecStart=\S+node \S+cli\.js (.*)$/m.exec(unit) ?? [];
    expect(readCommandLine(words.split(' '))?.command).toBe('http');
  });

  test('has services whose settings can be read', () => {
    const { services } = parse(block('yaml'));
    settles(services['commerce-mcp'].environment);
    expect(services['commerce-mcp']).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  test('builds a container from files that there are', () => {
    const lines = block('dockerfile').split('\n');
    expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
    expect(lines).toContain('USER node');
    const copied = lines.flatMap((line) => /\/build\/(\S+) /.exec(line)?.[1] ?? []);
    const kept = execFileSync('git', ['ls-files', '--', ...copied], { encoding: 'utf8' });
    for (const path of copied.filter((it) => !/^(dist|node_modules)$/.test(it)))
      expect(kept).toContain(path);
  });

  test('names metrics that there are', () => {
    const sources = ['metrics', 'gauges']
      .map((file) => readFileSync(`src/mcp/http/${file}.ts`, 'utf8'))
      .join('\n');
    const text = readFileSync('docs/deploy.md', 'utf8');
    for (const [, name = ''] of text.matchAll(/`commerce_mcp_(\w+)`/g))
      expect(sources, name).toMatch(new RegExp(`(commerce_mcp_|')${name}'`));
  });
});
