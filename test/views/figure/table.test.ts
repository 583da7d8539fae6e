import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Figure } from '../../../src/analysis/figure/figure.ts';
import { missingBrowser, startBrowser, type TestBrowser } from './browser.ts';
import { markup, resultOf, shops } from './samples.ts';

describe.skipIf(missingBrowser)('the table of a figure in a browser (needs chromium)', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test('keeps its labels readable in a narrow pane, and scrolls by itself', async () => {
    const { page } = await browser.open(shops);
    await page.setViewportSize({ width: 360, height: 700 });
    for (const label of await page.locator('tbody th').all())
      expect((await label.boundingBox())?.width).toBeGreaterThan(80);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThan(361);
  });

  test('is sorted by its headings, and says so', async () => {
    const { page } = await browser.open(shops);
    const names = () => page.locator('tbody th').allInnerTexts();
    const heading = page.getByRole('columnheader', { name: 'reference' });
    await heading.getByRole('button').click();
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    const [first, second, ...others] = await names();
    expect([first, second, others.at(-1)]).toEqual(['Rotterdam', 'Utrecht Oost', 'Den Haag']);
    await heading.getByRole('button').press('Enter');
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    expect([(await names()).at(0), (await names()).at(-1)]).toEqual(['Haarlem', 'Den Haag']);
    await page.getByRole('columnheader', { name: 'shop' }).getByRole('button').click();
    expect(await heading.getAttribute('aria-sort')).toBeNull();
    expect((await names()).at(0)).toBe('Amsterdam Centrum');
  });

  test('is saved as CSV by a page that stands alone', async () => {
    const { page, troubles } = await browser.open(shops);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('figure.csv');
    expect(await page.locator('.said').textContent()).toBe('Saved.');
    expect(troubles).toEqual([]);
  });

  test('is handed as CSV to a host that saves files', async () => {
    const { page, view } = await browser.hand(resultOf(shops), {
      capabilities: { downloadFile: {} },
    });
    await view.getByRole('button', { name: 'Save CSV' }).click();
    const resource = { uri: 'file:///figure.csv', mimeType: 'text/csv', text: csvOf(shops) };
    await expect
      .poll(() => page.evaluate(() => window.host.downloads))
      .toEqual([{ contents: [{ type: 'resource', resource }] }]);
  });

  test('is shown as CSV to be copied where nothing can be saved', async () => {
    const { view } = await browser.hand(resultOf(shops));
    const area = view.getByLabel('The table as CSV');
    expect(await area.isVisible()).toBe(false);
    await view.getByRole('button', { name: 'Save CSV' }).click();
    // A text area ends its lines in its own way.
    const csv = csvOf(shops).replaceAll('\r\n', '\n');
    expect(await area.inputValue()).toBe(csv);
    const selected = await area.evaluate((it) =>
      it instanceof HTMLTextAreaElement ? it.selectionEnd - it.selectionStart : 0,
    );
    expect(selected).toBe(csv.length);
  });

  test('takes no name for a formula or for markup', async () => {
    const { page, troubles } = await browser.open(markup);
    expect(await page.title()).toBe(markup.title);
    expect(await page.locator('tbody th').allInnerTexts()).toEqual([
      '<i>Bar</i> & "Zaal"',
      '=SUM(A1)',
    ]);
    await page.locator('.stage').press('Home');
    await expect.poll(() => page.locator('.canvas').textContent()).toContain('<i>Bar</i> & "Zaal"');
    expect(await page.locator('img, i, b').count()).toBe(0);
    await page.getByRole('button', { name: 'Copy' }).click();
    expect(await page.getByLabel('The table as CSV').inputValue()).toBe(
      '<b>shop</b>,sold\n"<i>Bar</i> & ""Zaal""",3\n\'=SUM(A1),2\n',
    );
    expect(troubles).toEqual([]);
  });
});

function csvOf({ axis, series }: Figure): string {
  const lines = axis.labels.map((label, index) => [
    label,
    ...series.map(({ values }) => values[index] ?? ''),
  ]);
  return [[axis.name, ...series.map(({ name }) => name)], ...lines]
    .map((line) => `${line.join(',')}\r\n`)
    .join('');
}
