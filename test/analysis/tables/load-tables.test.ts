import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { now, requestsTo, runSql, serverOver, sharedServer } from '../../server-over.ts';

const orders = '/api/order';
const items = '/api/order/{id}/item';

const shared = sharedServer();

describe('a table', () => {
  test('is read once however often it occurs, and kept for the next statement', async () => {
    const server = shared();
    const october = "list_orders(period := '2026-10-01..2026-10-31')";
    const once = await requestsTo(server, orders, () =>
      runSql(server, `SELECT (SELECT count(*) FROM ${october}) AS n FROM ${october}`),
    );
    const { length } = server.sandbox.world.orders('2026-10-01', '2026-10-31');
    expect(once).toBe(Math.ceil(length / 500));
    const again = await requestsTo(server, orders, async () => {
      const { context, text } = await runSql(
        server,
        `SELECT max(total_wt) AS most FROM ${october}`,
      );
      expect(context.tables).toMatchObject([{ cached: true, calls: 0, rows: length }]);
      expect(text).toContain('kept from before');
    });
    expect(again).toBe(0);
  });

  test('is the same for another column and another alias', async () => {
    const server = shared();
    await runSql(server, "SELECT count(*) AS n FROM list_orders(period := 'last_week')");
    const again = await requestsTo(server, orders, () =>
      runSql(server, "SELECT x.id FROM list_orders(period => 'last_week') x ORDER BY ALL LIMIT 2"),
    );
    expect(again).toBe(0);
  });

  test('of many values asks for those alone that are new', async () => {
    const server = shared();
    const days = (last: string) =>
      `SELECT count(*) AS n FROM get_daily_close("date" := ['2026-11-02', '${last}'])`;
    const path = '/api/report/daily-close';
    expect(await requestsTo(server, path, () => runSql(server, days('2026-11-03')))).toBe(2);
    expect(await requestsTo(server, path, () => runSql(server, days('2026-11-04')))).toBe(1);
  });

  test('is fresh for a minute with today in it, and for ten with days that are over', async () => {
    let clock = now;
    const server = await serverOver('memory', { now: () => clock });
    const readAfter = (seconds: number, period: string) => {
      clock = now + seconds * 1000;
      const sql = `SELECT count(*) AS n FROM list_orders(period := '${period}')`;
      return requestsTo(server, orders, () => runSql(server, sql));
    };
    expect(await readAfter(0, 'today')).toBe(1);
    expect(await readAfter(0, 'yesterday')).toBe(1);
    expect(await readAfter(59, 'today')).toBe(0);
    expect(await readAfter(61, 'today')).toBe(1);
    expect(await readAfter(599, 'yesterday')).toBe(0);
    expect(await readAfter(601, 'yesterday')).toBe(1);
  });
});

describe('the cost of a statement', () => {
  const linesOf = (period: string) =>
    `SELECT count(*) AS n FROM list_order_items(order_id := (SELECT id FROM list_orders(period := '${period}')))`;

  test('is refused before it is spent: number, time, narrowing; what told it is kept', async () => {
    const server = shared();
    const values = server.sandbox.world.orders('2026-09-01', '2026-09-10').length;
    const sql = linesOf('2026-09-01..2026-09-10');
    const needed = values + Math.ceil(values / 500);
    const pages = await requestsTo(server, orders, async () => {
      const lines = await requestsTo(server, items, async () => {
        const { isError, text } = await server.ask('query', { sql, max_calls: 100 });
        expect(isError).toBe(true);
        expect(text).toContain(`takes ${needed} platform calls, and max_calls is 100`);
        expect(text).toContain(`${values} values of order_id`);
        expect(text).toContain('rate budget');
        expect(text).toContain(`max_calls: ${needed}`);
      });
      expect(lines).toBe(0);
      // Granted the number that the refusal named, it reads the lines and nothing twice.
      expect(await requestsTo(server, items, () => runSql(server, sql, needed))).toBe(values);
    });
    expect(pages).toBe(needed - values);
  });

  test('is nothing for what is kept: pages of a list that was refused, answers that came in time', async () => {
    const server = shared();
    const period = '2026-08-01..2026-08-20';
    const { length } = server.sandbox.world.orders('2026-08-01', '2026-08-20');
    const pages = Math.ceil(length / 500);
    const sql = (part: string) =>
      `SELECT count(*) AS n FROM list_order_items(order_id := (SELECT id FROM list_orders(period := '${period}') ORDER BY id LIMIT ${part}))`;
    const first = await runSql(server, sql('20'));
    expect(first.context.tables).toMatchObject([{ calls: pages }, { calls: 20 }]);
    const { text } = await server.ask('query', { sql: sql('30'), max_calls: 9 });
    expect(text).toContain('takes 10 platform calls, and max_calls is 9');
    const { context } = await runSql(server, sql('30'), 10);
    expect(context.tables).toMatchObject([{ calls: 0, cached: true }, { calls: 10 }]);
  });

  test('of a list counts its requests, not the pages that an interrupted read left', async () => {
    const server = await serverOver('memory', { faults: '502:path=/api/order,after=3' });
    const { sandbox } = server;
    const sql = "SELECT count(*) AS n FROM list_orders(period := '2026-08-01..2026-09-30')";
    const { isError } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    sandbox.control.clearFaults();
    const pages = Math.ceil(sandbox.world.orders('2026-08-01', '2026-09-30').length / 500);
    const more = await requestsTo(server, orders, async () => {
      const left = await runSql(server, sql, pages - 1);
      expect(left.context.tables).toMatchObject([{ calls: pages - 3 }]);
    });
    expect(more).toBe(pages - 3);
  });

  test('of a list is known by its first page, before the rest is read', async () => {
    const server = shared();
    const sql = "SELECT count(*) AS n FROM list_orders(period := '2026-01-01..2026-08-31')";
    const read = await requestsTo(server, orders, async () => {
      const { text } = await server.ask('query', { sql, max_calls: 5 });
      expect(text).toMatch(/list_orders \d+ \(\d+ pages\)/);
    });
    expect(read).toBe(1);
  });

  test('says how long it takes at the present budget', async () => {
    const server = await serverOver('memory', { quota: 100 });
    const { text } = await server.ask('query', {
      sql: linesOf('2026-09-01..2026-09-10'),
      max_calls: 100,
    });
    expect(text).toMatch(/\(\d+ of 100 left\) that takes about \d+ (seconds|minutes)/);
  });
});

