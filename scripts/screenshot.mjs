// Draws docs/figure.png, the picture in the README: a real answer on a fixed clock, in Chromium.
// Apart from `npm run docs`, which needs no browser; run it when the page has changed its looks.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

// Within the project, so that Node finds the libraries, and the page finds what was built.
const cache = join('node_modules', '.cache');
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(join(cache, 'screenshot-'));
const bundle = join(folder, 'screenshot.mjs');
try {
  await build({
    entryPoints: ['scripts/screenshot.ts'],
    outfile: bundle,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  const { pageToShow } = await import(pathToFileURL(bundle));
  await draw(await pageToShow());
} finally {
  await rm(folder, { recursive: true });
}

async function draw(html) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({
      viewport: { width: 840, height: 600 },
      locale: 'en-IE',
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.setContent(html);
    await page.locator('.canvas svg').waitFor();
    // The picture without the table beneath it.
    await page.locator('summary').click();
    await page.locator('#view').screenshot({ path: 'docs/figure.png' });
  } finally {
    await browser.close();
  }
}
