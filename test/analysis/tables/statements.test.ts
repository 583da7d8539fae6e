import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { bearer, lastMessage, message, post } from '../../mcp/http/messages.ts';
import { runSql, serverOver, sharedServer } from '../../server-over.ts';

const owner = sharedServer();
const look = 'SELECT * FROM tables';

describe('the look at all tables', () => {
  test.each(['full', 'bare', 'none'] as const)(
    'fits 2,200 tokens with the description %s',
    async (description) => {
      const { text, rows } = await runSql(await serverOver('memory', { description }), look);
      expect(countTokens(text)).toBeLessThanOrEqual(2200);
      expect(rows.length).toBeGreaterThan(25);
    },
  );

  test('says of one table all there is', async () => {
    const { rows, text } = await runSql(owner(), `${look} WHERE name = 'list_orders'`);
    expect(rows).toHaveLength(1);
    const { columns } = rows[0] ?? {};
    expect(columns).toContain('relation_data_id = search_customers.id');
    expect(columns).toContain('total_wt, ');
    expect(columns).toContain('date_created timestamp');
    expect(columns).toMatch(/status \(seen: .*complete\|.*shipped\)/);
    expect(text).toContain('Comma list, e.g. new,complete,shipped');
  });
});

describe('the facts of payments', () => {
  const facts = "get_payment_report(period := 'yesterday')";

  test('have no columns that none of them fills', async () => {
    const { rows } = await runSql(owner(), `FROM ${facts}`);
    const names = ['path', 'measure', 'value', 'split', 'provider_method_type_id', 'name'];
    expect(Object.keys(rows[0] ?? {})).toEqual(names);
  });

  test('name those there are where another is asked for', async () => {
    const { text } = await owner().ask('query', { sql: `SELECT shop_id FROM ${facts}` });
    expect(text).toMatch(/no column "?shop_id.*provider_method_type_id/s);
  });
});

describe('the table of days', () => {
  const days = (args: string) => runSql(owner(), `FROM calendar(${args})`);

  test('has a row a day, each once, and asks nothing', async () => {
    const { rows, context } = await days("period := ['2025-12-31..2026-01-01', '2026-01-01']");
    expect(rows).toEqual([
      {
        day: '2025-12-31',
        weekday: 'Wednesday',
        week: '2026-W01',
        month: '2025-12',
        holiday: null,
      },
      {
        day: '2026-01-01',
        weekday: 'Thursday',
        week: '2026-W01',
        month: '2026-01',
        holiday: "New Year's Day",
      },
    ]);
    expect(context.tables).toEqual([]);
  });

  test('joins with lists, so that days without rows are there', async () => {
    const { rows } = await runSql(
      owner(),
      `SELECT day, count(o.id) AS n FROM calendar(period := 'last_week') LEFT JOIN list_orders(period := '2026-11-09') o
         ON CAST(date_created AS DATE) = day GROUP BY ALL ORDER BY ALL`,
    );
    const { world } = owner().sandbox;
    expect(rows).toHaveLength(7);
    expect(rows[0]).toEqual({ day: '2026-11-09', n: world.orders('2026-11-09').length });
    expect(rows[6]).toEqual({ day: '2026-11-15', n: 0 });
  });

  test.each([
    ['FROM calendar', 'calendar(period := ...)'],
    ["FROM calendar WHERE period = 'last_week'", "calendar(period := 'last_week')"],
    ["FROM calendar(period := 'last_moth')", 'last_month'],
    [
      "FROM calendar(period := '1900-01-01..2026-01-01')",
      'calendar: a period has 20000 days at most.',
    ],
  ])('says what is wrong with %s', async (sql, words) => {
    const { isError, text } = await owner().ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toContain(words);
  });
});

describe('the names of ids that an answer shows', () => {
  test('are read once, beside the tables, and not where none is shown', async () => {
    const server = await serverOver('memory');
    const { byPath } = server.sandbox.stats;
    const asked = () => byPath['/api/shop'] ?? 0;
    const orders = "list_orders(period := 'yesterday')";
    await runSql(server, `SELECT count(*) AS n FROM ${orders} WHERE shop_id > 0`);
    expect(asked()).toBe(0);
    const { text } = await runSql(
      server,
      `SELECT shop_id, count(*) AS n FROM ${orders} GROUP BY ALL`,
    );
    expect(text).toMatch(/^1 Webshop\|\d+$/m);
    expect(asked()).toBe(1);
  });
});

describe('with a toolset alone', () => {
  /** A table of each toolset, and what it is called without arguments where it has another name. */
  const samples = {
    reports: 'get_daily_close("date" := \'yesterday\')',
    orders: "list_orders(period := 'yesterday')",
    catalog: 'search_products()',
    customers: 'search_customers()',
    reference: 'shops',
  };

  test.each(toolsets.filter((toolset) => toolset !== 'analysis'))(
    '%s (and SQL), tables of other toolsets are none, and nothing names them',
    async (toolset) => {
      const settings = { COMMERCE_TOOLSETS: `${toolset},analysis` };
      const server = await serverOver('memory', { settings });
      const closed = endpoints.filter((endpoint) => endpoint.toolset !== toolset);
      const { text: listed } = await runSql(server, 'SELECT name FROM tables');
      for (const [other, sample] of Object.entries(samples)) {
        const sql = `SELECT count(*) FROM ${sample}`;
        const { isError, text } = await server.ask('query', { sql });
        expect(isError, text).toBe(other !== toolset);
        const [asked = ''] = sample.split('(');
        const said = other === toolset ? listed : text.replaceAll(asked, '');
        for (const { tool } of closed) expect(said).not.toMatch(new RegExp(`\\b${tool}\\b`));
        if (toolset !== 'reference') expect(said).not.toMatch(/\b(shops|tax_rates)\b/);
      }
    },
  );
});

describe('kept rows', () => {
  test('are a table under their id', async () => {
    const server = owner();
    const sql =
      "SELECT shop_id, sum(total_wt) AS total FROM list_orders(period := 'last_week') GROUP BY ALL";
    const { context } = await runSql(server, sql);
    const [table] = Array.isArray(context.tables) ? context.tables : [];
    const again = await runSql(server, `SELECT count(*) AS n FROM result('${table?.result}')`);
    expect(again.rows).toEqual([{ n: table?.rows }]);
  });

  test('of another caller are none, nor is what a statement of theirs read', async () => {
    const [alice, bob] = ['alice-has-a-long-token', 'bobby-has-a-long-token'];
    const http = await serverOver('http', {
      settings: { COMMERCE_HTTP_TOKENS: `alice:${alice};bob:${bob}` },
    });
    const ask = async (token: string, sql: string) => {
      const body = message('tools/call', { name: 'query', arguments: { sql } });
      return JSON.stringify(await lastMessage(await post(http.url, body, bearer(token))));
    };
    const first = await ask(alice, "SELECT * FROM list_orders(period := 'last_week')");
    const ids = [...new Set(first.match(/r_[0-9a-z]{10}/g))];
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      expect(await ask(alice, `SELECT count(*) AS n FROM result('${id}')`)).toContain('"n":');
      expect(await ask(bob, `SELECT count(*) AS n FROM result('${id}')`)).toContain('result_gone');
    }
    const own = await ask(bob, "SELECT count(*) AS n FROM list_orders(period := 'last_week')");
    for (const id of ids) expect(own).not.toContain(id);
  });
});
