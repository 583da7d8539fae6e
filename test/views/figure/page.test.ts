import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { colorsOf } from '../../../src/analysis/figure/figure-chart.ts';
import { drawn } from '../../analysis/figure/requests.ts';
import { serverOver } from '../../server-over.ts';
import { missingBrowser, startBrowser, type TestBrowser, violations } from './browser.ts';
import { readBars, readLine } from './drawn.ts';
import { days, markup, resultOf, shops, usual } from './samples.ts';

const [blue = '', orange = ''] = colorsOf.light.series;

const emptied = { content: [], structuredContent: {} };

describe.skipIf(missingBrowser)('the page of figures in a browser (needs chromium)', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  describe('in a host', () => {
    test('waits, then shows the figure and says its natural height', async () => {
      const { page, view, troubles } = await browser.embed();
      expect(await view.getByRole('status').textContent()).toBe('Reading the figures…');
      await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
      await view.getByRole('heading', { name: 'Last week against the week before' }).waitFor();
      // Both at one time: while the picture is drawn the height changes.
      const isSaid = async () => {
        const [said, natural] = await Promise.all([
          page.evaluate(() => window.host.sizes.at(-1)?.height),
          view.locator('#view').evaluate((main) => Math.ceil(main.getBoundingClientRect().height)),
        ]);
        return said === natural;
      };
      await expect.poll(isSaid).toBe(true);
      const count = await page.evaluate(() => window.host.sizes.length);
      await page.setViewportSize({ width: 800, height: 500 });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      // A frame as high as was asked for is no reason to ask again.
      expect(await page.evaluate(() => window.host.sizes.length)).toBe(count);
      expect(troubles).toEqual([]);
    });

    test.each([
      ['what went wrong', { isError: true, content: [text('no <b>such</b> table')] }, 'no <b>such'],
      [
        'why nothing was drawn',
        { content: [text('No rows.')], structuredContent: { data: [] } },
        'No rows.',
      ],
      ['what it can of an answer that was not kept', emptied, 'Ask again'],
    ])('says %s', async (_, result, said) => {
      const { view, troubles } = await browser.hand(result);
      await expect.poll(() => view.locator('#view').textContent()).toContain(said);
      expect(troubles).toEqual([]);
    });

    test('says that the question was cancelled', async () => {
      const { page, view } = await browser.embed();
      await page.evaluate(() => window.host.bridge.sendToolCancelled({ reason: 'enough' }));
      await expect.poll(() => view.getByRole('status').textContent()).toContain('was cancelled');
    });

    test.each([
      [emptied, resultOf(days), 'Ninety days'],
      [{ content: [text('What was said')] }, resultOf(days), 'Ninety days'],
      [emptied, emptied, 'Ask again'],
    ])('asks again once when an answer comes back as %j', async (result, answer, said) => {
      const { page, view } = await browser.hand(result, {
        capabilities: { serverTools: {} },
        answer,
      });
      await expect.poll(() => view.locator('#view').textContent()).toContain(said);
      expect(await page.evaluate(() => window.host.calls)).toEqual([
        { name: 'show_figure', arguments: { sql: 'SELECT 1' } },
      ]);
    });

    test('asks on about a label where the host takes messages, and only there', async () => {
      const { page, view } = await browser.hand(resultOf(shops), {
        capabilities: { message: { text: {} } },
      });
      await view.getByRole('button', { name: 'Haarlem' }).click();
      await view.locator('.canvas svg text', { hasText: 'Webshop' }).click();
      const asked = (name: string) =>
        `Tell me more about “${name}” in “Last week against the week before”.`;
      await expect
        .poll(() => page.evaluate(() => window.host.messages))
        .toEqual(
          ['Haarlem', 'Webshop'].map((name) => ({ role: 'user', content: [text(asked(name))] })),
        );
      const silent = await browser.hand(resultOf(shops));
      await silent.view.getByRole('heading').waitFor();
      expect(await silent.view.getByRole('button', { name: 'Haarlem' }).count()).toBe(0);
      await silent.view.locator('.canvas svg text', { hasText: 'Webshop' }).click();
      expect(await silent.page.evaluate(() => window.host.messages)).toEqual([]);
    });

    test('draws a band, reads its ends and has them in the table', async () => {
      const { view, troubles } = await browser.hand(resultOf(usual));
      await view.getByRole('heading', { name: 'Against what is usual' }).waitFor();
      const areas = view.locator(`.canvas svg path[fill="${blue}"][fill-opacity="0.18"]`);
      // From each day to the next, without the day of which nothing is usual; and one in the legend.
      expect(await areas.count()).toBe(17 + 1);
      expect(await view.locator('.summary').textContent()).toContain(
        '2 of 19 outside low to high: Thu 5 Nov below, Fri 13 Nov above.',
      );
      await view.locator('.stage').press('Home');
      expect(await view.locator('.spoken').textContent()).toBe(
        'Sun 1 Nov: turnover €5,000.00; low €4,000.00; high €6,000.00',
      );
      expect(await view.locator('thead th').allTextContents()).toEqual([
        ...['bucket', 'turnover', 'low', 'high'],
      ]);
      expect(troubles).toEqual([]);
    });

    test("takes the host's forms and colours, and answers a farewell", async () => {
      const variables = { '--color-background-primary': 'light-dark(white, rgb(1, 2, 3))' };
      const { page, view, troubles } = await browser.hand(resultOf(shops), {
        context: { theme: 'dark', locale: 'nl-BE', styles: { variables } },
      });
      await view.getByRole('heading').waitFor();
      expect(await view.evaluate(() => document.documentElement.lang)).toBe('en');
      expect(await view.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        'rgb(1, 2, 3)',
      );
      expect(await page.evaluate(() => window.host.bridge.teardownResource({}))).toEqual({});
      expect(troubles).toEqual([]);
    });

    test('shows what a real server answers', async () => {
      const { ask } = await serverOver('memory');
      const sql =
        "SELECT shop_id, sum(total_wt) AS turnover FROM list_orders(period := 'last_week') GROUP BY ALL";
      const input = { sql, unit: 'euro', title: 'Turnover of last week' };
      const { body } = await ask('show_figure', input);
      const answer = { content: [], structuredContent: body };
      const { view, troubles } = await browser.hand(answer, { context: { theme: 'light' } });
      await view.getByRole('heading', { name: input.title }).waitFor();
      await expect.poll(() => readBars(view, blue)).not.toEqual([]);
      const figure = readFigure(body.figure);
      const values = (figure?.series[0]?.values ?? []).map(Number);
      expect(values.length).toBeGreaterThan(3);
      expectToScale(await readBars(view, blue), values);
      const cells = await view.locator('tbody tr td').allTextContents();
      expect(cells).toEqual(values.map(euros));
      expect(troubles).toEqual([]);
    });
  });

  describe('the picture', () => {
    test('draws lines through the numbers, and a gap where there is none', async () => {
      const { page, troubles } = await browser.open(days);
      for (const [index, color] of [blue, orange].entries()) {
        const pieces = await readLine(page, color);
        const points = pieces.flat();
        const given = days.series[index]?.values ?? [];
        const values = given.filter((value) => value !== null).map(Number);
        expect(points).toHaveLength(values.length);
        expect(pieces).toHaveLength(index === 0 ? 2 : 3);
        const ys = points.map(({ y }) => y);
        const perPixel =
          (Math.max(...values) - Math.min(...values)) / (Math.max(...ys) - Math.min(...ys));
        for (const [at, y] of ys.entries()) {
          const read = Math.min(...values) + (Math.max(...ys) - y) * perPixel;
          expect(Math.abs(read - Number(values[at]))).toBeLessThan(perPixel);
        }
        const step = (Number(points.at(-1)?.x) - Number(points[0]?.x)) / 89;
        const places = given.flatMap((value, place) => (value === null ? [] : [place]));
        for (const [at, place] of places.entries())
          expect(points[at]?.x).toBeCloseTo(Number(points[0]?.x) + place * step, 0);
      }
      expect(troubles).toEqual([]);
    });

    test('is drawn again for another theme and another width, and keeps what was opened', async () => {
      const { page, view, troubles } = await browser.hand(resultOf(days), {
        context: { theme: 'light' },
      });
      const svg = view.locator('.canvas svg');
      await expect.poll(() => readLine(view, blue)).not.toEqual([]);
      await view.getByText('Table', { exact: true }).click();
      const before = await svg.getAttribute('width');
      await page.evaluate(() => window.host.bridge.sendHostContextChange({ theme: 'dark' }));
      await expect.poll(() => readLine(view, colorsOf.dark.series[0] ?? '')).not.toEqual([]);
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
      for (const [key, said] of [
        ['ArrowRight', 'Groningen: current €14,354.85; reference €10,731.57'],
        ['End', 'Rotterdam: current -€812.34; reference €120.50'],
        ['ArrowLeft', 'Utrecht Oost: current €7,430.94; reference €8,197.53'],
        ['Home', 'Groningen: current €14,354.85; reference €10,731.57'],
      ] as const) {
        await page.keyboard.press(key);
        await expect.poll(() => spoken.textContent()).toBe(said);
      }
      await expect(spoken.getAttribute('aria-live')).resolves.toBe('polite');
    });

    test('shows the exact number when pointed at', async () => {
      const columns = { shop: 'VARCHAR', turnover: 'DECIMAL(38,2)' };
      const rows = [['Webshop', '12345678901.89']];
      const exact = drawn(columns, rows, { unit: 'euro' });
      const { page } = await browser.open(exact);
      await page.locator('.canvas svg').hover();
      await expect
        .poll(() => page.locator('.canvas').textContent())
        .toContain('€12,345,678,901.89');
    });

    test.each(['light', 'dark'] as const)('is open to everyone: %s', async (colorScheme) => {
      const { page } = await browser.open(days, { colorScheme });
      await page.locator('details').evaluate((details) => details.setAttribute('open', ''));
      expect(await violations(page.mainFrame())).toEqual([]);
      const { view } = await browser.hand(resultOf(shops), {
        capabilities: { message: { text: {} } },
        context: { theme: colorScheme },
      });
      await view.getByRole('heading').waitFor();
      expect(await violations(view)).toEqual([]);
    });

    test('prints light, with its whole table', async () => {
      const { page, troubles } = await browser.open(days, { colorScheme: 'dark' });
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('tbody tr').first().isVisible()).toBe(true);
      expect(await page.locator('summary').isVisible()).toBe(false);
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
      await page.emulateMedia({ media: 'screen' });
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
      expect(troubles).toEqual([]);
    });
  });

  describe('the table', () => {
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

    test('takes no name for markup', async () => {
      const { page, troubles } = await browser.open(markup);
      expect(await page.title()).toBe(markup.title);
      expect(await page.locator('tbody th').allInnerTexts()).toEqual([
        '<i>Bar</i> & "Zaal"',
        '=SUM(A1)',
      ]);
      await page.locator('.stage').press('Home');
      await expect
        .poll(() => page.locator('.canvas').textContent())
        .toContain('<i>Bar</i> & "Zaal"');
      expect(await page.locator('img, i, b').count()).toBe(0);
      expect(troubles).toEqual([]);
    });
  });
});

function text(said: string) {
  return { type: 'text' as const, text: said };
}

/** Bars as long as the first of them says, to the pixel. */
function expectToScale(bars: { width: number }[], values: readonly number[]): void {
  expect(bars).toHaveLength(values.length);
  const scale = Number(bars[0]?.width) / Number(values[0]);
  for (const [index, { width }] of bars.entries())
    expect(Math.abs(width - Number(values[index]) * scale)).toBeLessThan(1);
}

function euros(value: number): string {
  return value.toLocaleString('en-IE', { style: 'currency', currency: 'EUR' });
}
