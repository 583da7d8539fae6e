import { describe, expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import type { ToolAnswer } from '../clients.ts';
import { turnover as turnoverOf } from '../sandbox/world/truth.ts';
import { type Ask, accounts, now, requestsTo, serverOver, sharedServer } from '../server-over.ts';
import { inPlainNames, moreOf } from './questions.ts';

describe.each(accounts)('over an account ($description, $dialect)', (account) => {
  const shared = sharedServer(account);
  const ask: Ask = (...question) => inPlainNames(shared(), account.dialect).ask(...question);

  const turnover = 'revenue.total_turnover_wt';
  const inCents = (amount: unknown) => Math.round(Number(amount ?? 0) * 100);
  const trend = (input: JsonObject) => ask('turnover_trend', input);
  const compare = (input: JsonObject) => ask('compare_turnover', input);
  const warningOf = ({ warnings }: ToolAnswer, code: string): JsonObject | undefined =>
    warnings.find((warning) => warning.code === code);
  const measuresOf = ({ rows }: ToolAnswer) => rows.map(({ measure }) => measure);

  /** Tests that rest on no name of the account. */
  const once = test.runIf(account.dialect === 'plain');

  /** Id and current figure of one measure. */
  function figures({ rows }: ToolAnswer, measure: string): unknown[][] {
    return rows.filter((row) => row.measure === measure).map(({ id, current }) => [id, current]);
  }

  describe('compare_turnover', () => {
    const period = 'last_week';

    test('gives what is meant by turnover, and names the rest', async () => {
      const answer = await compare({ period });
      expect(measuresOf(answer)).toEqual([
        'revenue.total_turnover',
        'revenue.total_turnover_wt',
        'revenue.margin.value',
        'revenue.margin.percentage',
      ]);
      const values = moreOf(answer, 'measures');
      expect(values).toEqual(
        expect.arrayContaining(['revenue.total_sales[_wt]', 'revenue.non_revenue.tips']),
      );
      expect(values[0]).toBe('order_count');
      expect(answer.text).toContain(
        `Also there, by measures: ${values.slice(0, 6).join(', ')} and `,
      );
      const rest = await compare({ period, measures: ['revenue.total_sales[_wt]'] });
      expect(measuresOf(rest)).toEqual(['revenue.total_sales', 'revenue.total_sales_wt']);
      expect(rest.context.more).toBeUndefined();
    });

    test('splits one period without a comparison, by one request', async () => {
      const asked = {
        period: 'this_month',
        against: 'none',
        by: 'shop',
        measures: ['turnover_wt'],
      };
      const path = '/api/financial-report';
      const asking = async () => {
        const { rows, context, text } = await compare(asked);
        const columns = new Set(rows.map((row) => Object.keys(row).join()));
        expect([...columns]).toEqual(['measure,id,name,current']);
        expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
        expect(context.reference_period).toBeUndefined();
        expect(text).not.toContain('percent');
      };
      expect(await requestsTo(shared(), path, asking)).toBe(1);
    });

    test.each([
      ['shop', 'shop_totals.turnover'],
      ['turnover_group', 'groups.turnover'],
      ['tax_rate', 'rates.turnover'],
      ['location', 'revenue.total_turnover'],
    ])(
      'by %s ends each block with the total of the report, and no row is one',
      async (by, part) => {
        const asked = { period, measures: ['turnover[_wt]'] };
        const total = (await compare(asked)).rows.map(({ measure: _, ...row }) => row);
        const answer = await compare({ ...asked, by });
        const totals = [answer.body.totals].flat().filter(isRecord);
        expect(totals.map(({ measure: _, name, ...row }) => row)).toEqual(total);
        expect(totals.map(({ name }) => name)).toEqual(['total', 'total']);
        expect(answer.rows.map(({ name }) => name)).not.toContain('total');
        const [ofEx, ofWt] = answer.text.split(`${part}_wt\nid|name|`);
        for (const [at, block] of [ofEx, ofWt].entries()) {
          const amount = Number(total[at]?.current).toFixed(2);
          expect(block?.split(/\n(?=#|turnover|rates|revenue|$)/)).toContainEqual(
            expect.stringMatching(new RegExp(`\\n\\|total\\|${amount}\\|[^\\n]*$`)),
          );
        }
      },
    );

    test('has no total of some shops or of a single row, and of orders the sum', async () => {
      const asked = { period, by: 'shop', measures: ['turnover_wt', 'order_count'] };
      const orders = figures(await compare(asked), 'order_count').map(([, count]) => Number(count));
      const { body, text } = await compare(asked);
      const sum = orders.reduce((all, count) => all + count, 0);
      expect(body.totals).toMatchObject([{}, { measure: 'order_count', current: sum }]);
      expect(text).toContain("# total is the report's own, of order_count the sum of the rows");
      expect((await compare({ ...asked, shop_id: ['1', '2'] })).body.totals).toBeUndefined();
      const one = await compare({ period, by: 'location', location_id: '2' });
      expect(one.body.totals).toBeUndefined();
    });

    test('has VAT in total, which is that of all rates', async () => {
      const [whole] = (await compare({ period, measures: ['vat'] })).rows;
      const perRate = await compare({ period, by: 'tax_rate', measures: ['rates.vat'] });
      const ofRates = figures(perRate, 'rates.vat').reduce((sum, [, it]) => sum + inCents(it), 0);
      expect(whole).toMatchObject({ measure: 'vat', current: ofRates / 100 });
      const { measure: _, ...figuresOfWhole } = whole ?? {};
      expect(perRate.body.totals).toMatchObject([{ measure: 'rates.vat', ...figuresOfWhole }]);
      const course = await trend({ period, bucket: 'week', measures: ['vat'] });
      expect(course.rows).toMatchObject([{ vat: whole?.current }]);
    });

    test('gives the measures that there are, and warns of the one that there is not', async () => {
      const measures = ['total_turnover_wt', 'total_turnover_tw'];
      const answer = await compare({ period, measures });
      expect([answer.isError, measuresOf(answer)]).toEqual([false, [turnover]]);
      const unknown = warningOf(answer, 'unknown_measure');
      expect(unknown).toMatchObject({ name: 'total_turnover_tw' });
    });

    once(
      'knows one time a call: says once that today is not over, though the minute turns',
      async () => {
        let read = 0;
        // Each look at the clock is 20 seconds after the one before.
        const server = await serverOver('memory', { now: () => now + 20_000 * read++ });
        const today = await server.ask('compare_turnover', { by: 'location', period: 'today' });
        expect(today.isError).toBe(false);
        expect(today.warnings.filter(({ code }) => code === 'day_not_over')).toHaveLength(1);
      },
    );
  });

  describe('turnover_trend', () => {
    test('says the days of a week or month, and of a day once', async () => {
      const columns = async (bucket: string) => {
        const { rows } = await trend({ period: 'last_week', bucket });
        return Object.keys(rows[0] ?? {}).filter((name) => !name.includes('.'));
      };
      expect(await columns('day')).toEqual(['bucket']);
      expect(await columns('week')).toEqual(['bucket', 'from', 'to']);
    });

    test('names the buckets that its period cuts', async () => {
      const weeks = { bucket: 'week', measures: ['total_turnover_wt'] };
      const cut = [
        { bucket: '2026-W43', days: 2, of: 7 },
        { bucket: '2026-W46', days: 2, of: 7 },
      ];
      const answer = await trend({ ...weeks, period: '2026-10-24..2026-11-10' });
      expect(warningOf(answer, 'cut_by_period')?.buckets).toEqual(cut);
      const asTable = await ask('query', {
        sql: "SELECT bucket FROM turnover_trend(period := '2026-10-24..2026-11-10', bucket := 'week')",
      });
      expect(warningOf(asTable, 'cut_by_period')?.buckets).toEqual(cut);
    });

    test('has reference, difference and percent of each bucket, of a percentage points alone', async () => {
      const asked = { period: '2026-11-09..2026-11-15', against: 'week_earlier' };
      const answer = await trend({ ...asked, bucket: 'week' });
      const reference = { from: '2026-11-02', to: '2026-11-08', given: 'week_earlier' };
      expect(answer.context.reference_period).toMatchObject(reference);
      expect(answer.text).toContain('against 2026-11-02 to 2026-11-08 (week_earlier)');
      expect(answer.text).not.toContain('reference.from');
      const compared = await compare(asked);
      for (const { measure, ...row } of compared.rows)
        for (const column of ['reference', 'difference', 'percent'])
          expect(Object(answer.rows[0]?.[column])[String(measure)]).toBe(row[column]);
      const margin = compared.rows.find((it) => it.measure === 'revenue.margin.percentage');
      const points = Number(margin?.current) - Number(margin?.reference);
      expect(Number(margin?.difference)).toBeCloseTo(points, 10);
      expect(margin?.percent).toBeNull();
      expect(compared.text).toContain(
        '# revenue.margin.percentage is a percentage: its difference is in percentage points',
      );
    });

    test.each(['turnover_group', 'shop'])('by %s has rows of zero for a closed day', async (by) => {
      const { closedDay } = shared().sandbox.world;
      const { rows } = await trend({ period: '2026-11-02..2026-11-03', by });
      const ofDay = (day: string) => rows.filter(({ bucket }) => bucket === day);
      const closed = ofDay(closedDay);
      expect(closed.length).toBeGreaterThan(2);
      expect(closed.map(({ id }) => id)).toEqual(ofDay('2026-11-02').map(({ id }) => id));
      const column = Object.keys(closed[0] ?? {}).filter((name) => name.endsWith('turnover_wt'));
      expect(column).toHaveLength(1);
      expect(closed.every((row) => row[column[0] ?? ''] === 0)).toBe(true);
      const measures = ['order_count', 'average_order_value_wt', 'shop_totals.turnover_wt'];
      const counted = await trend({ period: closedDay, by: 'shop', measures });
      for (const row of counted.rows) expect(row.order_count).toBe(0);
    });
  });

  describe('orders beside turnover', () => {
    const day = { period: '2026-11-19' };
    const counts = {
      ...day,
      against: 'none',
      measures: ['order_count', 'average_order_value[_wt]'],
    };

    test('are counted by shop when asked for, and turnover is divided by their number', async () => {
      const { world } = shared().sandbox;
      const answer = await compare({ ...counts, by: 'shop' });
      const books = world.shops.map(({ id }) => {
        const orders = world.orders('2026-11-19', undefined, { shopIds: [id] });
        return { id, count: orders.length, amount: inCents(turnoverOf(orders).wt) };
      });
      expect(figures(answer, 'order_count')).toEqual(books.map(({ id, count }) => [id, count]));
      const averages = books
        .filter(({ count }) => count > 0)
        .map(({ id, count, amount }) => [id, Math.round(amount / count) / 100]);
      expect(figures(answer, 'average_order_value_wt')).toEqual(averages);
      expect(averages.length).toBeGreaterThan(3);
      const ofShops = 'turnover_by_group.shop_totals.turnover_wt';
      expect(answer.text).toContain(
        `# average_order_value_wt is ${ofShops} divided by order_count`,
      );
    });

    test('make as many requests as there are buckets, and none where they are not asked for', async () => {
      const days = { period: '2026-11-09..2026-11-10' };
      const plain = () => trend(days);
      expect(await requestsTo(shared(), '/api/order', plain)).toBe(0);
      let rows: readonly JsonObject[] = [];
      const counting = async () => {
        ({ rows } = await trend({ ...days, measures: ['order_count'] }));
      };
      expect(await requestsTo(shared(), '/api/order', counting)).toBe(2);
      for (const { bucket, order_count } of rows)
        expect((await ask('get_daily_close', { date: bucket })).body.order_count).toBe(order_count);
    });

    test('orders beside the turnover of a location are those of its shops', async () => {
      const byLocation = { ...day, by: 'location', measures: ['order_count'] };
      const { rows } = await trend(byLocation);
      for (const location_id of ['Utrecht Centraal', 'Utrecht Oost']) {
        const close = await ask('get_daily_close', { date: '2026-11-19', location_id });
        const { order_count } = close.body;
        const one = await compare({ ...counts, location_id });
        expect(figures(one, 'order_count')).toEqual([[undefined, order_count]]);
        expect(rows.find(({ name }) => name === location_id)?.order_count).toBe(order_count);
      }
    });

    test('orders beside turnover, of a key that sees one location, are those of its shops alone', async () => {
      const { sandbox } = shared();
      const manager = await serverOver('memory', { sandbox, role: 'manager' });
      const server = inPlainNames(manager, account.dialect);
      const close = await server.ask('get_daily_close', { date: '2026-11-19' });
      const counting = async () => {
        const answer = await server.ask('compare_turnover', counts);
        expect(figures(answer, 'order_count')).toEqual([[undefined, close.body.order_count]]);
      };
      // By shop: the document binds reports to the key's locations, and not the list of orders.
      expect(await requestsTo(server, '/api/order', counting)).toBe(2);
    });

    once(
      'are on offer only to whoever may see orders, and only where they can be counted',
      async () => {
        const settings = { COMMERCE_TOOLSETS: 'analysis' };
        const narrow = await serverOver('memory', { sandbox: shared().sandbox, settings });
        const { text } = await narrow.ask('compare_turnover', {
          ...day,
          measures: ['order_count'],
        });
        expect(text).toContain('no measure is called "order_count"');
        const groups = await compare({ ...day, by: 'turnover_group' });
        expect(groups.text).not.toContain('order_count');
      },
    );
  });

  test('get_financial_report gives the part that was asked for and names the rest', async () => {
    const period = 'last_month';
    const whole = await ask('get_financial_report', { period });
    const part = await ask('get_financial_report', { period, sections: ['not_paid_now'] });
    expect(whole.text).toMatch(/^1 NL 21%\|/m);
    expect(part.body.not_paid_now).toEqual(whole.body.not_paid_now);
    expect(part.body).not.toHaveProperty('revenue');
    const values = ['revenue', 'direct_paid', 'turnover_by_group'];
    expect(part.text).toContain(`Also there, by sections: ${values.join(', ')}`);
    expect(part.text.length).toBeLessThan(whole.text.length / 3);
    const { text } = await ask('get_financial_report', { period, sections: ['direct_pad'] });
    expect(text).toBe(
      'get_financial_report: sections.0 must be one of revenue, direct_paid, not_paid_now, turnover_by_group, not "direct_pad". Did you mean direct_paid?',
    );
  });

  test('a month beside a shorter one has its turnover a day', async () => {
    const answer = await compare({ period: 'last_month' });
    const { current, reference } = Object(answer.rows.find(({ measure }) => measure === turnover));
    const [a, b] = [Number(current) / 31, Number(reference) / 30].map((value) => value.toFixed(2));
    const text = String(warningOf(answer, 'not_like_for_like')?.text).replaceAll(',', '');
    expect(text).toContain(`${turnover} ${a} against ${b}`);
  });

  test.each([
    ['2026-04-27..2026-05-03', 'previous_period', [["King's Day"], []]],
    ['2026-04-27', 'usual', [["King's Day"], []]],
  ])('holidays on one side of %s against %s are %j', async (period, against, names) => {
    const warning = warningOf(await compare({ period, against }), 'holidays_on_one_side');
    const namesOf = (side: unknown) => Array.isArray(side) && side.map(({ name }) => name);
    expect(warning && [namesOf(warning.period), namesOf(warning.reference)]).toEqual(names);
  });

  describe('a day without trade', () => {
    const inWeek = { period: { from: '2026-11-03', to: '2026-11-03' } };

    test.each<[string, JsonObject]>([
      ['compare_turnover', { period: '2026-11-02..2026-11-08' }],
      ['compare_turnover', { period: '2026-11-09..2026-11-15', by: 'shop' }],
      ['compare_turnover', { period: '2026-11-02..2026-11-08', against: 'usual' }],
      ['compare_turnover', { period: 'this_month', against: 'usual', explain: true }],
      ['turnover_trend', { period: '2026-11-02..2026-11-15', bucket: 'week' }],
      ['turnover_trend', { period: '2026-11-02..2026-11-08' }],
      ['get_financial_report', { period: '2026-11-02..2026-11-08' }],
    ])('inside a period is said by %s %j', async (tool, input) => {
      expect(warningOf(await ask(tool, input), 'all_zero')).toMatchObject(inWeek);
    });

    test('is a part of what explains the difference, which its days add up to', async () => {
      const asked = { period: '2026-11-02..2026-11-08', explain: true };
      const { body, text, rows } = await compare(asked);
      const parts = (Array.isArray(body.explained) ? body.explained : []).filter(isRecord);
      const days = parts.filter(({ view }) => view === 'day');
      expect(days[0]).toMatchObject({ part: 'Tue 2026-11-03', current: 0 });
      expect(text).toContain('Tue 2026-11-03 alone -');
      const { difference } = Object(rows.find(({ measure }) => measure === turnover));
      const sum = days.reduce((total, part) => total + inCents(part.difference), 0);
      expect(sum).toBe(inCents(difference));
    });

    once('is not looked for in more than two weeks', async () => {
      const period = '2026-11-01..2026-11-15';
      const asking = () => ask('get_financial_report', { period });
      expect(await requestsTo(shared(), '/api/financial-report', asking)).toBe(1);
    });
  });

  once('holidays are noted on the days of an answer', async () => {
    const { context } = await trend({ period: '2026-04-25..2026-04-28' });
    expect(context.notes).toEqual([{ day: '2026-04-27', note: "King's Day" }]);
  });
});
