/** A real browser for the tests of the page, where there is one. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Client } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';
import type { Figure } from '../../../src/analysis/figure/figure.ts';
import { loadFigurePage, standalonePage } from '../../../src/mcp/resources/figure-page.ts';
import type {} from './host.ts';

const executablePath = [
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

/** A page with what it complained about and asked for. */
export interface Watched {
  page: Page;
  /** Errors and warnings of the console, exceptions, and requests; none is right. */
  troubles: string[];
}

export interface TestBrowser {
  /** A view in a host, which has shaken hands with it. */
  embed(
    embedding?: {
      capabilities?: object;
      context?: object;
      answer?: object;
      /** Has the calls that the view makes. */
      server?: Pick<Client, 'callTool' | 'readResource'>;
    },
    options?: BrowserContextOptions,
  ): Promise<Watched & { view: Frame }>;
  /** A figure in a page by itself. */
  open(figure: Figure, options?: BrowserContextOptions): Promise<Watched>;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  if (!executablePath) throw new Error('There is no browser');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const hostScript = await bundleHost();
  return {
    async embed({ capabilities = {}, context = {}, answer, server } = {}, options) {
      const watched = await newPage(browser, options);
      const { page } = watched;
      const html = await pageOf(server);
      if (server)
        await page.exposeFunction('callServer', (params: Parameters<Client['callTool']>[0]) =>
          server.callTool(params),
        );
      const meta = `<meta http-equiv="Content-Security-Policy" content="${defaultPolicy}">`;
      await page.setContent('<!doctype html><title>Host</title><body style="margin:0">');
      await page.addScriptTag({ content: hostScript });
      const embedded = {
        html: html.replace('<head>', `<head>${meta}`),
        capabilities,
        context,
        answer,
      };
      await page.evaluate((json) => window.embed(json), JSON.stringify(embedded));
      const [, view] = page.frames();
      return { ...watched, view: view ?? expect.unreachable('the host has a frame') };
    },
    async open(figure, options) {
      const watched = await newPage(browser, options);
      await watched.page.setContent(await standalonePage(figure));
      return watched;
    },
    close: () => browser.close(),
  };
}

/** The page as a server hands it to hosts, or as it was built. */
async function pageOf(server?: Pick<Client, 'readResource'>): Promise<string> {
  const { html, hash } = await loadFigurePage();
  if (!server) return html;
  const uri = `ui://commerce-mcp/figure-${hash}.html`;
  const [content] = (await server.readResource({ uri })).contents;
  return content && 'text' in content ? content.text : '';
}

async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 800, height: 900 },
    locale: 'en-IE',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('request', (request) => {
    if (!/^(?:about|data|blob):/.test(request.url())) troubles.push(`asked for ${request.url()}`);
  });
  return { page, troubles };
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
  const { outputFiles } = await build({
    entryPoints: [new URL('./host.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
