import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { colorsOf } from '../../../src/analysis/figure/figure-chart.ts';
import { drawn } from '../../analysis/figure/requests.ts';
import { serverOver } from '../../server-over.ts';
import { missingBrowser, startBrowser, type TestBrowser, violations } from './browser.ts';
import { readBars, readLine } from './drawn.ts';
import { days, resultOf, shops } from './samples.ts';

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

    test.each([emptied, { content: [] }, { content: [text('What was said')] }])(
      'asks again when an answer comes back as %j',
      async (result) => {
        const capabilities = { serverTools: {} };
        const { page, view } = await browser.hand(result, { capabilities, answer: resultOf(days) });
        await view.getByRole('heading', { name: 'Ninety days' }).waitFor();
        expect(await page.evaluate(() => window.host.calls)).toEqual([
          { name: 'show_figure', arguments: { sql: 'SELECT 1' } },
        ]);
      },
    );

    test('asks again once', async () => {
      const { page, view } = await browser.hand(emptied, { capabilities: { serverTools: {} } });
      await expect.poll(() => view.getByRole('status').textContent()).toContain('Ask again');
      expect(await page.evaluate(() => window.host.calls.length)).toBe(1);
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

    test("takes the host's language and colours, and answers a farewell", async () => {
      const variables = { '--color-background-primary': 'light-dark(white, rgb(1, 2, 3))' };
      const { page, view, troubles } = await browser.hand(resultOf(shops), {
        context: { theme: 'dark', locale: 'nl-BE', styles: { variables } },
      });
      await view.getByRole('button', { name: 'CSV opslaan' }).waitFor();
      expect(await view.evaluate(() => document.documentElement.lang)).toBe('nl');
      expect(await view.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        'rgb(1, 2, 3)',
      );
      expect(await page.evaluate(() => window.host.bridge.teardownResource({}))).toEqual({});
      expect(troubles).toEqual([]);
    });

    test('shows what a real server answers, asked again by the page itself', async () => {
      const { client: server } = await serverOver('memory');
      const sql =
        "SELECT shop_id, sum(total_wt) AS turnover FROM list_orders(period := 'last_week') GROUP BY ALL";
      const input = { sql, unit: 'euro', title: 'Turnover of last week' };
      const { body } = { body: await server.callTool({ name: 'show_figure', arguments: input }) };
      const { page, view, troubles } = await browser.embed({
        server,
        capabilities: { serverTools: {} },
        context: { theme: 'light' },
      });
      await page.evaluate(async (input) => {
        await window.host.bridge.sendToolInput({ arguments: input });
        await window.host.bridge.sendToolResult({ content: [], structuredContent: {} });
      }, input);
      await view.getByRole('heading', { name: input.title }).waitFor();
      await expect.poll(() => readBars(view, blue)).not.toEqual([]);
      const figure = readFigure(Object(body.structuredContent).figure);
      const values = (figure?.series[0]?.values ?? []).map(Number);
      expect(values.length).toBeGreaterThan(3);
      expect((await readBars(view, blue)).map(({ width }) => width)).toEqual(toScale(values));
      const cells = await view.locator('tbody tr td').allTextContents();
      expect(cells).toEqual(values.map(euros));
      expect(troubles).toEqual([]);
    });
  });

  describe('the picture', () => {
    test('draws bars as long as the numbers are large, to the left below zero', async () => {
      const { page } = await browser.open(shops);
      const [current, reference] = shops.series.map(({ values }) =>
        values.filter((value) => value !== null).map(Number),
      );
      const bars = await readBars(page, blue);
      expect(bars.map(({ width }) => width)).toEqual(toScale(current ?? []));
      expect(bars.map(({ y }) => y)).toEqual(bars.map(({ y }) => y).sort((a, b) => a - b));
      const patterned = await readBars(page, orange);
      expect(patterned.map(({ width }) => width)).toEqual(toScale(reference ?? []));
    });

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

    test('has its marks, numbers and days in the words of the reader', async () => {
      const dutch = await browser.open(shops, { locale: 'nl-NL' });
      const texts = await dutch.page.locator('.canvas svg text').allTextContents();
      expect(texts).toContain('Verzonnen cijfers (sandbox) · Niet volledig');
      expect(texts).toContain('reference');
      expect(texts.map((text) => text.replaceAll(/\s/g, ' '))).toContain('€ 14.354,85');
      const lines = await browser.open(days, { locale: 'nl-NL' });
      expect(await lines.page.locator('.canvas svg text').allTextContents()).toContain('za 22 aug');
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
      for (const figure of [shops, days]) {
        const { page } = await browser.open(figure, { colorScheme });
        await page.locator('details').evaluate((details) => details.setAttribute('open', ''));
        await page.getByRole('button', { name: 'Copy' }).click();
        expect(await violations(page.mainFrame())).toEqual([]);
      }
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
      expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
      await page.emulateMedia({ media: 'screen' });
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
      expect(troubles).toEqual([]);
    });
  });
});

function text(said: string) {
  return { type: 'text' as const, text: said };
}

/** Lengths in proportion to the first of them, to the pixel. */
function toScale(values: readonly number[]) {
  return {
    asymmetricMatch: (lengths: unknown) =>
      Array.isArray(lengths) &&
      lengths.length === values.length &&
      lengths.every((length, index) => {
        const [scale, value] = [Number(lengths[0]) / Number(values[0]), Number(values[index])];
        return Math.abs(Number(length) - value * scale) < 1;
      }),
    toString: () => `lengths as ${values.join(', ')}`,
  };
}

function euros(value: number): string {
  return value.toLocaleString('en-IE', { style: 'currency', currency: 'EUR' });
}
