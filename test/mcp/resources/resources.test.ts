import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { referenceSpaces } from '../../../src/analysis/reference/reference.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { parseJson } from '../../../src/core/json.ts';
import { periodWords } from '../../../src/core/periods.ts';
import { version } from '../../../src/core/program.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import guide from '../../../src/mcp/resources/guide.txt';
import { loadFigurePage, standalonePage } from '../../../src/mcp/tools/figure-page.ts';
import { serverOver } from '../../server-over.ts';
import { markup } from '../../views/figure/samples.ts';

describe('an address that cannot be meant', () => {
  test.each([
    ['commerce://orders/%', { code: 'bad_input', argument: 'order_id' }, '"%"'],
    ['commerce://orders/1%2F..%2Fme', { code: 'bad_input', argument: 'order_id' }, '"1/../me"'],
    ['commerce://results/%', { code: 'result_gone', argument: 'result_id' }, '"%"'],
    [
      'commerce://results/r_0000000000.csv',
      { code: 'result_gone', argument: 'result_id' },
      '"r_0000000000"',
    ],
  ])('%s is refused as an argument, %j, in words', async (uri, data, says) => {
    const { client } = await serverOver('memory', { ordersPerDay: 1 });
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      code: -32_602,
      data,
      message: expect.stringContaining(says),
    });
  });
});

test('a country in small letters is the same country', async () => {
  const { client } = await serverOver('memory', { ordersPerDay: 1 });
  const textOf = async (uri: string) => JSON.stringify(await client.readResource({ uri }));
  for (const country of ['NL', 'nl'])
    expect(await textOf(`commerce://tax-rates/${country}`)).toContain('Hoog tarief');
});

test('an address that the platform refuses for what stands in it has a wrong part', async () => {
  const faults = '400:path=/api/order/*';
  const { client } = await serverOver('memory', { ordersPerDay: 1, faults });
  const uri = 'commerce://orders/7';
  await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
});

test('access and the guide name the server and its version', async () => {
  const { read } = await serverOver('memory', { ordersPerDay: 1 });
  const [[access], [text]] = await Promise.all([
    read('commerce://access'),
    read('commerce://guide'),
  ]);
  expect(parseJson(access?.text ?? '')).toMatchObject({
    server: { name: 'commerce-mcp', version },
  });
  expect(text?.text).toContain(`This server is commerce-mcp ${version}.`);
});

describe('the guide', () => {
  test.each(periodWords)('names the period %s', (word) => {
    expect(guide).toContain(word);
  });

  test.each(referenceSpaces.map(({ idField, endpoint }) => [idField, endpoint.tool]))(
    'says which tool lists the names of %s: %s',
    (idField, tool) => {
      expect(guide).toMatch(new RegExp(`^\\| ${idField} \\|.*\\| ${tool} \\|$`, 'm'));
    },
  );

  test('names only tools that exist', () => {
    const tools = [...endpoints, ...analysisTools].map(({ tool }) => tool);
    const named = guide.match(/\b(get|list|search|find|compare|summarize|read)_\w+/g) ?? [];
    expect(named.filter((tool) => !tools.includes(tool))).toEqual([]);
  });
});

describe('commerce://tables', () => {
  test('lists every table of this account for few tokens', async () => {
    const { client } = await serverOver('memory');
    const { contents } = await client.readResource({ uri: 'commerce://tables' });
    const [content] = contents;
    const text = content && 'text' in content ? content.text : '';
    for (const table of [
      'list_orders(',
      'get_daily_close(',
      'payment_methods\n',
      'turnover_trend(',
    ])
      expect(text).toContain(`\n\n${table}`);
    expect(encode(text).length).toBeLessThanOrEqual(3000);
  });
});

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
