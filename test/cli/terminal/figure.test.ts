import stringWidth from 'string-width';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { decideFigure } from '../../../src/analysis/figure/decide-figure.ts';
import { viewResult } from '../../../src/cli/terminal/answer.ts';
import { drawFigure } from '../../../src/cli/terminal/figure.ts';
import { days, markup, shops } from '../../views/figure/samples.ts';

afterEach(() => vi.unstubAllEnvs());

function plain(figure: typeof shops, width: number, locale: 'nl' | 'en' = 'en'): string[] {
  vi.stubEnv('NO_COLOR', '1');
  const result = { content: [], structuredContent: { figure } };
  return viewResult(result, { flags: [], width, locale });
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

  test('draws a course between its ends, with gaps where nothing is, on one scale that it names', () => {
    const lines = plain(days, 130);
    expect(lines.find((line) => line.startsWith('last year'))).toMatch(/[▁-█] {5,}[▁-█]/);
    expect(lines.join('\n')).toMatch(/Sat 22 Aug .*Thu 19 Nov\nAll lines share one scale\./);
  });

  test('says what must not be missed, in the language of the reader', () => {
    const text = plain(shops, 80, 'nl').join('\n');
    expect(text).toContain('Verzonnen cijfers (sandbox). Niet volledig.');
    expect(text).toContain('Let op: today is not over');
  });

  test('has no colour unless the surroundings want it', () => {
    expect(plain(shops, 80).join('')).not.toContain('\u001b');
  });
});

const view = { width: 60, locale: 'en' } as const;
const labels = { shop_id: { '1': 'Webshop', '2': 'Café Perron' } };

/** The drawing of the figure that rows are. */
function drawRows(rows: readonly Record<string, string | number>[], names = {}): string[] {
  const columns = Object.entries(rows[0] ?? {}).map(([name, value]) => {
    return { name, type: typeof value === 'number' && name !== 'shop_id' ? 'DOUBLE' : 'VARCHAR' };
  });
  const notes = { source: 'live', complete: true, warnings: [] } as const;
  const decided = decideFigure({ columns, rows, labels: names, isOrdered: true, notes });
  return 'figure' in decided ? drawFigure(decided.figure, view) : expect.unreachable();
}

/** The drawing of a number for each of these names or days. */
function drawn(values: Record<string, number>): string[] {
  const rows = Object.entries(values).map(([name, value]) => ({ name, value }));
  return drawRows(rows).map((line) => line.replace(/ +/g, ' '));
}

describe('the drawing of rows', () => {
  test('shows the thinnest bar where there is little, none where there is nothing', () => {
    expect(drawn({ a: 1000, b: 0.01, c: 0 }).map((line) => line.at(-1))).toEqual(['█', '▏', '0']);
  });

  test('draws below nothing to the left', () => {
    const rows = [
      { name: 'a', value: 6 },
      { name: 'b', value: -2 },
    ];
    const [above = '', below = ''] = drawRows(rows);
    expect(above.indexOf('█')).toBe(below.lastIndexOf('█') + 1);
  });

  test('is a course where the rows are days, and a day without rows is a gap', () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({
      day: `2026-10-${String(at + 1).padStart(2, '0')}`,
      turnover: 100 + at,
    }));
    const [course, ends] = drawRows(rows.toSpliced(10, 5));
    expect(course).toMatch(/^turnover +100 – 129 +▁[▁-█]{9} {5}[▁-█]{14}█$/);
    expect(ends).toMatch(/Thu 1 Oct +Fri 30 Oct/);
  });

  test('has a line for each id with a name', () => {
    const rows = [1, 2, 3].flatMap((day) =>
      [1, 2].map((shop_id) => ({ day: `2026-10-0${day}`, shop_id, turnover: day + 0.5 })),
    );
    const names = drawRows(rows, labels).map((line) => line.replace(/ {2}.*/, ''));
    expect(names.slice(0, 2)).toEqual(['Café Perron', 'Webshop']);
  });

  test('has its lines in one order, whatever the order of the rows', () => {
    const rows = ['b', 'a', 'c'].flatMap((shop, at) =>
      [1, 2, 3].map((day) => ({ day: `2026-10-0${day}`, shop, turnover: at * day + 1 })),
    );
    const lines = drawRows(rows);
    expect(lines.slice(0, 3).map((line) => line[0])).toEqual(['a', 'b', 'c']);
    expect(drawRows(rows.toReversed())).toEqual(lines);
  });
});
