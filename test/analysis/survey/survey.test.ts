import { describe, expect, test, vi } from 'vitest';
import type { BehaviourName } from '../../../src/analysis/services.ts';
import { AccountSurvey } from '../../../src/analysis/survey/survey.ts';
import type { SharedValues } from '../../../src/client/request/get.ts';
import {
  documentedColumns,
  givesRows,
  type Toolset,
  toolsets,
} from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { listShops } from '../../../src/endpoints/reference.ts';
import { farSandbox, openFarServer } from '../../mcp/far-server.ts';
import {
  now,
  requestsTo,
  runSql,
  type ServerOptions,
  sandboxAt,
  serverOver,
  type TestServer,
} from '../../server-over.ts';

/** A busy machine takes its time. */
const patience = { timeout: 15_000 };

const behaviours = [
  'internal_orders',
  'product_sales_returns',
  'walk_in_customer',
] as const satisfies readonly BehaviourName[];

const bare: ServerOptions = { description: 'bare' };
const allTables = 'SELECT * FROM tables';
const tableNamed = (name: string) => `${allTables} WHERE name = '${name}'`;

/** Requests to the API while something is done. */
async function requestsOf({ sandbox: { stats } }: TestServer, doing: () => Promise<unknown>) {
  const before = stats.requests;
  await doing();
  return stats.requests - before;
}

async function columnsOf(server: TestServer, name: string): Promise<string> {
  const { rows } = await runSql(server, tableNamed(name));
  return String(rows[0]?.columns);
}

