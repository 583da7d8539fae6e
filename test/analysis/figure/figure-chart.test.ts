import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Figure, FigureNotes } from '../../../src/analysis/figure/figure.ts';
import { figureChart, init } from '../../../src/analysis/figure/figure-chart.ts';
import { runs } from '../../property-runs.ts';
import { byDay, byShop, drawn } from './requests.ts';

const style = { width: 640, theme: 'light', locale: 'nl' } as const;

/** The picture of a figure, as a page holds it. */
function svgOf(figure: Figure): string {
  const { option, height } = figureChart(figure, style);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: style.width, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function barsOf(
  values: readonly (number | null)[],
  rest: { title?: string; notes?: FigureNotes } = {},
): Figure {
  const rows = values.map((turnover, index) => [`Shop ${index}`, turnover]);
  return drawn(byShop, rows, { isOrdered: true, unit: 'euro', ...rest });
}

describe('figureChart', () => {
  test('draws each number to scale, and none for a gap', () => {
    const numbers = fc.array(fc.option(fc.integer({ min: -99_999, max: 99_999 })), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(numbers, (values) => {
        fc.pre(values.some((value) => value !== null && value !== 0));
        const svg = svgOf(barsOf(values));
        const widths = [...svg.matchAll(/d="M\S+ \S+l(\S+) 0l0 \S+l\S+ 0Z" fill="#2456c9"/g)].map(
          ([, width]) => Number(width),
        );
        const given = values.filter((value) => value !== null);
        expect(widths).toHaveLength(given.length);
        const largest = given.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
        const scale = Number(widths[given.indexOf(largest)]) / largest;
        for (const [index, value] of given.entries())
          expect(widths[index]).toBeCloseTo(value * scale, 0);
      }),
      { numRuns: runs(10) },
    );
  });

  test('carries marks and numbers in its text', () => {
    const notes: FigureNotes = {
      source: 'sandbox',
      complete: false,
      warnings: [],
    };
    const svg = svgOf(barsOf([1234.5, 20], { notes }));
    const text = svg.replaceAll(/[\u00a0\u202f]/g, ' ');
    expect(text).toContain('Invented data (sandbox) · Not complete');
    expect(text).toContain('€ 1.234,50');
    // One that is no name of a font in quotes would end the attribute that it stands in.
    expect(text).not.toMatch(/style="[^"]*"[A-Z]/);
  });

  test('holds no character that acts, whatever the names', () => {
    const all = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');
    const text = `${all}\u007f\u009b\u202e\u200b\ufffe\ud800`;
    const rows = [1, 2].map((turnover, at) => [`${text}${at}`, turnover]);
    const figure = drawn(byShop, rows, { unit: text });
    const svg = svgOf(figure);
    // What XML 1.0 has no place for, and what shows nothing.
    expect(svg).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Cs}|[\ufffe\uffff]/u);
    expect(svg).toContain('\\u0000\\u0001');
  });

  test('says how many of very many names it draws', () => {
    const svg = svgOf(barsOf(Array.from({ length: 120 }, (_, index) => index + 1)));
    expect(svg).toContain('Drawn: the first 40 of 120; all of them in the table');
  });
});

describe('a band', () => {
  const ends = { low: 'DOUBLE', high: 'DOUBLE' };
  /** Corners of the shapes with the colour of the band. */
  const areasOf = (svg: string) =>
    [...svg.matchAll(/<polygon points="([^"]+)" fill="#2456c9" fill-opacity="0.18"/g)].map(
      ([, points = '']) => {
        const numbers = points.split(' ').map(Number);
        return numbers.flatMap((x, at) => (at % 2 === 0 ? [[x, numbers[at + 1] ?? 0]] : []));
      },
    );

  test('is an area from each label to the next, none where an end is missing', () => {
    const rows = [5, 6, 7, 8].map((value, nth) => [
      ...[`2026-11-0${nth + 1}`, value, nth === 3 ? null : 4, nth === 3 ? null : 8],
    ]);
    const areas = areasOf(svgOf(drawn({ ...byDay, ...ends }, rows)));
    expect(areas).toHaveLength(2);
    const [[start = [], end = [], , up = []] = []] = areas;
    expect(start[1]).toBe(end[1]);
    expect(up[1]).toBeLessThan(start[1] ?? 0);
  });

  test('is a stripe for each bar, from low to high to the scale of the bars', () => {
    const rows = [
      ['A', 10, 5, 20],
      ['B', -4, -8, -2],
    ];
    const svg = svgOf(drawn({ ...byShop, ...ends }, rows, { isOrdered: true }));
    const widths = areasOf(svg)
      .map((corners) => corners.map(([x = 0]) => x))
      .map((xs) => Math.max(...xs) - Math.min(...xs));
    expect(widths).toHaveLength(2);
    expect(Number(widths[0]) / Number(widths[1])).toBeCloseTo(15 / 6, 1);
    expect(svg).toContain('low to high');
  });
});
