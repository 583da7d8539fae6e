import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingBrowser, startBrowser, type TestBrowser, violations } from './browser.ts';
import { days, resultOf, shops } from './samples.ts';

describe.skipIf(missingBrowser)('the page in a browser (needs chromium)', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  test('says that it waits, then shows the figure, and tells its natural height', async () => {
    const { page, view, troubles } = await browser.embed();
    expect(await view.getByRole('status').textContent()).toBe('Reading the figures…');
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
    await view.getByRole('heading', { name: 'Last week against the week before' }).waitFor();
    // Both at one time: while the picture is drawn the height changes.
    const isTold = () =>
      Promise.all([
        page.evaluate(() => window.host.sizes.at(-1)?.height),
        view.evaluate(() => {
          const main = document.getElementById('view');
          return main ? Math.ceil(main.getBoundingClientRect().height) : Number.NaN;
        }),
      ]).then(([told, natural]) => told === natural);
    await expect.poll(isTold).toBe(true);
    const told = await page.evaluate(() => window.host.sizes.length);
    await page.setViewportSize({ width: 800, height: 500 });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    // A frame as high as was asked for is no reason to ask again.
    expect(await page.evaluate(() => window.host.sizes.length)).toBe(told);
    expect(troubles).toEqual([]);
  });

  test('says what went wrong, in the words of the answer', async () => {
    const { page, view, troubles } = await browser.embed();
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), {
      isError: true,
      content: [{ type: 'text' as const, text: 'sql: <b>no</b> such table' }],
    });
    const alert = view.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('sql: <b>no</b> such table');
    expect(troubles).toEqual([]);
  });

  test('says that the question was cancelled', async () => {
    const { page, view } = await browser.embed();
    await page.evaluate(() => window.host.bridge.sendToolCancelled({ reason: 'enough' }));
    await expect.poll(() => view.getByRole('status').textContent()).toContain('was cancelled');
  });

  test('shows the text of an answer that could not be drawn', async () => {
    const { page, view } = await browser.embed();
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), {
      content: [{ type: 'text' as const, text: 'There is nothing to draw.' }],
      structuredContent: { data: [] },
    });
    await expect.poll(() => view.locator('.text').textContent()).toBe('There is nothing to draw.');
  });

  test.each([
    { structuredContent: {} },
    {},
    { content: [{ type: 'text' as const, text: 'What was said' }] },
  ])('asks again when an answer comes back emptied: %j', async (emptied) => {
    const { page, view } = await browser.embed({
      capabilities: { serverTools: {} },
      answer: resultOf(days),
    });
    const input = { sql: 'SELECT 1', kind: 'line' };
    await page.evaluate(
      async ([input, emptied]) => {
        await window.host.bridge.sendToolInput({ arguments: input });
        await window.host.bridge.sendToolResult({ content: [], ...emptied });
      },
      [input, emptied] as const,
    );
    await view.getByRole('heading', { name: 'Ninety days' }).waitFor();
    expect(await page.evaluate(() => window.host.calls)).toEqual([
      { name: 'show_figure', arguments: input },
    ]);
  });

  test('asks again once, and tells the reader to where it cannot', async () => {
    const { page, view } = await browser.embed({ capabilities: { serverTools: {} } });
    const empty = () =>
      page.evaluate(async () => {
        await window.host.bridge.sendToolInput({ arguments: { sql: 'SELECT 1' } });
        await window.host.bridge.sendToolResult({ content: [], structuredContent: {} });
      });
    await empty();
    await expect.poll(() => view.getByRole('status').textContent()).toContain('Ask again');
    expect(await page.evaluate(() => window.host.calls.length)).toBe(1);
    const other = await browser.embed();
    await other.page.evaluate(() =>
      window.host.bridge.sendToolResult({ content: [], structuredContent: {} }),
    );
    await expect.poll(() => other.view.getByRole('status').textContent()).toContain('Ask again');
  });

  test('asks on about a label where the host takes messages, and only there', async () => {
    const { page, view } = await browser.embed({ capabilities: { message: { text: {} } } });
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
    await view.getByRole('button', { name: 'Haarlem' }).click();
    await view.locator('.canvas svg text', { hasText: 'Webshop' }).click();
    await expect
      .poll(() => page.evaluate(() => window.host.messages))
      .toEqual(
        ['Haarlem', 'Webshop'].map((name) => ({
          role: 'user',
          content: [
            {
              type: 'text',
              text: `Tell me more about “${name}” in “Last week against the week before”.`,
            },
          ],
        })),
      );
    const silent = await browser.embed();
    await silent.page.evaluate(
      (result) => window.host.bridge.sendToolResult(result),
      resultOf(shops),
    );
    await silent.view.getByRole('heading').waitFor();
    expect(await silent.view.getByRole('button', { name: 'Haarlem' }).count()).toBe(0);
    await silent.view.locator('.canvas svg text', { hasText: 'Webshop' }).click();
    expect(await silent.page.evaluate(() => window.host.messages)).toEqual([]);
  });

  test("takes the host's language and colours, and answers a farewell", async () => {
    const { page, view, troubles } = await browser.embed({
      context: {
        theme: 'dark',
        locale: 'nl-BE',
        styles: {
          variables: { '--color-background-primary': 'light-dark(white, rgb(1, 2, 3))' },
        },
      },
    });
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
    await view.getByRole('button', { name: 'CSV opslaan' }).waitFor();
    expect(await view.evaluate(() => document.documentElement.lang)).toBe('nl');
    expect(await view.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(1, 2, 3)',
    );
    expect(await page.evaluate(() => window.host.bridge.teardownResource({}))).toEqual({});
    expect(troubles).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('leaves nobody out: %s', async (colorScheme) => {
    for (const figure of [shops, days]) {
      const { page } = await browser.open(figure, { colorScheme });
      await page
        .locator('summary')
        .evaluate((summary) => summary.parentElement?.setAttribute('open', ''));
      await page.getByRole('button', { name: 'Copy' }).click();
      expect(await violations(page.mainFrame())).toEqual([]);
    }
    const { page, view } = await browser.embed({
      capabilities: { message: { text: {} } },
      context: { theme: colorScheme },
    });
    expect(await violations(view)).toEqual([]);
    await page.evaluate((result) => window.host.bridge.sendToolResult(result), resultOf(shops));
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
