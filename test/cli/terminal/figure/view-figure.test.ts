import stringWidth from 'string-width';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { viewFigure } from '../../../../src/cli/terminal/figure/view-figure.ts';
import { days, figureOf, live, markup, shops } from '../../../views/figure/samples.ts';

afterEach(() => vi.unstubAllEnvs());

function plain(figure: typeof shops, width: number, locale: 'nl' | 'en' = 'en'): string[] {
  vi.stubEnv('NO_COLOR', '1');
  return viewFigure(figure, { width, locale });
}

describe('a figure in a terminal', () => {
  test.each([48, 80, 200])('stays within %i cells', (width) => {
    for (const figure of [shops, days, markup])
      for (const line of plain(figure, width)) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  test('has a bar for each number, with its name and the number in full', () => {
    const lines = plain(shops, 80);
    const line = lines.find((it) => it.startsWith('Groningen')) ?? '';
    expect(line).toMatch(/^Groningen +current +€14,354\.85 +█+/);
    const below = lines[lines.indexOf(line) + 1] ?? '';
    expect(below).toMatch(/^ +reference +€10,731\.57 +▒+$/);
  });

  test('draws a course as a sparkline between its ends, with gaps where nothing is', () => {
    const lines = plain(days, 130);
    expect(lines.find((line) => line.startsWith('last year'))).toMatch(/[▁-█] {5,}[▁-█]/);
    expect(lines.join('\n')).toMatch(/Sat 22 Aug .*Thu 19 Nov/);
  });

  test('says what must not be missed, in the language of the reader', () => {
    const text = plain(shops, 80, 'nl').join('\n');
    expect(text).toContain('Verzonnen cijfers (sandbox). Niet volledig.');
    expect(text).toContain('Let op: today is not over');
  });

  test('says how many bars there are that it does not show', () => {
    const figure = figureOf({
      columns: [
        { name: 'label', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
      rows: Array.from({ length: 100 }, (_, n) => ({ label: `label ${n}`, n: 100 - n })),
      notes: live,
    });
    const lines = plain(figure, 80);
    expect(lines).toContain('… 40 more: add --json');
    expect(lines.filter((line) => line.startsWith('label '))).toHaveLength(60);
  });

  test('has no colour unless the surroundings want it', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(plain(shops, 80).join('')).not.toMatch(/\u001b/);
  });
});
