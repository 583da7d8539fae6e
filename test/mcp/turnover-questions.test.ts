import { describe, expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { requestsTo, serverOver, sharedServer } from '../server-over.ts';

const shared = sharedServer();
const { ask } = shared;

const meant = [
  'revenue.total_turnover',
  'revenue.total_turnover_wt',
  'revenue.margin.value',
  'revenue.margin.percentage',
];

describe('compare_turnover', () => {
  test('gives what is meant by turnover, and names the rest', async () => {
    const { rows, text, context } = await ask('compare_turnover', { period: 'last_week' });
    expect(rows.map(({ measure }) => measure)).toEqual(meant);
    expect(context.more).toMatchObject({
      measures: expect.arrayContaining(['revenue.total_sales[_wt]', 'revenue.non_revenue.tips']),
    });
    expect(text).toContain('Also there, by measures: order_count, ');
  });

  test('takes a name of the rest as it stands there', async () => {
    const { rows } = await ask('compare_turnover', {
      period: 'last_week',
      measures: ['revenue.total_sales[_wt]'],
    });
    expect(rows.map(({ measure }) => measure)).toEqual([
      'revenue.total_sales',
      'revenue.total_sales_wt',
    ]);
  });

  test('splits one period without a comparison', async () => {
    const { ask, sandbox } = await serverOver('memory');
    const reports = () => sandbox.stats.byPath['/api/financial-report'] ?? 0;
    const before = reports();
    const { rows, context, text } = await ask('compare_turnover', {
      period: 'last_week',
      against: 'none',
      by: 'shop',
      measures: ['turnover_wt'],
    });
    expect(rows.every((row) => Object.keys(row).join() === 'measure,id,name,current')).toBe(true);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect(context).not.toHaveProperty('reference_period');
    expect(text).not.toContain('percent');
    expect(reports() - before).toBe(1);
  });
});

describe('turnover_trend', () => {
  test('stands each bucket beside its reference', async () => {
    const week = { period: '2026-11-09..2026-11-10' };
    const { rows } = await ask('turnover_trend', { ...week, against: 'week_earlier' });
    const before = await ask('turnover_trend', { period: '2026-11-02..2026-11-03' });
    const beside = rows.map(({ reference }) => (isRecord(reference) ? reference : {}));
    expect(beside.map(({ from }) => from)).toEqual(['2026-11-02', '2026-11-03']);
    expect(beside.map((it) => it['revenue.total_turnover_wt'])).toEqual(
      before.rows.map((it) => it['revenue.total_turnover_wt']),
    );
  });

  test('splits by location, whose figures add up to the total', async () => {
    const day = { period: '2026-11-19', measures: ['total_turnover_wt'] };
    const { rows } = await ask('turnover_trend', { ...day, by: 'location' });
    const [total] = (await ask('turnover_trend', day)).rows;
    const column = 'revenue.total_turnover_wt';
    const cents = rows.reduce((sum, row) => sum + Math.round(Number(row[column]) * 100), 0);
    expect(rows.map(({ name }) => name)).toEqual([
      'Utrecht Centraal',
      'Utrecht Oost',
      'Amsterdam Noord',
    ]);
    expect(cents).toBe(Math.round(Number(total?.[column]) * 100));
  });

  test('says the days of a week or month, and of a day once', async () => {
    const columns = async (bucket: string) => {
      const { rows } = await ask('turnover_trend', { period: 'last_week', bucket });
      return Object.keys(rows[0] ?? {}).filter((name) => !name.includes('.'));
    };
    expect(await columns('day')).toEqual(['bucket']);
    expect(await columns('week')).toEqual(['bucket', 'from', 'to']);
  });
});

describe('a trend', () => {
  const weeks = {
    period: '2026-10-24..2026-11-10',
    bucket: 'week',
    measures: ['total_turnover_wt'],
  };

  test('names the buckets that its period cuts, and no whole one', async () => {
    const cut = await ask('turnover_trend', weeks);
    const said = String(cut.context.warnings);
    expect(said).toContain('2026-W43 is 2 of 7 days, 2026-W46 is 2 of 7 days');
    expect(said).not.toMatch(/W44 is|W45 is/);
    const whole = await ask('turnover_trend', { ...weeks, period: '2026-10-26..2026-11-08' });
    expect(String(whole.context.warnings ?? '')).not.toContain(' of 7 days');
    const asTable = await ask('query', {
      sql: "SELECT bucket FROM turnover_trend(period := '2026-10-24..2026-11-10', bucket := 'week')",
    });
    expect(String(asTable.context.warnings)).toContain('2026-W43 is 2 of 7 days');
  });

  test.each([
    ['week', '2026-10-24..2026-11-10', ['2026-10-17 2026-10-18', '2026-11-02 2026-11-03']],
    ['month', '2026-10-25..2026-11-10', ['2026-09-25 2026-09-30', '2026-10-01 2026-10-10']],
  ])('stands a cut %s beside the same days of the one before', async (bucket, period, cut) => {
    const asked = { period, bucket, against: 'previous_period' };
    const { rows, context } = await ask('turnover_trend', asked);
    const beside = rows.map(({ reference }) => {
      const { from, to } = isRecord(reference) ? reference : {};
      return `${from} ${to}`;
    });
    expect([beside.at(0), beside.at(-1)]).toEqual(cut);
    const said = String(context.warnings);
    if (bucket === 'week') expect(said).not.toContain('Not like for like');
    else expect(said).toContain('2026-10 is 7 against 6 days');
  });

  test('has difference and percent beside its reference, of a percentage points alone', async () => {
    const period = '2026-11-09..2026-11-15';
    const asked = { period, against: 'week_earlier', bucket: 'week' };
    const [row] = (await ask('turnover_trend', asked)).rows;
    const compared = await ask('compare_turnover', { period, against: 'week_earlier' });
    for (const { measure, difference, percent } of compared.rows) {
      expect(Object(row?.difference)[String(measure)]).toBe(difference);
      expect(Object(row?.percent)[String(measure)]).toBe(percent);
    }
    const margin = compared.rows.find((it) => it.measure === 'revenue.margin.percentage');
    expect(Number(margin?.difference)).toBeCloseTo(
      Number(margin?.current) - Number(margin?.reference),
      10,
    );
    expect(margin?.percent).toBeNull();
    expect(compared.text).toContain('revenue.margin.percentage is a percentage');
  });

  test.each(['turnover_group', 'shop'])('by %s has rows of zero for a closed day', async (by) => {
    const { sandbox } = shared();
    const { closedDay } = sandbox.world;
    const { rows } = await ask('turnover_trend', { period: '2026-11-02..2026-11-04', by });
    const [open, closed] = ['2026-11-02', closedDay].map((day) =>
      rows.filter(({ bucket }) => bucket === day),
    );
    expect(closed?.length).toBeGreaterThan(2);
    expect(closed?.map(({ id, name }) => [id, name])).toEqual(
      open?.map(({ id, name }) => [id, name]),
    );
    const column = Object.keys(closed?.[0] ?? {}).filter((name) => name.endsWith('turnover_wt'));
    expect(column).toHaveLength(1);
    expect(closed?.every((row) => row[column[0] ?? ''] === 0)).toBe(true);
    const measures = ['order_count', 'average_order_value_wt', 'shop_totals.turnover_wt'];
    const counted = await ask('turnover_trend', { period: closedDay, by: 'shop', measures });
    for (const row of counted.rows) expect(row.order_count).toBe(0);
  });
});

describe('a comparison', () => {
  test.each([
    ['2026-11-14', 'month_earlier', 'Saturday against Wednesday'],
    ['2026-11-09..2026-11-11', 'previous_period', 'Monday to Wednesday against Friday to Sunday'],
    ['2026-11-09..2026-11-15', 'month_earlier', undefined],
    ['2026-11-14', 'week_earlier', undefined],
  ])('of %s with %s says which weekdays it holds: %s', async (period, against, said) => {
    const { context } = await ask('compare_turnover', { period, against });
    const warnings = String(context.warnings ?? '');
    if (said === undefined) expect(warnings).not.toContain('weekdays');
    else expect(warnings).toContain(said);
  });

  test('by tax rate has turnover and VAT of each rate once, and its two parts', async () => {
    const asked = { period: 'last_month', by: 'tax_rate', against: 'none' };
    const { rows, text } = await ask('compare_turnover', asked);
    const cents = (measure: string, id: unknown) => {
      const row = rows.find((it) => it.measure === measure && it.id === id);
      return Math.round(Number(row?.current ?? 0) * 100);
    };
    const rates = rows.filter(({ measure }) => measure === 'rates.vat').map(({ id }) => id);
    expect(rates.length).toBeGreaterThan(1);
    for (const id of rates)
      for (const name of ['rates.turnover', 'rates.turnover_wt', 'rates.vat'])
        expect(cents(name, id)).toBe(
          cents(`direct_paid.${name}`, id) + cents(`not_paid_now.${name}`, id),
        );
    expect(cents('not_paid_now.rates.vat', rates[0])).toBeGreaterThan(0);
    expect(rows.filter(({ measure }) => String(measure).includes('percentage'))).toEqual([]);
    expect(text).toContain('rates.vat is direct_paid.rates.vat plus not_paid_now.rates.vat');
  });

  test('gives the measures that there are, and warns of the one that there is not', async () => {
    const measures = ['total_turnover_wt', 'total_turnover_tw'];
    const { rows, context, isError } = await ask('compare_turnover', {
      period: 'last_week',
      measures,
    });
    expect(isError).toBe(false);
    expect(rows.map(({ measure }) => measure)).toEqual(['revenue.total_turnover_wt']);
    expect(String(context.warnings)).toContain('no measure is called "total_turnover_tw"');
    const none = await ask('compare_turnover', { period: 'last_week', measures: ['nothing_such'] });
    expect(none.isError).toBe(true);
    expect(none.text).toContain('There are order_count, ');
  });
});

describe('orders beside turnover', () => {
  const day = { period: '2026-11-19' };
  const asked = { ...day, against: 'none', measures: ['order_count', 'average_order_value[_wt]'] };
  const of = (rows: readonly JsonObject[], measure: string) =>
    rows.filter((row) => row.measure === measure).map(({ id, current }) => [id, current]);

  test('are counted by shop when asked for, and turnover is divided by their number', async () => {
    const { sandbox } = shared();
    const { rows, text, context } = await ask('compare_turnover', { ...asked, by: 'shop' });
    const { shops } = sandbox.world;
    const counts = shops.map(({ id }) =>
      sandbox.world.orders('2026-11-19', undefined, { shopIds: [id] }),
    );
    expect(of(rows, 'order_count')).toEqual(
      counts.map((of, index) => [shops[index]?.id, of.length]),
    );
    const whole = { ...day, against: 'none', by: 'shop', measures: ['shop_totals.turnover_wt'] };
    const turnover = of(
      (await ask('compare_turnover', whole)).rows,
      'turnover_by_group.shop_totals.turnover_wt',
    );
    const cents = new Map(turnover.map(([id, euros]) => [id, Math.round(Number(euros) * 100)]));
    const averages = shops.flatMap(({ id }, index) => {
      const orders = counts[index]?.length ?? 0;
      return orders === 0 ? [] : [[id, Math.round((cents.get(id) ?? 0) / orders) / 100]];
    });
    expect(of(rows, 'average_order_value_wt')).toEqual(averages);
    expect(averages.length).toBeGreaterThan(3);
    expect(text).toContain(
      '# order_count is the orders of list_orders, is_internal left to the platform',
    );
    expect(text).toContain(
      '# average_order_value_wt is turnover_by_group.shop_totals.turnover_wt divided by order_count, to the cent',
    );
    expect(Object.keys(context.definitions ?? {})).toHaveLength(3);
  });

  test('make as many requests as there are buckets, and none where they are not asked for', async () => {
    const server = shared();
    const days = { period: '2026-11-09..2026-11-11' };
    const plain = () => server.ask('turnover_trend', days);
    expect(await requestsTo(server, '/api/order', plain)).toBe(0);
    let rows: readonly JsonObject[] = [];
    const counting = async () => {
      ({ rows } = await server.ask('turnover_trend', { ...days, measures: ['order_count'] }));
    };
    expect(await requestsTo(server, '/api/order', counting)).toBe(3);
    const closes = await Promise.all(
      rows.map(({ bucket }) => server.ask('get_daily_close', { date: bucket })),
    );
    expect(rows.map(({ order_count }) => order_count)).toEqual(
      closes.map(({ body }) => body.order_count),
    );
  });

  test.each(['Utrecht Centraal', 'Utrecht Oost'])(
    'of a location are those of its shops: %s',
    async (location_id) => {
      const close = await ask('get_daily_close', { date: '2026-11-19', location_id });
      const one = await ask('compare_turnover', { ...asked, location_id });
      expect(of(one.rows, 'order_count')).toEqual([[undefined, close.body.order_count]]);
      const { rows } = await ask('turnover_trend', {
        ...day,
        by: 'location',
        measures: ['order_count'],
      });
      expect(rows.find(({ name }) => name === location_id)?.order_count).toBe(
        close.body.order_count,
      );
    },
  );

  test('of a key that sees one location are those of its shops alone', async () => {
    const server = await serverOver('memory', { role: 'manager' });
    const close = await server.ask('get_daily_close', { date: '2026-11-19' });
    let rows: readonly JsonObject[] = [];
    const counting = async () => {
      ({ rows } = await server.ask('compare_turnover', asked));
    };
    // By shop: the document binds reports to the key's locations, and not the list of orders.
    expect(await requestsTo(server, '/api/order', counting)).toBe(2);
    expect(of(rows, 'order_count')).toEqual([[undefined, close.body.order_count]]);
  });

  test('are on offer only to whoever may see orders, and only where they can be counted', async () => {
    const { ask } = await serverOver('memory', { settings: { COMMERCE_TOOLSETS: 'analysis' } });
    const { text } = await ask('compare_turnover', { ...day, measures: ['order_count'] });
    expect(text).toContain('no measure is called "order_count"');
    const groups = await shared().ask('compare_turnover', { ...day, by: 'turnover_group' });
    expect(groups.text).not.toContain('order_count');
  });
});

describe('get_financial_report', () => {
  test('gives the part that was asked for and names the rest', async () => {
    const whole = await ask('get_financial_report', { period: 'last_month' });
    const part = await ask('get_financial_report', {
      period: 'last_month',
      sections: ['not_paid_now'],
    });
    expect(part.body.not_paid_now).toEqual(whole.body.not_paid_now);
    expect(part.body).not.toHaveProperty('revenue');
    expect(part.text).toContain('Also there, by sections: revenue, direct_paid, turnover_by_group');
    expect(part.text.length).toBeLessThan(whole.text.length / 3);
  });

  test('labels rates with country and percentage', async () => {
    const { text } = await ask('get_financial_report', { period: 'last_month' });
    expect(text).toContain('tax_rate_id: 1 NL 21%, 2 NL 9%, 3 NL 0%');
  });

  test('names the valid parts when it has none of that name', async () => {
    const { text } = await ask('get_financial_report', {
      period: 'last_month',
      sections: ['direct_pad'],
    });
    expect(text).toBe(
      'get_financial_report: sections.0 must be one of revenue, direct_paid, not_paid_now, turnover_by_group, not "direct_pad". Did you mean direct_paid?',
    );
  });
});
