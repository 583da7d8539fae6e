/** A real browser for the tests of the page, where there is one. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { build } from 'rolldown';
import { expect } from 'vitest';
import type { Figure } from '../../../src/analysis/figure/figure.ts';
import { loadFigurePage, standalonePage } from '../../../src/mcp/tools/figure-page.ts';
import type {} from './host.ts';

export const executablePath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

/** Why tests in a browser cannot run here; undefined when they can. */
export const missingBrowser = executablePath ? undefined : 'there is no chromium';
if (missingBrowser) console.warn(`Tests in a browser are skipped: ${missingBrowser}`);

/** What hosts put over a view that asks for nothing (MCP Apps, specification 2026-01-26). */
const defaultPolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

/** A page that is used again, with what is so of the thing that it shows. */
interface Tab {
  page: Page;
  /** Errors and warnings of the console, exceptions, and requests; none is right. */
  troubles: string[];
}

/** How somebody has set up a browser: in English and light, unless said. */
interface Looks {
  locale?: string;
  colorScheme?: 'light' | 'dark';
}

/** How a host embeds a view. */
interface Embedding {
  capabilities?: object;
  context?: object;
  /** What a tool answers that the view calls. */
  answer?: object;
}

/** Shows one thing at a time: what is shown next takes the place of what was shown before. */
export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>;

/** The browser that is installed. */
export async function startBrowser() {
  if (!executablePath) throw new Error('There is no browser');
  // A process for each frame of a host costs more than what is drawn in it.
  const args = ['--no-sandbox', '--disable-features=IsolateSandboxedIframes'];
  const browser = await chromium.launch({ executablePath, args });
  const hostScript = await bundleHost();
  // By language: to open a page costs several times what it costs to show something else in one.
  const tabs = new Map<string, Promise<Tab>>();
  const clear = async ({ locale = 'en-IE', colorScheme = 'light' }: Looks = {}): Promise<Tab> => {
    const opened = tabs.get(locale) ?? openTab(browser, locale);
    tabs.set(locale, opened);
    const tab = await opened;
    await tab.page.mouse.move(0, 0);
    await tab.page.goto('about:blank');
    await tab.page.setViewportSize(size);
    await tab.page.emulateMedia({ media: null, colorScheme, reducedMotion: 'reduce' });
    tab.troubles = [];
    return tab;
  };
  /** A view in a host, which has shaken hands with it. */
  const embed = async ({ capabilities = {}, context = {}, answer }: Embedding = {}) => {
    const { page, troubles } = await clear();
    const meta = `<meta http-equiv="Content-Security-Policy" content="${defaultPolicy}">`;
    const html = (await loadFigurePage()).html.replace('<head>', `<head>${meta}`);
    await page.setContent('<!doctype html><title>Host</title><body style="margin:0">');
    await page.addScriptTag({ content: hostScript });
    const embedded = JSON.stringify({ html, capabilities, context, answer });
    await page.evaluate((json) => window.embed(json), embedded);
    const [, view] = page.frames();
    return { page, troubles, view: view ?? expect.unreachable('the host has a frame') };
  };
  return {
    embed,
    /** A view in a host that hands it an answer. */
    async hand(result: object, embedding?: Embedding) {
      const shown = await embed(embedding);
      await shown.page.evaluate(async (json) => {
        await window.host.bridge.sendToolInput({ arguments: { sql: 'SELECT 1' } });
        await window.host.bridge.sendToolResult(JSON.parse(json));
      }, JSON.stringify(result));
      return shown;
    },
    /** A figure in a page by itself. */
    async open(figure: Figure, looks?: Looks) {
      const { page, troubles } = await clear(looks);
      await page.setContent(await standalonePage(figure));
      return { page, troubles };
    },
    close: () => browser.close(),
  };
}

const size = { width: 800, height: 900 };

async function openTab(browser: Browser, locale: string): Promise<Tab> {
  const context = await browser.newContext({ viewport: size, locale });
  const tab: Tab = { page: await context.newPage(), troubles: [] };
  tab.page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      tab.troubles.push(`${message.type()}: ${message.text()}`);
  });
  tab.page.on('pageerror', (error) => tab.troubles.push(error.message));
  tab.page.on('request', (request) => {
    if (!/^(?:about|data):/.test(request.url())) tab.troubles.push(`asked for ${request.url()}`);
  });
  return tab;
}

/** Puts the checker of accessibility into a page or a frame, and says what it finds. */
export async function violations(frame: Frame): Promise<string[]> {
  const axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  const found: unknown = await frame.evaluate(
    `${axe};axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  return Array.isArray(found) ? found.map(String) : ['axe did not answer'];
}

async function bundleHost(): Promise<string> {
  const { output } = await build({
    input: new URL('./host.ts', import.meta.url).pathname,
    platform: 'browser',
    output: { format: 'iife' },
    write: false,
  });
  return output[0].code;
}
