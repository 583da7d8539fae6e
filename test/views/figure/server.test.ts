import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colorsOf } from '../../../src/analysis/figure/chart/theme.ts';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { openInMemoryServer } from '../../mcp/in-memory-server.ts';
import { missingBrowser, startBrowser, type TestBrowser } from './browser.ts';
import { readBars } from './drawn.ts';

const [blue = ''] = colorsOf.light.series;

const input = {
  sql: "SELECT shop_id, sum(total_wt) AS turnover FROM list_orders(period := 'last_week') GROUP BY ALL",
  unit: 'euro',
  title: 'Turnover of last week',
};

describe.skipIf(missingBrowser)('the page before a real server (needs chromium)', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test("draws bars as long as the tool's numbers are large", async () => {
    const { client: server } = await openInMemoryServer();
    const result = await server.callTool({ name: 'show_figure', arguments: input });
    const { page, view, troubles } = await browser.embed({ server, context: { theme: 'light' } });
    await page.evaluate(
      (json) => window.host.bridge.sendToolResult(JSON.parse(json)),
      JSON.stringify(result),
    );
    await view.getByRole('heading', { name: input.title }).waitFor();
    await expect.poll(() => readBars(view, blue)).not.toEqual([]);
    const values = numbersIn(result.structuredContent);
    const lengths = (await readBars(view, blue)).map(({ width }) => width);
    const scale = Number(lengths[0]) / Number(values[0]);
    expect(values.length).toBeGreaterThan(3);
    expect(lengths).toHaveLength(values.length);
    for (const [at, length] of lengths.entries())
      expect(Math.abs(length - Number(values[at]) * scale)).toBeLessThan(1);
    const cells = await view.locator('tbody tr td').allTextContents();
    for (const value of values)
      expect(cells).toContain(
        new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' }).format(value),
      );
    expect(await view.locator('.canvas svg text').allTextContents()).toContain(
      'Invented data (sandbox)',
    );
    expect(troubles).toEqual([]);
  });

  test('asks the server again when its answer comes back emptied', async () => {
    const { client: server } = await openInMemoryServer();
    const { page, view, troubles } = await browser.embed({
      server,
      capabilities: { serverTools: {} },
    });
    await page.evaluate(async (input) => {
      await window.host.bridge.sendToolInput({ arguments: input });
      await window.host.bridge.sendToolResult({ content: [], structuredContent: {} });
    }, input);
    await view.getByRole('heading', { name: input.title }).waitFor();
    expect(await page.evaluate(() => window.host.calls)).toEqual([
      { name: 'show_figure', arguments: input },
    ]);
    await expect.poll(() => readBars(view, blue)).not.toEqual([]);
    expect(troubles).toEqual([]);
  });

  test('shows why there is no figure, and the table', async () => {
    const { client: server } = await openInMemoryServer();
    const sql = 'SELECT name FROM shops';
    const result = await server.callTool({ name: 'show_figure', arguments: { sql } });
    const { page, view, troubles } = await browser.embed({ server });
    await page.evaluate(
      (json) => window.host.bridge.sendToolResult(JSON.parse(json)),
      JSON.stringify(result),
    );
    await expect
      .poll(() => view.locator('.text').textContent())
      .toContain('There is nothing to draw');
    expect(await view.locator('.text').textContent()).toContain('Webshop');
    expect(troubles).toEqual([]);
  });
});

function numbersIn(structured: unknown): number[] {
  const figure = readFigure(Object(structured).figure);
  return (figure?.series[0]?.values ?? []).map(Number);
}
