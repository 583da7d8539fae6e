// Draws docs/figure.png, the picture in the README: a real answer on a fixed clock, in Chromium.
// The last thing that `npm run docs` does; where there is no browser the picture stays as it is.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { importTypeScript } from './import-typescript.mjs';

const { pageToShow } = await importTypeScript('scripts/screenshot.ts');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (existsSync(executablePath)) await draw(await pageToShow());
else console.error(`docs/figure.png is left as it is: there is no browser at ${executablePath}`);

async function draw(html) {
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
