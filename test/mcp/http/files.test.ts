import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';
import { bearer, callTool, resultIdIn } from './messages.ts';

const [alice, bob] = ['alice-has-a-long-token', 'bob-has-another-long-token'];

async function bodyOf(server: HttpServer, tool: string, input: object, token?: string) {
  const headers = token === undefined ? {} : bearer(token);
  const { result } = await callTool(server.url, tool, input, headers);
  return isRecord(result) && isRecord(result.structuredContent) ? result.structuredContent : {};
}

describe('a link to a file', () => {
  let server: HttpServer;
  let tokensFile: string;
  const listed = (entries: Record<string, string>) =>
    Object.entries(entries)
      .map(([name, entry]) => `${name}:${entry}`)
      .join('\n');

  beforeAll(async () => {
    tokensFile = join(folderWith({ tokens: listed({ alice, bob }) }), 'tokens');
    server = await serverOver('http', { settings: { COMMERCE_HTTP_TOKENS_FILE: tokensFile } });
  });

  const exported = async (input: object, token = alice) => {
    const { url, ...body } = await bodyOf(server, 'export_rows', input, token);
    return { url: String(url), body };
  };

  test('a link opens the rows of a kept answer without a token, as a download that nobody keeps', async () => {
    const asked = { period: 'last_week', all: true, fields: ['id', 'total_wt'] };
    const list = await bodyOf(server, 'list_orders', asked, alice);
    const { url, body } = await exported({ result_id: resultIdIn(list), format: 'csv' });
    expect(new URL(url).origin).toBe(server.origin);
    expect(body.expires_at).toMatch(/^\d{4}-\d\d-\d\dT/);
    const response = await fetch(url);
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      200,
      {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    ]);
    const lines = (await response.text()).trim().split('\n');
    expect([lines[0], lines.length]).toEqual(['id,total_wt', Number(body.rows) + 1]);
  });

  test('a link opens the rows of a statement as a workbook', async () => {
    const { url } = await exported({ sql: 'SELECT * FROM shops' });
    expect(url).toMatch(/\/shops-\d{4}-\d\d-\d\d\.xlsx$/);
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
  });

  test('a changed link to a file gets 404 in words for a person, costs nothing, and is not logged', async () => {
    const { url } = await exported({ sql: 'SELECT 1 AS a' });
    const before = server.sandbox.stats.requests;
    const { pathname } = new URL(url);
    const [, , token = '', name] = pathname.split('/');
    const [content = '', signature = ''] = token.split('.');
    const changed = [
      `/files/${token}/other.csv`,
      `/files/${content}.${'A'.repeat(signature.length)}/${name}`,
      `/files/${content.slice(2)}.${signature}/${name}`,
      `/files/${'x'.repeat(2000)}/${name}`,
      '/files/a/b',
    ];
    for (const path of changed) {
      const response = await fetch(server.origin + path);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining('no file behind this link'),
      ]);
    }
    expect(server.sandbox.stats.requests).toBe(before);
    const refused = server.log.filter(({ message }) => message === 'refused');
    expect(refused.at(-1)?.facts).toMatchObject({ reason: 'not_found', path: '/files/' });
    expect(JSON.stringify(server.log)).not.toContain(signature);
  });

  test('a link to the result of one caller is neither made by another nor opened with their token', async () => {
    const list = await bodyOf(server, 'list_orders', { period: 'last_week', all: true }, alice);
    const id = resultIdIn(list);
    expect(await exported({ result_id: id }, bob)).toEqual({ url: 'undefined', body: {} });
    const { url } = await exported({ result_id: id, format: 'csv' });
    const statuses = [bob, alice].map(async (token) => {
      return (await fetch(url, { headers: bearer(token) })).status;
    });
    expect(await Promise.all(statuses)).toEqual([404, 200]);
  });

  test('a link ends with its result', async () => {
    const { url } = await exported({ sql: 'SELECT 1 AS a', format: 'csv' });
    expect(await (await fetch(url)).text()).toBe('a\n1\n');
    server.app.results.clear();
    expect((await fetch(url)).status).toBe(404);
  });

  test('a link ends when its caller loses a toolset of the result, or their token', async () => {
    const sql = "SELECT id FROM list_orders(period := 'yesterday')";
    const { url } = await exported({ sql, format: 'csv' });
    const statusWith = async (entries: Record<string, string>) => {
      await writeFile(tokensFile, listed(entries));
      return (await fetch(url)).status;
    };
    expect(await statusWith({ bob, alice })).toBe(200);
    expect(await statusWith({ bob, alice: `${alice}:reports,analysis` })).toBe(404);
    expect(await statusWith({ bob })).toBe(404);
    expect(await statusWith({ alice, bob })).toBe(200);
  });

  test('a download is logged as what its caller read', async () => {
    const { url } = await exported({ sql: 'SELECT 1 AS a', format: 'csv' });
    await (await fetch(url)).text();
    const read = server.log.findLast(({ facts }) => facts.tool === 'file');
    expect(read?.facts).toMatchObject({ caller: 'alice', source_tool: 'query', rows: 1 });
  });
});

test('a link leads to the public address, and opens for a server without tokens', async () => {
  const settings = { COMMERCE_PUBLIC_URL: 'https://mcp.example.com' };
  const server = await serverOver('http', { settings });
  const { url } = await bodyOf(server, 'export_rows', { sql: 'SELECT 1 AS a', format: 'csv' });
  const { origin, pathname } = new URL(String(url));
  expect(origin).toBe('https://mcp.example.com');
  expect(await (await fetch(server.origin + pathname)).text()).toBe('a\n1\n');
});
