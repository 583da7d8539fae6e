import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runHere } from '../run-here.ts';

/** What may stand in the last word. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runHere(['completion', 'words', '--', ...words]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  test.each([
    ['conn', ['connect']],
    ['connect c', ['claude-desktop', 'claude-code', 'cursor', 'codex']],
    ['tools get_d', ['get_daily_close']],
    ['call get_daily_close d', ['date=']],
    ['call list_orders period=last_w', ['period=last_week']],
    ['call compare_turnover by=l', ['by=location']],
    ['call --sandbox list_orders shop_id=utrecht', []],
    ['nonsense x', []],
    ['call list_orders shop_id=', []],
  ])('of %s is %j', async (words, found) => {
    expect(await complete(...words.split(' '))).toEqual(found);
  });

  test('knows the names of shops', async () => {
    const words = ['call', 'list_orders', '--sandbox', 'shop_id=utr'];
    expect(await complete(...words)).toEqual(['shop_id=Utrecht Centraal', 'shop_id=Utrecht Oost']);
  });

  test('in bash fills a word in, and quotes what has a space in it', async () => {
    const { stdout } = await runHere(['completion', 'bash']);
    const ask = (words: string[]) =>
      execFileSync('bash', [
        '--norc',
        '-c',
        `
        compopt() { :; }
        ${stdout}
        COMP_WORDS=(commerce-mcp ${words.join(' ')}); COMP_CWORD=${words.length}
        _commerce_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ]).toString();
    expect(ask(['doc'])).toBe('doctor\n');
    expect(ask(['call', 'list_orders', '--sandbox', 'shop_id=utrecht\\ o'])).toBe(
      'shop_id=Utrecht\\ Oost\n',
    );
  });

  test.each(['zsh', 'fish'])('is written for %s', async (shell) => {
    const { code, stdout } = await runHere(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('completion words --');
  });

  test('of another shell is wrong usage', async () => {
    const { code, stderr } = await runHere(['completion', 'cmd']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
