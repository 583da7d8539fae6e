import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colorsOf } from '../../../src/analysis/figure/chart/theme.ts';
import type { FigureSeries } from '../../../src/analysis/figure/figure.ts';
import { missingBrowser, startBrowser, type TestBrowser } from './browser.ts';
import { readBars, readLine } from './drawn.ts';
import { days, figureOf, live, resultOf, shops } from './samples.ts';

const [blue = '', orange = ''] = colorsOf.light.series;

describe.skipIf(missingBrowser)('the picture in a browser (needs chromium)', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test('draws bars as long as the numbers are large', async () => {
    const { page, troubles } = await browser.open(shops);
    const lengths = [];
    for (const color of [blue, orange]) {
      const bars = await readBars(page, color);
      lengths.push(bars.map(({ width }) => width));
      expect(bars.map(({ y }) => y)).toEqual(bars.map(({ y }) => y).sort((a, b) => a - b));
    }
    const [current, reference] = shops.series;
    const scale = Number(lengths[0]?.[0]) / Number(current?.values[0]);
    expect(lengths[0]).toEqual(scaled(current, scale));
    expect(lengths[1]).toEqual(scaled(reference, scale));
    expect(troubles).toEqual([]);
  });

  test('draws lines through the numbers, and a gap where there is none', async () => {
    const { page, troubles } = await browser.open(days);
    expect(days.axis.labels).toHaveLength(90);
    for (const [index, color] of [blue, orange].entries()) {
      const pieces = await readLine(page, color);
      const points = pieces.flat();
      const values = (days.series[index]?.values ?? [])
        .filter((value) => value !== null)
        .map(Number);
      expect(points).toHaveLength(values.length);
      // Empty days and days without a row part the line.
      expect(pieces).toHaveLength(index === 0 ? 2 : 3);
      const [low, high] = [
        values.indexOf(Math.min(...values)),
        values.indexOf(Math.max(...values)),
      ];
      const perPixel =
        (Number(values[high]) - Number(values[low])) /
        (Number(points[low]?.y) - Number(points[high]?.y));
      for (const [at, { y }] of points.entries()) {
        const read = Number(values[low]) + (Number(points[low]?.y) - y) * perPixel;
        expect(Math.abs(read - Number(values[at]))).toBeLessThan(perPixel);
      }
      const step = (Number(points.at(-1)?.x) - Number(points[0]?.x)) / 89;
      expect(Number(points[60]?.x) - Number(points[59]?.x)).toBeCloseTo(
        step * (index === 0 ? 4 : 1),
        1,
      );
    }
    expect(troubles).toEqual([]);
  });

  test('shows marks, legend and days in the words of the reader', async () => {
    const dutch = await browser.open(shops, { locale: 'nl-NL' });
    const texts = await dutch.page.locator('.canvas svg text').allTextContents();
    expect(texts).toContain('Verzonnen cijfers (sandbox) · Niet volledig');
    expect(texts).toContain('reference');
    expect(texts.map((text) => text.replaceAll(/\s/g, ' '))).toContain('€ 14.354,85');
    const lines = await browser.open(days, { locale: 'nl-NL' });
    expect(await lines.page.locator('.canvas svg text').allTextContents()).toContain('ma 24 aug');
  });

  test('is drawn again for another theme and another width, and keeps what was opened', async () => {
    const { page, view, troubles } = await browser.embed({ context: { theme: 'light' } });
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(days));
    const svg = view.locator('.canvas svg');
    await expect.poll(() => readLine(view, blue)).not.toEqual([]);
    await view.getByText('Table', { exact: true }).click();
    const before = await svg.getAttribute('width');

    await page.evaluate(() => window.host.bridge.sendHostContextChange({ theme: 'dark' }));
    const darkBlue = colorsOf.dark.series[0] ?? '';
    await expect.poll(() => readLine(view, darkBlue)).not.toEqual([]);
    expect(await view.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(26, 29, 35)',
    );
    await page.setViewportSize({ width: 360, height: 900 });
    await expect.poll(() => svg.getAttribute('width')).not.toBe(before);
    expect(await view.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await expect(view.locator('details').getAttribute('open')).resolves.toBe('');
    expect(troubles).toEqual([]);
  });

  test('is read with the arrow keys', async () => {
    const { page } = await browser.open(shops);
    const spoken = page.locator('.spoken');
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => spoken.textContent())
      .toBe('Groningen: current €14,354.85; reference €10,731.57');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => spoken.textContent())
      .toBe('Rotterdam: current -€812.34; reference €120.50');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
    await expect.poll(() => spoken.textContent()).toBe('Den Haag: current €12,980.58; reference –');
    await expect(spoken.getAttribute('aria-live')).resolves.toBe('polite');
  });

  test('shows the exact number when pointed at', async () => {
    const exact = figureOf({
      columns: [
        { name: 'shop', type: 'VARCHAR' },
        { name: 'turnover', type: 'DECIMAL(38,2)' },
      ],
      rows: [{ shop: 'Webshop', turnover: '12345678901234567.89' }],
      unit: 'euro',
      notes: live,
    });
    const { page } = await browser.open(exact);
    await page.locator('.canvas svg').hover();
    await expect
      .poll(() => page.locator('.canvas').textContent())
      .toContain('€12,345,678,901,234,567.89');
  });

  test.each(['reduce', 'no-preference'] as const)(
    'moves only for those who like it: %s',
    async (reducedMotion) => {
      const { page } = await browser.open(shops, { reducedMotion });
      const first = await readBars(page, blue);
      await expect
        .poll(async () => (await readBars(page, blue)).map(({ width }) => Math.round(width))[0])
        .toBeGreaterThan(300);
      if (reducedMotion === 'reduce') expect(await readBars(page, blue)).toEqual(first);
    },
  );
});

/** Lengths in pixels; a bar that is not there has none. */
function scaled(series: FigureSeries | undefined, scale: number) {
  return series?.values
    .filter((value) => value !== null)
    .map((value) => expect.closeTo(Number(value) * scale, 0));
}
