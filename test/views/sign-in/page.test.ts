import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { keepingClient } from '../../mcp/http/sign-in/person.ts';
import {
  alice,
  authorizing,
  finish,
  serveSignIn,
  statusOf,
} from '../../mcp/http/sign-in/served.ts';
import type { HttpServer } from '../../server-over.ts';
import { executablePath, missingBrowser, violations } from '../figure/browser.ts';

let browser: Browser;
let server: HttpServer;

/** SIGN_IN_PICTURES=folder keeps pictures of the page, to be looked at. */
const { SIGN_IN_PICTURES: pictures } = process.env;

/** Where the client is. */
async function listen() {
  const led: string[] = [];
  const listener = createServer(({ url = '' }, response) => {
    if (url.startsWith('/callback')) led.push(`http://127.0.0.1${url}`);
    response.end('back in the client');
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const address = listener.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { led, callback: `http://127.0.0.1:${port}/callback` };
}

describe.skipIf(missingBrowser)('the page of signing in, in a browser', () => {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox'],
    });
    server = await serveSignIn();
  });

  afterAll(() => browser?.close());

  async function open(colorScheme: 'light' | 'dark' = 'light', width = 1280) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 760 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
    });
    const { callback, led } = await listen();
    const given = keepingClient({ client_name: 'Claude', redirect_uris: [callback] });
    const { client, authorization } = await authorizing(
      server.url,
      Object.assign(given, { redirectUrl: callback }),
    );
    await page.goto(authorization.href);
    return { page, client, led, troubles };
  }

  test.each([
    ['light', 320],
    ['light', 1280],
    ['dark', 320],
    ['dark', 1280],
  ] as const)(
    'in %s at %i pixels fits, is accessible, and says what was wrong',
    async (scheme, width) => {
      const { page, troubles } = await open(scheme, width);
      const picture = async (name: string) => {
        if (pictures === undefined) return;
        await mkdir(pictures, { recursive: true });
        await page.screenshot({
          path: `${pictures}/${name}-${scheme}-${width}.png`,
          fullPage: true,
        });
      };
      await picture('asks');
      expect(await violations(page.mainFrame())).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
      expect(await page.title()).toBe('Sign in to commerce-mcp');
      expect(troubles).toEqual([]);
      await page.getByLabel('Your token').fill('a-token-of-nobody-here');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('not known here');
      await picture('wrong');
      expect(await violations(page.mainFrame())).toEqual([]);
    },
  );

  test('is used with the keyboard alone, and leads back to the client', async () => {
    const { page, client, led, troubles } = await open();
    const focused = async () =>
      page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
    const order = [];
    for (let at = 0; at < 3; at++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual(['token', 'Sign in', 'Cancel']);
    await page.getByLabel('Your token').focus();
    await page.keyboard.type(alice);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/callback?**');
    expect(troubles).toEqual([]);
    const [back = ''] = led;
    await finish(server.url, client, new URL(back));
    expect(await statusOf(server.url, client)).toBe(200);
  });

  test('leads back when somebody would not', async () => {
    const { page, led } = await open();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL('**/callback?**');
    expect(led[0]).toContain('error=access_denied');
  });

  test('shows nothing in a frame', async () => {
    const { page, client } = await open();
    await page.route('http://evil.localhost/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${client.kept.authorization}"></iframe>`,
      }),
    );
    await page.goto('http://evil.localhost/');
    const [, frame] = page.frames();
    await page.waitForTimeout(500);
    expect(await frame?.locator('form').count()).toBe(0);
  });

  test('cannot be posted to by a page from elsewhere', async () => {
    const { page } = await open();
    const address = page.url();
    await page.route('http://evil.localhost/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${address}"><input name="token" value="${alice}"><button>Win</button></form>`,
      }),
    );
    await page.goto('http://evil.localhost/');
    const [reply] = await Promise.all([
      page.waitForResponse(address),
      page.getByRole('button', { name: 'Win' }).click(),
    ]);
    expect(reply.status()).toBe(403);
  });
});
