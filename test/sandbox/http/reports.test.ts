import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type Caller, callAs } from '../caller.ts';

let sandbox: Sandbox;
let owner: Caller;
const now = Date.parse('2026-11-20T15:00:00+01:00');
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now, quota: 10_000 });
  owner = await callAs(sandbox);
});
afterAll(() => sandbox.close());

describe('the reports', () => {
  test('agree with each other and with the orders of the day', async () => {
    const [financial, payment, close, orders] = await Promise.all([
      owner.get('/api/financial-report?from=2026-11-14'),
      owner.get('/api/report/payment?from=2026-11-14'),
      owner.get('/api/report/daily-close?date=2026-11-14'),
      owner.get('/api/order?from=2026-11-14'),
    ]);
    const { turnover } = { turnover: sandbox.world.report('2026-11-14').turnover() };
    expect(financial.body).toHaveProperty('revenue.total_turnover_wt', turnover.wtCents / 100);
    expect(financial.body).toHaveProperty('revenue.total_turnover', turnover.exCents / 100);
    expect(close.body).toMatchObject({
      turnover_wt: turnover.wtCents / 100,
      turnover: turnover.exCents / 100,
      order_count: orders.body.total,
      payments: payment.body.payments,
    });
    expect(financial.body).toHaveProperty('direct_paid.payments', payment.body.payments);
    expect(financial.body).toHaveProperty('direct_paid.balance_check', payment.body.balance_check);
  });

  test('show the shortage of the unbalanced day where it arose', async () => {
    const { date, differenceCents } = sandbox.world.unbalancedDay;
    const check = async (query: string) =>
      (await owner.get(`/api/report/payment?from=${date}${query}`)).body.balance_check;
    expect(await check('')).toMatchObject({
      is_balanced: false,
      difference_wt: differenceCents / 100,
    });
    expect(await check('&location_id=2')).toMatchObject({ is_balanced: false });
    expect(await check('&location_id=3')).toMatchObject({ is_balanced: true, difference_wt: 0 });
  });

  test('are all zeros, and no margin percentage, on the closed day', async () => {
    const { body } = await owner.get(`/api/financial-report?from=${sandbox.world.closedDay}`);
    expect(body).toHaveProperty('revenue.total_turnover_wt', 0);
    expect(body).toHaveProperty('revenue.margin', { value: 0, percentage: null });
    expect(body).toHaveProperty('direct_paid.payments', []);
  });

  test('split turnover by group only over shops of the location asked for (rule 2)', async () => {
    const { body } = await owner.get('/api/financial-report?from=2026-11-14&location_id=2');
    const shops = sandbox.world.shops.filter(({ locationId }) => locationId === 2);
    expect(body).toHaveProperty(
      'turnover_by_group.shop_totals',
      shops.map(({ id }) => expect.objectContaining({ shop_id: id })),
    );
  });

  test.each([
    ['manager', '', 200],
    ['manager', '&location_id=3', 404],
    ['regional', '', 403],
    ['regional', '&location_id=3', 200],
    ['auditor', '', 403],
    ['auditor', '&location_id=5', 404],
    ['unbound', '', 403],
    ['owner', '&location_id=7', 404],
    ['owner', '&location_id=x', 400],
  ] as const)('for the role %s with "%s" answer %i (rule 11)', async (role, query, status) => {
    const caller = await callAs(sandbox, role);
    const answers = await Promise.all(
      [
        `/api/financial-report?from=2026-11-14${query}`,
        `/api/report/payment?from=2026-11-14${query}`,
        `/api/report/daily-close?date=2026-11-14${query}`,
        `/api/report/product-sale?from=2026-11-14${query}`,
      ].map((path) => caller.get(path)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(4).fill(status));
  });

  test('limit a manager to the own location without being told to', async () => {
    const { body } = await (await callAs(sandbox, 'manager')).get(
      '/api/report/daily-close?date=2026-11-14',
    );
    const own = sandbox.world.report('2026-11-14', '2026-11-14', { locationId: 2 });
    expect(body).toMatchObject({ location_id: 2, turnover_wt: own.turnover().wtCents / 100 });
  });

  test('give product sales per group and shop that add up to the group’s turnover', async () => {
    const query = 'from=2026-11-01&to=2026-11-14&shop_id=3&product_group_id=12&limit=500';
    const { rows } = await owner.get(`/api/report/product-sale?${query}`);
    const sold = rows.map((row) => Math.round(Number(row.turnover_wt) * 100));
    const group = sandbox.world.report('2026-11-01', '2026-11-14', { shopId: 3 }).byGroup.get(12);
    expect(sold.reduce((a, b) => a + b, 0)).toBe(group?.wtCents);
  });
});

describe('locations (section 4, rules 3 and 4)', () => {
  test.each([
    ['owner', [2, 3, 5]],
    ['manager', [2]],
    ['regional', [2, 3]],
    ['auditor', [2, 3]],
    ['unbound', []],
  ] as const)('are listed to %s as %j', async (role, ids) => {
    const { body, rows } = await (await callAs(sandbox, role)).get('/api/location');
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(body).toMatchObject({ count: ids.length, total: ids.length });
  });

  test('outside the scope answer byte for byte as missing ones', async () => {
    const manager = await callAs(sandbox, 'manager');
    const trace = { 'x-request-id': 'the-same-request' };
    const outOfScope = await manager.get('/api/location/3', trace);
    const missing = await manager.get('/api/location/404', trace);
    expect(outOfScope.status).toBe(404);
    expect(outOfScope.text).toBe(missing.text);
  });

  test.each([
    ['/api/location', 'location.list'],
    ['/api/location/2', 'location.view'],
  ])('answer %s with 403 to a role without %s', async (path, capability) => {
    const { status, body } = await (await callAs(sandbox, 'powerless')).get(path);
    expect(status).toBe(403);
    expect(body.detail).toContain(capability);
  });
});

describe('reference data and customers', () => {
  test('have tax rates of one country or of all', async () => {
    const dutch = await owner.get('/api/tax-rate?country_code=NL');
    const all = await owner.get('/api/tax-rate');
    expect(dutch.rows.map(({ percentage }) => percentage)).toEqual([21, 9, 0]);
    expect(all.rows.filter(({ percentage }) => percentage === 21).length).toBeGreaterThan(1);
  });

  test.each(['/api/payment-method', '/api/customer-segment'])('list %s by name', async (path) => {
    const names = (await owner.get(path)).rows.map(({ name }) => String(name));
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'nl')));
  });

  test('find customers by any contact field and by segment', async () => {
    const byMail = await owner.get('/api/customer?q=RELATIE42@');
    const segment = (await owner.get('/api/customer-segment')).rows[0];
    const members = await owner.get(`/api/customer?segment_id=${segment?.id}&limit=500`);
    expect(byMail.rows.map(({ id }) => id)).toEqual([20_042]);
    expect(members.body.total).toBe(segment?.customer_count);
    expect((await owner.get('/api/customer/20042')).body).toHaveProperty('address.city');
    expect((await owner.get('/api/customer/19999')).status).toBe(404);
  });
});
