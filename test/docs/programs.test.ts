/** The programs of docs/programs.md, as they stand. */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Failure } from '../../src/mcp/telemetry/call-tracking.ts';
import { type HttpServer, serverOver } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { fencedBlocks } from './markdown.ts';

const run = promisify(execFile);
const page = 'docs/programs.md';
const blocks = fencedBlocks(page).filter(({ language }) => language === 'js');

let folder: string;

/** The files of the page, where they find what they import. */
beforeAll(async () => {
  folder = folderWith();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  for (const { about } of blocks) {
    const parts = blocks.filter((it) => it.about === about).map(({ text }) => text);
    await writeFile(join(folder, about), parts.join('\n\n'));
  }
});

const program = () => import(pathToFileURL(join(folder, 'client.mjs')).href);

async function runProgram(file: string, { url }: HttpServer, settings = {}) {
  const env = { ...process.env, MCP_URL: url, ...settings };
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env });
  return stdout.trimEnd().split('\n');
}

/** What every code asks for; the compiler misses one that is not here. */
const codes = {
  upstream_failed: 1,
  timeout: 1,
  unreachable: 1,
  malformed_answer: 1,
  exchange_failed: 1,
  cancelled: 1,
  rate_limited: 1,
  overloaded: 1,
  result_gone: 1,
  unknown_tool: 1,
  bad_input: 1,
  bad_request: 1,
  not_found: 1,
  too_large: 1,
  not_offered: 1,
  forbidden: 1,
  unauthorized: 1,
  key_refused: 1,
  redirected: 1,
  bad_config: 1,
  unexpected: 1,
} satisfies Record<Exclude<Failure['code'], 'ok' | 'scope'>, 1>;

describe('the table of what to do after a failure', () => {
  test('the table of what to do has every code of a failed call, and no other', async () => {
    const { whatToDo } = await program();
    expect(Object.keys(whatToDo).toSorted()).toEqual(Object.keys(codes).toSorted());
  });

  test('the table of what to do says nothing that the page does not explain', async () => {
    const { whatToDo } = await program();
    const [, table = ''] = (await readFile(page, 'utf8')).split('| what to do | when |');
    const explained = [...(table.split('```')[0]?.matchAll(/^\| ([a-z ]+) \|/gm) ?? [])];
    const actions = new Set(Object.values(whatToDo));
    expect(new Set(explained.map(([, action]) => action))).toEqual(actions);
  });
});

test('a call that is stopped gives nothing', async () => {
  const { url } = await serverOver('http', { ordersPerDay: 20 });
  const { call, connect } = await program();
  const client = await connect(url);
  const stopping = new AbortController();
  const { signal } = stopping;
  const list = { period: 'last_year', all: true };
  const ending = call(client, 'list_orders', list, { signal });
  stopping.abort(new Error('not needed after all'));
  await expect(ending).rejects.toThrow(/not needed after all/);
  await client.close();
});

test('report.mjs reads the profile of some days, then its rows', async () => {
  const server = await serverOver('http', { ordersPerDay: 20 });
  const [sentence] = await runProgram('report.mjs', server, { PERIOD: 'last_7_days' });
  expect(sentence).toMatch(/^\d+ orders from [\d-]+ to [\d-]+: \d+\.\d\d? euros incl\. VAT$/);
  const [header, ...rows] = (await readFile(join(folder, 'orders.csv'), 'utf8')).trim().split('\n');
  for (const name of ['id', 'date_created', 'total_wt', 'status'])
    expect(header?.split(',')).toContain(name);
  expect(sentence).toContain(`${rows.length} orders`);
});

test('schemas.mjs writes the schema of a tool', async () => {
  await runProgram('schemas.mjs', await serverOver('http'));
  const schema = JSON.parse(await readFile(join(folder, 'list-orders.json'), 'utf8'));
  expect(schema.properties.data.items.properties.total_wt).toBeDefined();
});

test('a call is made again where the platform failed, and waits where the budget is used up', async () => {
  const faults = '502:path=/api/report/daily-close,times=1';
  const settings = { COMMERCE_MAX_WAIT_SECONDS: '0' };
  const options = { quota: 4, windowSeconds: 2, faults, settings, ordersPerDay: 1 };
  const server = await serverOver('http', options);
  const { call, connect } = await program();
  const client = await connect(server.url);
  for (const date of ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'])
    expect(await call(client, 'get_daily_close', { date })).toMatchObject({ context: {} });
  const refused = call(client, 'get_daily_close', { date: 'soon' });
  await expect(refused).rejects.toMatchObject({
    message: expect.stringMatching(/^change the call: get_daily_close: /),
    cause: { code: 'bad_input', argument: 'date' },
  });
  await client.close();
});
