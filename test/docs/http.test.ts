/** What docs/http.md shows first is done as it stands, by a visitor from another machine. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { folderWith } from '../setup/folder.ts';
import { spawnHttp } from '../spawn.ts';
import { fencedBlocks } from './markdown.ts';

const [start = '', ask = ''] = fencedBlocks('docs/http.md').map(({ text }) => text);

/** An address of this machine that others know it by; where there is none, its own. */
const address =
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';

test('the first request of docs/http.md is answered for a visitor who calls by an IP address', async () => {
  const [, tokens = ''] = /COMMERCE_HTTP_TOKENS='([^']+)'/.exec(start) ?? [];
  const args = start.slice(start.indexOf(' http ') + 6).split(' ');
  const server = await spawnHttp({ COMMERCE_HTTP_TOKENS: tokens }, args);
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  expect(server.printed.stderr).toContain('others reach it by its IP address');
  const url = server.url.replace('0.0.0.0', address);
  const command = ask.replace('http://127.0.0.1:8787/mcp', url);
  const answer = execFileSync('sh', ['-c', `${command} -s`], { encoding: 'utf8' });
  expect(answer).toContain('list_shops: 6 shops');
  const byName = execFileSync('sh', ['-c', `${command} -s -H 'Host: shop.example'`], {
    encoding: 'utf8',
  });
  expect(byName).toContain('--allowed-hosts shop.example');
});

test('the configuration for Prometheus can be read', () => {
  const configuration = parse(readFileSync('deploy/prometheus.yml', 'utf8'));
  expect(configuration).toMatchObject({ scrape_configs: [{ job_name: 'commerce-mcp' }] });
});

test('the statements over the audit count who used what', async () => {
  const call = {
    time: Date.now(),
    msg: 'call',
    caller: 'alice',
    account: 'utrecht',
    outcome: 'ok',
  };
  const lines = [
    { ...call, time: 999, upstream_requests: 50 },
    { ...call, tool: 'list_orders', upstream_requests: 4, rows: 100 },
    { ...call, tool: 'commerce://results/{result_id}', upstream_requests: 0, rows: 2000 },
    { ...call, caller: 'bob', outcome: 'forbidden', upstream_requests: 1 },
    { ...call, caller: 'bob', outcome: 'scope', upstream_requests: 0 },
    { time: Date.now(), msg: 'refused', reason: 'no_token', method: 'GET', path: '/mcp' },
    { time: Date.now(), msg: 'tokens', added: ['carol'], removed: [] },
  ].map((line) => JSON.stringify(line));
  const folder = folderWith({ 'audit.log': [...lines, '{"time":17', ''].join('\n') });
  const sql = readFileSync('deploy/audit.sql', 'utf8');
  const connection = await DuckDBConnection.create();
  onTestFinished(() => connection.closeSync());
  const found: unknown[] = [];
  for (const statement of sql.replace('audit.log', join(folder, 'audit.log')).split(';')) {
    if (statement.trim() === '') continue;
    const reader = await connection.runAndReadAll(statement);
    found.push(reader.getRowObjectsJson());
  }
  const alice = { account: 'utrecht', caller: 'alice' };
  const bob = { account: 'utrecht', caller: 'bob' };
  expect(found.slice(1)).toEqual([
    [
      { ...alice, calls: '2', failed: '0', requests: '4', rows: '2100' },
      { ...bob, calls: '2', failed: '2', requests: '1', rows: null },
    ],
    [{ ...alice, files: '1', rows: '2000' }],
    expect.arrayContaining([
      expect.objectContaining({ caller: null, reason: 'no_token', path: '/mcp', times: '1' }),
      expect.objectContaining({ ...bob, reason: 'tool of another toolset', times: '1' }),
    ]),
  ]);
});