describe('a statement that was interrupted', () => {
  const sql =
    "SELECT count(*) AS n FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'yesterday')))";
  const yesterday = '2026-11-19';

  test('by its caller goes on from where it was', async () => {
    const server = await serverOver('memory', { latencyMs: 20, ordersPerDay: 60 });
    const { world, stats } = server.sandbox;
    const ending = new AbortController();
    const onprogress = ({ progress }: { progress: number }) => {
      if (progress >= 8) ending.abort();
    };
    const options = { signal: ending.signal, onprogress };
    await expect(server.ask('query', { sql }, options)).rejects.toThrow();
    const values = world.orders(yesterday).length;
    expect(stats.byPath[items]).toBeLessThan(values);
    await runSql(server, sql);
    // What was on its way when it was cancelled may be asked for again, and nothing else.
    expect(stats.byPath[items]).toBeLessThanOrEqual(values + 8);
    expect(stats.byPath[orders]).toBe(1);
  });

  test('by a platform that is down goes on from where it was', async () => {
    const server = await serverOver('memory', { faults: '502:path=/api/order/*,after=25' });
    const { control, stats, world } = server.sandbox;
    const { isError, text } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toContain('502');
    control.clearFaults();
    const more = await requestsTo(server, items, () => runSql(server, sql));
    expect(more).toBe(world.orders(yesterday).length - 25);
    expect(stats.byPath[orders]).toBe(1);
  });

  test('by a budget that is used up for a moment waits and asks for nothing twice', async () => {
    const server = await serverOver('memory', {
      faults: '429:path=/api/order/*,after=25,times=1,value=1',
    });
    const { stats, world } = server.sandbox;
    await runSql(server, sql);
    expect(stats.byPath[items]).toBe(world.orders(yesterday).length + 1);
  });

  test('by a budget that is used up for long says so, and what was read still serves', async () => {
    const server = await serverOver('memory', {
      faults: '429:path=/api/order/*,after=25,value=600',
    });
    const { isError, text } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toMatch(/rate budget .* Try again in \d+ seconds/s);
    const { rows } = await runSql(
      server,
      "SELECT count(*) AS n FROM list_orders(period := 'yesterday')",
    );
    expect(rows).toEqual([{ n: server.sandbox.world.orders(yesterday).length }]);
  });
});

describe('progress', () => {
  test('is told in rows of one list, and in answers of all', async () => {
    const server = shared();
    const said: string[] = [];
    const onprogress = ({ message = '' }: Progress) => void said.push(message);
    const sql = `SELECT count(*) AS n FROM list_order_items(order_id := (
      SELECT id FROM list_orders(period := '2026-06-01..2026-06-30') ORDER BY id LIMIT 120))`;
    await server.ask('query', { sql, max_calls: 2000 }, { onprogress });
    const total = server.sandbox.world.orders('2026-06-01', '2026-06-30').length;
    const all = total.toLocaleString('en-US');
    expect(said).toContain(`read ${all} of ${all} orders`);
    expect(said.some((text) => /^read \d+ of 120 list_order_items/.test(text))).toBe(true);
    expect(said.at(-1)).toBe('read 120 of 120 list_order_items');
  });
});