describe('a survey', () => {
  test('asks nothing before something needs it', async () => {
    const server = await serverOver('memory', bare);
    const { survey } = server.app.services;
    expect(await requestsOf(server, async () => survey.columnsOf('list_orders'))).toBe(0);
    expect(survey.columnsOf('list_orders')).toMatchObject({
      isOpen: true,
      columns: { order_number: 'text', discount_value_wt: 'decimal', date_updated: 'timestamp' },
    });
  });

  test.each(['full', 'bare'] as const)(
    'over a %s description takes 26 requests for all tables, then none but of behaviours for a month',
    async (description) => {
      let time = Date.parse('2026-11-20T15:30:00+01:00');
      const now = () => time;
      const server = await serverOver('memory', { description, now });
      const look = () => requestsOf(server, () => runSql(server, allTables));
      expect(await look()).toBeLessThanOrEqual(26);
      expect(await look()).toBe(0);
      time += 23 * 3_600_000;
      expect(await look()).toBe(0);
      time += 2 * 3_600_000;
      expect(await look()).toBeLessThanOrEqual(6);
      time += 31 * 24 * 3_600_000;
      expect(await look()).toBeGreaterThan(15);
    },
  );

  test('takes three rounds', async () => {
    const sandbox = await sandboxAt({ ...bare, quota: 100_000 });
    const server = await openFarServer(farSandbox(sandbox));
    await server.clock.advance(3000);
    await server.ask('get_me');
    const { survey } = server.app.services;
    const startedMs = server.clock.elapsed();
    await server.clock.run(survey.look(endpoints.map(({ tool }) => tool)));
    // Eight requests at once: 24 are three rounds, and those that need an id come after their list.
    expect((server.clock.elapsed() - startedMs) / 200).toBeLessThan(4.1);
    await server.app.close();
  });

  test('finds over a bare description what a full one says', async () => {
    const [full, plain] = await Promise.all([
      serverOver('memory', { description: 'full' }),
      serverOver('memory', bare),
    ]);
    const both = [full, plain].map(({ app }) => app.services.survey);
    // Of reports it finds measures.
    const ofRows = endpoints.filter((it) => it.toolset !== 'reports' || givesRows(it));
    const tools = ofRows.map(({ tool }) => tool);
    await both[1]?.look(tools);
    for (const tool of tools) {
      const [described, found] = both.map((it) => {
        const names = Object.keys(it.columnsOf(tool).columns);
        // What this account has besides.
        return names.filter((name) => name !== 'remark' && name !== 'segment_ids').sort();
      });
      expect([tool, found]).toEqual([tool, described]);
    }
  });

  test('says what it saw: measures by path, values, and what rests on them', async () => {
    const server = await serverOver('memory', bare);
    expect(await columnsOf(server, 'get_daily_close')).toMatch(
      /'' \{turnover, turnover_wt, order_count\}.* payments \{amount_wt; per payment_method\}/,
    );
    expect(await columnsOf(server, 'list_order_items')).toMatch(/kind \(seen: .*product/);
    expect(await columnsOf(server, 'list_orders')).toContain('date_created timestamp');
    expect(await columnsOf(server, 'get_order')).toMatch(/billing_address\.\{name, .*city/);
    const { rows } = await runSql(server, tableNamed('list_orders'));
    const internal = await server.app.services.survey.behaviour('internal_orders');
    expect(internal).toMatchObject({ value: 'left_out' });
    expect(rows[0]?.holds).toContain(internal?.text);
  });

  test.each(['plain', 'other'] as const)(
    'agrees with the business about what the document leaves open, over the %s dialect',
    async (dialect) => {
      const { app } = await serverOver('memory', { ...bare, dialect });
      const { survey } = app.services;
      const isPlain = dialect === 'plain';
      const values = {
        internal_orders: isPlain ? 'left_out' : 'included',
        product_sales_returns: isPlain ? 'off' : 'not_off',
        walk_in_customer: 20_000,
      };
      for (const name of behaviours)
        expect(await survey.behaviour(name)).toMatchObject({ value: values[name] });
    },
  );
});

/** A survey of its own before the same platform, as another replica has it. */
function another(
  { app }: TestServer,
  more: Partial<ConstructorParameters<typeof AccountSurvey>[0]>,
) {
  const { client, reference, maxRows, now } = app.services;
  const source = {
    client,
    reference,
    maxRows,
    now,
    endpoints,
    openapi: () => undefined,
    log: { error() {}, debug() {} },
    ...more,
  };
  return new AccountSurvey(source);
}

const all = new Set(toolsets);

function columnsIn(survey: AccountSurvey) {
  return survey.forCaller(all).columnsOf('list_shops').columns;
}

/** What the document says of shops. */
const documented = documentedColumns(listShops.output);

/** What processes on one key share, as it passes through JSON. */
function sharedValues() {
  const entries = new Map<string, unknown>();
  const shared: SharedValues = {
    trouble: async () => undefined,
    async put(name, value) {
      entries.set(name, JSON.parse(JSON.stringify(value)));
    },
    get: async (name, read) => read(entries.get(name)),
    remove: async (name) => void entries.delete(name),
  };
  return { shared, entries };
}

describe('what is known without a look', () => {
  test('is what this account was seen to have before, by whichever process, unless that is broken', async () => {
    const server = await serverOver('memory', bare);
    const { shared, entries } = sharedValues();
    const open = () => another(server, { shared });
    const first = open();
    await first.forCaller(all).look(['list_shops']);
    await first.close();
    const second = open();
    const asking = () => second.forCaller(all).look(['list_shops']);
    expect(await requestsOf(server, asking)).toBe(0);
    expect(columnsIn(second)).toEqual(columnsIn(first));
    expect(columnsIn(second)).toMatchObject({ id: 'integer', name: 'text' });

    const remembered = (places: object, rows: unknown = 20) => {
      entries.set('shape:1', { list_shops: { rows, places } });
      return open();
    };
    const day = '2026-11-01';
    const known = remembered({ elsewhere: { wholeNumber: day } });
    await known.recall();
    expect(columnsIn(known)).toEqual({ ...documented, elsewhere: 'integer' });
    for (const broken of [
      remembered({ elsewhere: { wholeNumber: '2027-01-01' } }),
      remembered({ elsewhere: { wholeNumber: '2026-10-01' } }),
      remembered({ elsewhere: { wholeNumber: day }, 'x\u202e': { wholeNumber: day } }),
      remembered({ elsewhere: 'text' }),
      remembered({ elsewhere: { wholeNumber: day } }, 'many'),
    ]) {
      await broken.recall();
      expect(columnsIn(broken)).toEqual(documented);
    }
  });

  test('is what every answer showed, of whichever call and caller', async () => {
    const server = await serverOver('memory', bare);
    const { survey } = server.app.services;
    await server.ask('list_orders', { period: 'yesterday', limit: 3 });
    await server.ask('get_daily_close', { date: 'yesterday' });
    expect(survey.columnsOf('list_orders').columns).toMatchObject({ total_wt: 'decimal' });
    expect(survey.columnsOf('get_daily_close').measures).toContainEqual(
      expect.objectContaining({ path: '', split: 'total' }),
    );
    const [list, close] = ['/api/order', '/api/report/daily-close'];
    const asking = () => survey.look(['list_orders', 'get_daily_close']);
    expect(await requestsTo(server, list, asking)).toBe(0);
    expect(await requestsTo(server, close, asking)).toBe(0);
  });

  test('is openapi.json as soon as it comes', async () => {
    const server = await serverOver('memory', { description: 'full', describeWithinMs: 0 });
    const { survey } = server.app.services;
    await vi.waitFor(() => expect(survey.columnsOf('list_orders').isOpen).toBe(false), patience);
    expect(survey.columnsOf('list_orders').columns).toHaveProperty('total_wt', 'decimal');
  });
});

describe('a statement over a bare description', () => {
  test('costs no look where its own rows show the columns', async () => {
    const server = await serverOver('memory', bare);
    const sql = "SELECT sum(total_wt) AS s FROM list_orders(period := 'yesterday') o";
    expect(await requestsOf(server, () => runSql(server, sql))).toBe(1);
  });

  test('costs no look for a table that waits for others', async () => {
    const server = await serverOver('memory', bare);
    const sql = `SELECT count(*) AS n FROM list_order_items(order_id := (
      SELECT max(id) FROM list_orders(period := 'yesterday'))) i WHERE i.total_ex > 0`;
    // The list, and the lines of its order.
    expect(await requestsOf(server, () => runSql(server, sql))).toBe(2);
    const again = sql.replace('max', 'min');
    expect(await requestsOf(server, () => runSql(server, again))).toBe(1);
  });

  test('refuses a column over days without rows, by what a look at the account shows', async () => {
    const server = await serverOver('memory', bare);
    const sql =
      "SELECT total_tw FROM list_orders(period := 'today', shop_id := 6, is_internal := true)";
    const { text, isError } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toContain('did you mean total_wt?');
    // What the look has shown is known from now on.
    const again = () => server.ask('query', { sql: sql.replace('today', 'last_week') });
    expect(await requestsOf(server, again)).toBe(0);
    const right = sql.replace('total_tw', 'sum(total_wt) AS t, min(date_created) AS first');
    expect((await runSql(server, right)).rows).toEqual([{ t: null, first: null }]);
  });

  test('is answered, empty, over an account that has shown no row at all, and says so', async () => {
    const server = await serverOver('memory', { ...bare, ordersPerDay: 0 });
    const sql = "SELECT any_name, other + 1 FROM list_orders(period := 'yesterday')";
    const { rows, context } = await runSql(server, sql);
    expect(rows).toEqual([]);
    const unseen = { code: 'unseen_columns', table: 'list_orders' };
    expect(context.warnings).toContainEqual(expect.objectContaining(unseen));
  });

  test('names the columns of no rows, in text and structure', async () => {
    const server = await serverOver('memory', bare);
    const sql = "SELECT * FROM list_discount_orders(period := 'last_week') WHERE id < 0";
    const { text, body } = await server.ask('query', { sql });
    expect(body.columns).toEqual(expect.arrayContaining(['order_number', 'total_wt']));
    expect(text).toContain('"total_wt"');
  });
});

describe('a look', () => {
  test.each([
    ['is refused', 'status=403:path=/api/stock', 'list_stock', '403'],
    ['finds nothing', 'status=404:path=/api/customer', 'search_customers', '404'],
    ['has no id to go by', 'status=403:path=/api/order', 'get_order', '403'],
  ])('that %s leaves its table as it was, and says so', async (_, faults, tool, reason) => {
    const server = await serverOver('memory', { ...bare, faults });
    const columns = await columnsOf(server, tool);
    expect(columns).not.toContain('trace');
    const { failed } = server.app.services.survey.columnsOf(tool);
    expect(failed).toContain(reason);
    await columnsOf(server, 'list_shops');
    expect(server.app.services.survey.columnsOf('list_shops').failed).toBeUndefined();
  });

  test('at a record that the key cannot read goes on with the next one, three at most', async () => {
    const server = await serverOver('memory', bare);
    server.sandbox.control.inject('status=404:path=/api/order/*,times=2');
    expect(await columnsOf(server, 'list_order_items')).toContain('total_wt');
    const blocked = await serverOver('memory', bare);
    blocked.sandbox.control.inject('status=404:path=/api/order/*');
    await columnsOf(blocked, 'list_order_items');
    expect(blocked.app.services.survey.columnsOf('list_order_items').failed).toBeDefined();
  });

  test('that failed keeps nothing from a statement, and is made again', async () => {
    const settings = { COMMERCE_DEFINITIONS: 'definitions' };
    let time = now;
    const server = await serverOver('memory', { ...bare, settings, now: () => time });
    const { control } = server.sandbox;
    control.inject('502:path=/api/report/product-sale');
    const { survey } = server.app.services;
    await columnsOf(server, 'get_product_sales');
    expect(survey.columnsOf('get_product_sales')).toMatchObject({ isOpen: true, rowCount: 0 });
    expect(survey.columnsOf('get_product_sales').failed).toContain('502');
    const { rows } = await runSql(server, tableNamed('slow_movers'));
    expect(rows[0]?.holds).toMatch(/^Slow movers/);
    control.clearFaults();
    const view = "FROM slow_movers(period := 'last_week')";
    expect((await runSql(server, view)).rows.length).toBeGreaterThan(0);
    time += 61_000;
    await columnsOf(server, 'get_product_sales');
    expect(survey.columnsOf('get_product_sales').failed).toBeUndefined();
  });

  test('is one request for each of its own where the platform fails', async () => {
    const server = await serverOver('memory', { ...bare, faults: '502:path=/api/stock' });
    const { survey } = server.app.services;
    expect(await requestsTo(server, '/api/stock', () => survey.look(['list_stock']))).toBe(1);
    // A caller's own question is worth more.
    const asking = () => server.ask('list_stock', { location_id: '2' });
    expect(await requestsTo(server, '/api/stock', asking)).toBe(4);
  });

  test('that is refused is not made again, and leaves its table open', async () => {
    const faults = 'status=403:path=/api/stock';
    const server = await serverOver('memory', { ...bare, faults });
    const { survey } = server.app.services;
    await survey.look(['list_stock']);
    expect(survey.columnsOf('list_stock')).toMatchObject({ isOpen: true });
    expect(await requestsOf(server, () => survey.look(['list_stock']))).toBe(0);
  });

  test('that fails unexpectedly is logged, and at debug with what it read', async () => {
    const server = await serverOver('memory', bare);
    const log = { error: vi.fn(), debug: vi.fn() };
    const get = () => Promise.reject(new TypeError('x is not a function'));
    const client = { ...server.app.services.client, get };
    const survey = another(server, { client, log }).forCaller(all);
    await survey.look(['list_shops']);
    const failed = 'a look at the account failed';
    const place = expect.stringMatching(/^at /);
    expect(log.error.mock.calls).toEqual([[{ error: 'TypeError', at: place }, failed]]);
    const whole = expect.stringMatching(/^TypeError: x is not a .*\n +at /);
    expect(log.debug.mock.calls).toEqual([[{ error: whole }, failed]]);
    expect(survey.columnsOf('list_shops').failed).toBe('it cannot be read');
  });

  test.each<[Toolset[], BehaviourName[]]>([
    [['reports'], ['product_sales_returns']],
    [['analysis'], []],
    [['customers'], []],
    [['orders'], ['internal_orders']],
    [
      ['orders', 'customers'],
      ['internal_orders', 'walk_in_customer'],
    ],
  ])('of what it found tells those with %j alone %j', async (open, names) => {
    const { app } = await serverOver('memory', bare);
    const whole = app.survey.forCaller(new Set(toolsets));
    await Promise.all(behaviours.map((name) => whole.behaviour(name)));
    const survey = app.survey.forCaller(new Set(open));
    expect(behaviours.filter((name) => survey.known(name) !== undefined)).toEqual(names);
    const found = await Promise.all(behaviours.map((name) => survey.behaviour(name)));
    expect(behaviours.filter((_, at) => found[at]?.value !== undefined)).toEqual(names);
    const evidence = JSON.stringify(found);
    if (!open.includes('orders')) expect(evidence).not.toMatch(/(?<!dis|order_)count|\d{4}-\d\d/);
  });

  test('gives a caller without customers no column and no fact of theirs', async () => {
    const settings = { COMMERCE_TOOLSETS: 'reports,orders,analysis' };
    const server = await serverOver('memory', { ...bare, settings });
    const { rows } = await runSql(server, allTables);
    expect(JSON.stringify(rows)).not.toMatch(/customer_name|billing_address|segment_id|20000/);
    const { survey } = server.app.services;
    expect((await survey.behaviour('walk_in_customer'))?.value).toBeUndefined();
    // What one caller may not know was found for another.
    const whole = server.app.survey.forCaller(new Set(toolsets));
    await whole.look(['get_order']);
    expect(whole.columnsOf('get_order').columns).toHaveProperty('billing_address');
    expect(survey.columnsOf('get_order').columns).not.toHaveProperty('billing_address');
  });
});
