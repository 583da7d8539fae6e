import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sandboxAt } from '../../server-over.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { account, spawnHttp } from '../../spawn.ts';
import { callTool } from './messages.ts';

test('100,000 rows become a file within 1 GB, and hold nobody up meanwhile', async () => {
  const sandbox = await sandboxAt({ now: Date.now });
  const server = await spawnHttp(account(sandbox));
  closeAfterwards(() => server.stop());
  const columns = [
    "i AS id, i % 6 + 1 AS shop_id, 'W' || i AS order_number, (i % 9999) / 100 AS total_wt",
    "DATE '2026-10-01' + (i % 30)::INT AS day, '0031' || i AS phone, 'remark ' || i AS remark",
    "TIMESTAMPTZ '2026-10-01 10:00:00Z' + to_minutes(i) AS date_created, i % 3 = 0 AS is_paid",
  ];
  const sql = `SELECT ${columns.join()} FROM range(100000) numbers(i)`;
  await callTool(server.url, 'list_shops');
  let isDone = false;
  const waitsMs: number[] = [];
  const watching = (async () => {
    for (; !isDone; await sleep(10)) {
      const startedMs = performance.now();
      await (await fetch(new URL('/healthz', server.url))).text();
      waitsMs.push(performance.now() - startedMs);
    }
  })();
  for (const format of ['xlsx', 'csv']) {
    const exported = JSON.stringify(await callTool(server.url, 'export_rows', { sql, format }));
    expect(exported).toContain('"rows":100000');
    const response = await fetch(/"url":"([^"]+)"/.exec(exported)?.[1] ?? '');
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([
      200,
      expect.any(Number),
    ]);
  }
  isDone = true;
  await watching;
  // 500 ms on a quiet machine; a busy one stretches them.
  expect(waitsMs.sort((a, b) => b - a)[1]).toBeLessThan(1500);
  if (process.platform !== 'linux') return;
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  expect(Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1])).toBeLessThan(1_000_000);
}, 300_000);
