import { readdirSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';
import { resourceDefinitions } from '../../src/mcp/resources/definitions.ts';
import { type ClientName, type Connection, connectAs } from '../clients.ts';
import { anOrder, argumentsOf, type Sample, samples } from '../samples.ts';
import { type HttpServer, serverOver } from '../server-over.ts';

const fixed = resourceDefinitions.filter(({ uri }) => !uri.includes('{'));
const families = resourceDefinitions.filter(({ uri }) => uri.includes('{'));
const prompts = readdirSync('prompts').map((file) => file.replace(/\.md$/, ''));

/** What a page of figures says that it is. */
const mimeType = 'text/html;profile=mcp-app';

/** One for all clients over HTTP, which share a server as they do elsewhere. */
let http: HttpServer;

beforeAll(async () => {
  http = await serverOver('http', { ordersPerDay: 12 });
});

const overHttp = (name: ClientName) => connectAs(name, new URL(http.url));
const overStdio = (client: ClientName) => serverOver('stdio', { sandbox: http.sandbox, client });

// All that is offered is asked for by the oldest library over stdio, and by the newest revision over HTTP.
const some = samples.slice(0, 3);
const [older, newest] = ['2025-11-25', '2026-07-28'];

describe.each<{
  name: ClientName;
  open: (name: ClientName) => Promise<Connection>;
  asked: readonly Sample[];
  /** The 1.x client does not tell. */
  revision?: string;
}>([
  { name: 'the 1.x SDK', open: overStdio, asked: samples },
  { name: 'the 2.x client that negotiates', open: overStdio, asked: some, revision: newest },
  { name: 'the 1.x SDK', open: overHttp, asked: some },
  { name: 'the 2.x client', open: overHttp, asked: some, revision: older },
  { name: 'the 2.x client that negotiates', open: overHttp, asked: some, revision: newest },
  { name: 'the 2.x client pinned to 2026-07-28', open: overHttp, asked: samples, revision: newest },
])('with $name by $open.name', ({ name, open, asked, revision }) => {
  let connection: Connection;
  let result: JsonObject;

  beforeAll(async () => {
    connection = await open(name);
    await connection.listTools();
    const list = await connection.call('list_orders', { period: 'last_week', all: true });
    result = isRecord(list.context.result) ? list.context.result : {};
  });

  afterAll(() => connection.close());

  test('the revision is the newest that both know, and the instructions come', () => {
    expect(connection.version()).toBe(revision);
    expect(connection.instructions()).toMatch(/Europe\/Amsterdam[\s\S]*_wt includes VAT/);
    expect(connection.instructions()).toContain('SANDBOX: all figures are invented');
  });

  test('all tools are listed on one page, each with an output schema', async () => {
    const { tools, nextCursor } = await connection.listTools();
    expect(nextCursor).toBeUndefined();
    expect(tools.map(({ name }) => name).sort()).toEqual(samples.map(({ tool }) => tool).sort());
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
  });

  test.each(asked)('$tool answers in both channels', async (sample) => {
    const { tool } = sample;
    const given = { orderId: anOrder(http.sandbox.world), resultId: result.id };
    const answer = await connection.call(tool, argumentsOf(sample, given));
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text).toMatch(new RegExp(`^${tool}: .*as of \\d{4}-\\d\\d-\\d\\dT`));
    expect(answer.text).toContain('source: sandbox, invented figures');
    expect(answer.context).toMatchObject({ source: 'sandbox', as_of: expect.any(String) });
  });

  const walking = asked === samples ? ['all that is offered'] : [];
  describe.each(walking)('%s', () => {
    test('every resource that is listed can be read', async () => {
      const { resources } = await connection.listResources();
      const own = resources.filter(({ uri }) => !uri.startsWith('ui://'));
      const briefs = ['commerce://briefs/morning', 'commerce://briefs/week'];
      expect(own.map(({ uri }) => uri)).toEqual([...fixed.map(({ uri }) => uri), ...briefs]);
      for (const { uri, mimeType } of fixed) {
        const [content] = await connection.read(uri);
        expect(content).toMatchObject({ uri, mimeType });
        if (mimeType === 'application/json')
          expect(parseJson(content?.text ?? '')).toMatchObject({ context: { source: 'sandbox' } });
        else expect(content?.text).toMatch(/^# /);
      }
    });

    test.each(families)(
      '$uri completes its variable and can be read',
      async ({ uri: template }) => {
        const { resourceTemplates } = await connection.listResourceTemplates();
        expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(template);
        const [, variable = ''] = /\{(.*)\}/.exec(template) ?? [];
        const [value = ''] = await connection.complete(template, variable, '');
        expect(value).not.toBe('');
        const contents = await connection.read(template.replace(`{${variable}}`, value));
        if (template.includes('briefs')) {
          expect(contents).toMatchObject([{ text: expect.stringMatching(/^# /) }]);
          return;
        }
        const json = contents.find(({ mimeType }) => mimeType === 'application/json');
        // Schemas are of the server itself; all else says where its figures are from.
        const told = template.includes('schemas')
          ? { name: value }
          : { context: { source: 'sandbox' } };
        expect(parseJson(json?.text ?? '')).toMatchObject(told);
      },
    );

    test('every prompt is listed, and fetched with nothing but its defaults', async () => {
      const listed = await connection.listPrompts();
      expect(listed.prompts.map(({ name }) => name)).toEqual(prompts.toSorted());
      for (const name of prompts) {
        const text = await connection.getPrompt(name);
        expect(text).toContain('## Gather');
        expect(text).not.toContain('{{');
      }
    });
  });

  test('a kept result completes its id and is read as CSV and as JSON', async () => {
    const template = 'commerce://results/{result_id}';
    expect(await connection.complete(template, 'result_id', 'r_')).toContain(result.id);
    const [json, ...others] = await connection.read(String(result.uri));
    expect(others).toEqual([]);
    const [csv, ...more] = await connection.read(`${result.uri}.csv`);
    expect(more).toEqual([]);
    expect(csv).toMatchObject({ uri: `${result.uri}.csv`, mimeType: 'text/csv' });
    expect(json).toMatchObject({ uri: `${result.uri}.json`, mimeType: 'application/json' });
    const kept = parseJson(json?.text ?? '');
    expect(isRecord(kept) && kept.data).toHaveLength(Number(result.rows));
    expect(parse(csv?.text ?? '')).toHaveLength(Number(result.rows) + 1);
  });

  test('a prompt takes an argument, which completes from live names and from words', async () => {
    const text = await connection.getPrompt('discount-audit', { shop: 'Café Perron' });
    expect(text).toContain('Shop (empty: all shops): Café Perron');
    expect(await connection.complete('discount-audit', 'shop', 'cafe')).toEqual(['Café Perron']);
    expect(await connection.complete('discount-audit', 'period', 'last_m')).toEqual([
      'last_month',
      'last_monday',
    ]);
    expect(await connection.complete('compare-periods', 'by', 'sh')).toEqual(['shop']);
    expect(await connection.complete('no-such-prompt', 'by', '')).toEqual([]);
  });

  test('a tool that does not exist is a protocol error with the nearest name', async () => {
    await expect(connection.call('get_daily_clos')).rejects.toThrow(
      'There is no tool "get_daily_clos". Did you mean get_daily_close?',
    );
    await expect(connection.call('zzz')).rejects.toThrow(/The tools are: .*list_orders/);
  });

  test('a prompt, an argument of one, and an address that do not exist are refused', async () => {
    await expect(connection.getPrompt('daily-turnove')).rejects.toThrow('daily-turnover');
    await expect(connection.getPrompt('stock-check', { size: '3' })).rejects.toThrow('"size"');
    await expect(connection.read('commerce://shop')).rejects.toThrow('commerce://shop');
    await expect(connection.read('commerce://orders/999999999')).rejects.toThrow(/404|not found/i);
    await expect(connection.read('commerce://results/r_gone')).rejects.toThrow('r_gone');
  });

  test('the page of figures is announced, named by one tool and says the same of itself twice', async () => {
    expect(connection.extensions()).toEqual({
      'io.modelcontextprotocol/skills': {},
      'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] },
    });
    const { tools } = await connection.listTools();
    const [tool, ...others] = tools.filter(({ _meta }) => _meta !== undefined);
    expect([tool?.name, others]).toEqual(['show_figure', []]);
    const uri = isRecord(tool?._meta) ? String(tool._meta['ui/resourceUri']) : '';
    expect(tool?._meta).toEqual({ ui: { resourceUri: uri }, 'ui/resourceUri': uri });
    expect(uri).toMatch(/^ui:\/\/commerce-mcp\/figure-[0-9a-f]{8}\.html$/);
    const { resources } = await connection.listResources();
    const _meta = { ui: { prefersBorder: true } };
    expect(resources.find((resource) => resource.uri === uri)).toMatchObject({ mimeType, _meta });
    const [content] = await connection.read(uri);
    expect(content).toMatchObject({ uri, mimeType, meta: _meta });
    expect(content?.text).toMatch(/^<!doctype html>/i);
  });

  test('the page is served under the address of an earlier build too, and under no other', async () => {
    const uri = 'ui://commerce-mcp/figure-01234567.html';
    expect((await connection.read(uri))[0]).toMatchObject({ uri, mimeType });
    await expect(connection.read('ui://commerce-mcp/figure-../secret.html')).rejects.toThrow();
  });
});

test('the page of figures is not there for those without its tool', async () => {
  const settings = { COMMERCE_TOOLSETS: 'reference' };
  const connection = await serverOver('memory', { settings });
  const { resources } = await connection.listResources();
  expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
  await expect(connection.read('ui://commerce-mcp/figure-01234567.html')).rejects.toThrow();
});
