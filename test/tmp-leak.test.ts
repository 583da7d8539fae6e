import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { sandboxAt } from './server-over.ts';
import { entryOf, serveAccounts, tokenOf } from './mcp/http/accounts-server.ts';
import { bearer, callTool } from './mcp/http/messages.ts';
test('heap', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const first = await sandboxAt({ now: Date.now, ordersPerDay: 5, days: 60, quota: 1_000_000 });
  const names = Array.from({ length: 50 }, (_, at) => `account-${at}`);
  const entries = Object.fromEntries(names.map((it) => [it, entryOf(first)]));
  const server = await serveAccounts(entries, { bounds: { idleMs: 0, sweepMs: 3_600_000 } });
  const heap = () => { gc(); gc(); return (process.memoryUsage().heapUsed / 1e6).toFixed(2); };
  const all = async () => { for (const n of names) await callTool(server.url, 'get_daily_close', { date: 'yesterday' }, bearer(tokenOf(n))); };
  console.log('start', heap());
  for (let r = 0; r < 40; r++) {
    await all();
    const open = heap();
    server.lines.length = 0;
    await vi.waitFor(async () => expect(await server.metrics()).toContain('queue_active 0'));
    await server.accounts.sweep();
    expect(server.open()).toEqual([]);
    await new Promise((it) => setTimeout(it, 300));
    console.log(r, 'open', open, 'closed', heap());
  }
}, 400_000);
