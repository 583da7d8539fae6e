import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingBrowser, startBrowser, type TestBrowser } from './browser.ts';
import { figureOf, live, markup, resultOf, shops } from './samples.ts';

describe.skipIf(missingBrowser)('the table in a browser (needs chromium)', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test('has every number of the figure', async () => {
    const { page } = await browser.open(shops);
    const rows = await page.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t'))).toEqual(
      shops.axis.labels.map((label, index) => [
        label,
        ...shops.series.map(({ values }) => euros(values[index])),
      ]),
    );
  });

  test('keeps its labels readable in a narrow pane, and scrolls by itself', async () => {
    const names = ['Webshop', 'Utrecht Oost', 'Groothandel', 'Restaurant IJzicht', 'Café Perron'];
    const { page } = await browser.open(
      figureOf({
        columns: [
          { name: 'week', type: 'DATE' },
          ...names.map((name) => ({ name, type: 'DECIMAL(18,2)' })),
        ],
        rows: ['2026-11-02', '2026-11-09'].map((week) => ({
          week,
          ...Object.fromEntries(names.map((name) => [name, '8502.04'])),
        })),
        unit: 'euro',
        notes: live,
      }),
    );
    await page.setViewportSize({ width: 360, height: 700 });
    for (const label of await page.locator('tbody th').all())
      expect((await label.boundingBox())?.width).toBeGreaterThan(80);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      360,
    );
  });

  test('is sorted by its headings, and says so', async () => {
    const { page } = await browser.open(shops);
    const names = () => page.locator('tbody th').allInnerTexts();
    const heading = page.getByRole('columnheader', { name: 'reference' });
    await heading.getByRole('button').click();
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    expect(await names()).toEqual([
      'Rotterdam',
      'Utrecht Oost',
      'Webshop',
      'Amsterdam Centrum',
      'Groningen',
      'Haarlem',
      'Den Haag',
    ]);
    await heading.getByRole('button').press('Enter');
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    expect((await names()).at(0)).toBe('Haarlem');
    expect((await names()).at(-1)).toBe('Den Haag');
    const label = page.getByRole('columnheader', { name: 'shop' });
    await label.getByRole('button').click();
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
    const { page, view } = await browser.embed({ capabilities: { downloadFile: {} } });
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
    await view.getByRole('button', { name: 'Save CSV' }).click();
    await expect
      .poll(() => page.evaluate(() => window.host.downloads))
      .toEqual([
        {
          contents: [
            {
              type: 'resource',
              resource: { uri: 'file:///figure.csv', mimeType: 'text/csv', text: csvOf(shops) },
            },
          ],
        },
      ]);
  });

  test('is shown as CSV to be copied where nothing can be saved', async () => {
    const { page, view } = await browser.embed();
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
    const text = view.getByLabel('The table as CSV');
    expect(await text.isVisible()).toBe(false);
    await view.getByRole('button', { name: 'Save CSV' }).click();
    // A text area ends its lines in its own way.
    expect(await text.inputValue()).toBe(csvOf(shops).replaceAll('\r\n', '\n'));
    const selected = await text.evaluate((area) =>
      area instanceof HTMLTextAreaElement ? area.selectionEnd - area.selectionStart : 0,
    );
    expect(selected).toBe((await text.inputValue()).length);
  });

  test('takes no name for a formula or for markup', async () => {
    const { page, troubles } = await browser.open(markup);
    expect(await page.title()).toBe(markup.title);
    expect(await page.getByRole('heading').textContent()).toBe(markup.title);
    expect(await page.locator('tbody th').allInnerTexts()).toEqual([
      '<i>Bar</i> & "Zaal"',
      '=SUM(A1)',
    ]);
    expect(await page.locator('img, i, b').count()).toBe(0);
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

function csvOf({ axis, series }: typeof shops): string {
  const rows = axis.labels.map((label, index) => [
    label,
    ...series.map(({ values }) => values[index] ?? ''),
  ]);
  const lines = [[axis.name, ...series.map(({ name }) => name)], ...rows];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

function euros(value: number | string | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return Number(value).toLocaleString('en-IE', { style: 'currency', currency: 'EUR' });
}
