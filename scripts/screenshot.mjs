// Draws docs/figure.png, the picture in the README: a real answer on a fixed clock, in Chromium.
// Apart from `npm run docs`, which needs no browser; run it when the page has changed its looks.
import { chromium } from 'playwright-core';
import { importTypeScript } from './import-typescript.mjs';

const { pageToShow } = await importTypeScript('scripts/screenshot.ts');
await draw(await pageToShow());

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
