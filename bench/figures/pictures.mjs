// What a figure costs: the page, the time until it is seen, and tokens beside the same answer of `query`.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { chromium } from 'playwright-core';
import { root } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { compare, count } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { ours } from '../servers.mjs';

/** Most kilobytes that the page may have, and most milliseconds until its picture is there. */
const pageBudget = 640;
const pictureBudget = 1000;

const rounds = 12;

const sql =
  "SELECT bucket, revenue.total_turnover_wt AS turnover FROM turnover_trend(period := 'last_30_days')";

export async function pictures() {
  const platform = await openPlatform();
  const server = openStdio([ours, 'stdio'], platform.settings);
  try {
    await server.initialize();
    const rows = await server.call('query', { sql });
    const figure = await server.call('show_figure', { sql, unit: 'euro' });
    const page = await readFile(join(root, 'dist/figure.html'), 'utf8');
    const times = await timesToPicture(page, figure.structuredContent.figure);
    return [
      count('page of a figure', 'kB', kilobytes(page), pageBudget, { atMost: 1 }),
      count('page of a figure, gzip', 'kB', kilobytes(gzipSync(page)), pageBudget),
      ...times,
      count('30 days as a figure, text', 'tokens', textTokens(figure), textTokens(rows), {
        atMost: 1.3,
      }),
      count('30 days as a figure, structured', 'tokens', ...structuredTokens(figure, rows), {
        atMost: 1.3,
      }),
    ];
  } finally {
    await server.close();
    await platform.close();
  }
}

/** From an empty page to a picture in it; nothing where there is no browser. */
async function timesToPicture(page, figure) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium
    .launch({ executablePath, args: ['--no-sandbox'] })
    .catch(() => undefined);
  if (browser === undefined) return [];
  const place = 'id="figure">';
  const data = JSON.stringify(figure).replaceAll('<', '\\u003c');
  const html = page.replace(place, () => `${place}${data}`);
  try {
    const times = [];
    for (let round = 0; round <= rounds; round++) {
      const tab = await browser.newPage({ reducedMotion: 'reduce' });
      const startedMs = performance.now();
      await tab.setContent(html);
      await tab.locator('.canvas svg').waitFor();
      times.push(performance.now() - startedMs);
      await tab.close();
    }
    const baseline = times.slice(1).map(() => pictureBudget);
    // The first one warms up.
    return [compare('time to picture', 'ms', { ours: times.slice(1), baseline }, { atMost: 1 })];
  } finally {
    await browser.close();
  }
}

function kilobytes(data) {
  return Buffer.byteLength(data) / 1000;
}

function textTokens({ content }) {
  return encode(content.flatMap((block) => block.text ?? []).join('\n')).length;
}

function structuredTokens(...answers) {
  return answers.map(({ structuredContent }) => encode(JSON.stringify(structuredContent)).length);
}
