import { describe, expect, test } from 'vitest';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { loadFigurePage, standalonePage } from '../../../src/mcp/resources/figure-page.ts';
import { markup } from '../../views/figure/samples.ts';

describe('the page that draws figures', () => {
  test('is one file that points nowhere, and that its hash names', async () => {
    const { html, hash } = await loadFigurePage();
    expect(hash).toMatch(/^[0-9a-f]{8}$/);
    expect((await loadFigurePage()).hash).toBe(hash);
    // Names of XML's vocabularies look like addresses; nobody asks them for anything.
    const addresses = html.match(/https?:\/\/[\w.]+/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set(['http://www.w3.org']));
    expect(html).not.toMatch(
      /<(?:link|img|iframe)\b|<script[^>]+src=|@import|new Function\(|\beval\(/,
    );
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  });

  test('stays below 640 kB', async () => {
    const { html } = await loadFigurePage();
    expect(Buffer.byteLength(html)).toBeLessThan(640_000);
  });

  test('holds a figure whose texts cannot end the script that they stand in', async () => {
    const html = await standalonePage(markup);
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    const [, data = ''] =
      /<script type="application\/json" id="figure">([^<]*)<\/script>/.exec(html) ?? [];
    expect(readFigure(JSON.parse(data))).toEqual(markup);
  });
});
