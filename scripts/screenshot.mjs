// Draws docs/figure.png, the picture in the README: a real answer on a fixed clock, in Chromium.
// The last thing that `npm run docs` does; where there is no browser the picture stays as it is.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { importTypeScript } from './import-typescript.mjs';

const { pageToShow } = await importTypeScript('scripts/screenshot.ts');
const path = 'docs/figure.png';
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (existsSync(executablePath)) await draw(await pageToShow());
else console.error(`${path} is left as it is: there is no browser at ${executablePath}`);

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
    const picture = await page.locator('#view').screenshot();
    if (await differs(page, readFileSync(path), picture)) writeFileSync(path, picture);
  } finally {
    await browser.close();
  }
}

/** Whether two pictures show different things: browsers smooth edges each in their own way. */
function differs(page, ...pictures) {
  const addresses = pictures.map((it) => `data:image/png;base64,${it.toString('base64')}`);
  return page.evaluate(async (addresses) => {
    const [before, after] = await Promise.all(
      addresses.map(async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        const { naturalWidth: width, naturalHeight: height } = image;
        const context = new OffscreenCanvas(width, height).getContext('2d');
        context.drawImage(image, 0, 0);
        return { size: `${width} ${height}`, data: context.getImageData(0, 0, width, height).data };
      }),
    );
    const isOther = (value, at) => Math.abs(value - after.data[at]) > 64;
    return before.size !== after.size || before.data.some(isOther);
  }, addresses);
}
