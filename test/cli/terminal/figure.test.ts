import stringWidth from 'string-width';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { showFigure } from '../../../src/analysis/show-figure.ts';
import { viewResult } from '../../../src/cli/terminal/answer.ts';
import { personReader } from '../../../src/cli/terminal/catalogue/catalogue.ts';
import { drawRows } from '../../../src/cli/terminal/figure.ts';
import { days, markup, shops, usual } from '../../views/figure/samples.ts';

const { say } = personReader();

afterEach(() => vi.unstubAllEnvs());

function plain(figure: typeof shops, width: number, locale: 'nl' | 'en' = 'en'): string[] {
  vi.stubEnv('NO_COLOR', '1');
  const result = { content: [], structuredContent: { figure, context: {} } };
  return viewResult(result, { tool: showFigure, input: {}, flags: [], width, locale });
}

describe('a figure in a terminal', () => {
  test.each([48, 80, 200])('stays within %i cells', (width) => {
    for (const figure of [shops, days, markup, usual])
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
    const at = lines.indexOf(say({ code: 'one_scale' }));
    expect(lines[at - 1]).toMatch(/Sat 22 Aug .*Thu 19 Nov$/);
  });

  test('marks what lies outside a band above and below its lines', () => {
    const lines = plain(usual, 100);
    const course = lines.find((line) => line.startsWith('turnover')) ?? '';
    expect(lines.some((line) => /^low +€4,000 – €4,000 +▁*/.test(line))).toBe(true);
    const marks = lines.find((line) => line.includes('▼')) ?? '';
    expect(marks.trim()).toMatch(/^▼ +▲$/);
    // The lowest of the line is over its mark.
    expect(course[marks.indexOf('▼')]).toBe('▁');
    expect(course[marks.indexOf('▲')]).toBe('█');
    expect(lines).toContain(say({ code: 'signs_outside' }));
  });

  test('shades the cells of a bar that lie in the band', () => {
    vi.stubEnv('NO_COLOR', '1');
    const rows = [
      { shop: 'A', turnover: 40.5, low: 20.5, high: 80 },
      { shop: 'B', turnover: 10.5, low: 20.5, high: 40.5 },
      { shop: 'C', turnover: 80, low: 20.5, high: 40.5 },
    ];
    const [within = '', below = '', above = '', legend] = drawRows(rows, {}, view);
    expect(within).toMatch(/^A +40\.5 +█+▓+░+$/);
    expect(below).toMatch(/^B +10\.5 +█+ +░+$/);
    expect(above).toMatch(/^C +80\.0 +█+▓+█+$/);
    expect(legend).toBe(say({ code: 'signs_band' }));
  });

  test('explains no sign that it does not have', () => {
    for (const figure of [shops, days]) expect(plain(figure, 80).join('\n')).not.toMatch(/[▲░] /);
  });

  test('says what must not be missed', () => {
    const text = plain(shops, 80, 'nl').join('\n');
    expect(text).toContain('Invented data (sandbox). Not complete.');
    expect(text).toContain('Note: today is not over');
  });

  test('has no colour unless the surroundings want it', () => {
    expect(plain(shops, 80).join('')).not.toContain('\u001b');
  });
});

const view = { width: 60, locale: 'en' } as const;
const perShop = [
  { shop_id: 1, orders: 3, turnover: 79.95 },
  { shop_id: 2, orders: 1, turnover: 20 },
];
/** Rows of a name and a number each. */
const named = (values: Record<string, number>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));
const labels = { shop_id: { '1': 'Webshop', '2': 'Café Perron' } };

/** The drawing of a number for each of these names or days. */
function drawn(values: Record<string, number>): string[] {
  return drawRows(named(values), {}, view).map((line) => line.replace(/ +/g, ' '));
}

describe('the drawing beneath rows', () => {
  test('has a bar for each, in their order, with the names that ids stand for', () => {
    const rows = perShop.map(({ shop_id, turnover }) => ({ shop_id, turnover }));
    const lines = drawRows(rows.toReversed(), labels, view);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Café Perron +20\.00 +█+/);
    expect(lines[1]).toMatch(/^Webshop +79\.95 +█{20,}/);
  });

  test('shows the thinnest bar where there is little, none where there is nothing', () => {
    expect(drawn({ a: 1000, b: 0.01, c: 0 }).map((line) => line.at(-1))).toEqual(['█', '▏', '0']);
  });

  test('draws below nothing to the left', () => {
    const [above = '', below = ''] = drawRows(named({ a: 6, b: -2 }), {}, view);
    expect(above.indexOf('█')).toBe(below.lastIndexOf('█') + 1);
  });

  test('is a course where the rows are days, and a day without rows is a gap', () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({
      day: `2026-10-${String(at + 1).padStart(2, '0')}`,
      turnover: 100 + at,
    }));
    const [course, ends] = drawRows(rows.toSpliced(10, 5), {}, view);
    expect(course).toMatch(/^turnover +100 – 129 +▁[▁-█]{9} {5}[▁-█]{14}█$/);
    expect(ends).toMatch(/Thu 1 Oct +Fri 30 Oct/);
  });

  test('has a line for each id with a name', () => {
    const rows = [1, 2, 3].flatMap((day) =>
      [1, 2].map((shop_id) => ({ day: `2026-10-0${day}`, shop_id, turnover: day + 0.5 })),
    );
    const names = drawRows(rows, labels, view).map((line) => line.replace(/ {2}.*/, ''));
    expect(names.slice(0, 2)).toEqual(['Café Perron', 'Webshop']);
  });

  test('has its lines in one order, whatever the order of the rows', () => {
    const rows = ['b', 'a', 'c'].flatMap((shop, at) =>
      [1, 2, 3].map((day) => ({ day: `2026-10-0${day}`, shop, turnover: at * day + 1 })),
    );
    const lines = drawRows(rows, {}, view);
    expect(lines.slice(0, 3).map((line) => line[0])).toEqual(['a', 'b', 'c']);
    expect(drawRows(rows.toReversed(), {}, view)).toEqual(lines);
  });

  test.each<[string, Parameters<typeof drawRows>[0]]>([
    ['one row', perShop.slice(0, 1)],
    ['rows without numbers', [{ name: 'a' }, { name: 'b' }]],
    [
      'rows whose only numbers are ids',
      [1, 2].map((order_id) => ({ name: `a${order_id}`, order_id })),
    ],
    ['labels that come twice', [1, 2].map((n) => ({ name: 'a', n }))],
    ['more rows than a screen', Array.from({ length: 41 }, (_, n) => ({ name: `a${n}`, n }))],
    ['nothing', []],
  ])('is none of %s', (_, rows) => {
    expect(drawRows(rows, {}, view)).toEqual([]);
  });
});
