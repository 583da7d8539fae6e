import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/core/calendar.ts';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { sayAmount, toDecimal, zero } from '../../src/core/money.ts';
import type { Order } from '../../src/sandbox/world/trade/order.ts';
import type { ToolAnswer } from '../clients.ts';
import { perGroup, turnover as turnoverOf } from '../sandbox/world/truth.ts';
import {
  type Ask,
  accounts,
  keepLog,
  type LogLine,
  requestsTo,
  runSql,
  type ServerOptions,
  serverOver,
  sharedServer,
} from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { inPlainNames } from './questions.ts';

describe.each(accounts)('over an account ($description, $dialect)', (account) => {
  const shared = sharedServer(account);
  const ask: Ask = (...question) => inPlainNames(shared(), account.dialect).ask(...question);

  const turnover = 'revenue.total_turnover_wt';
  const report = '/api/financial-report';
  const cents = (amount: unknown) => Math.round(Number(amount ?? 0) * 100);
  const centsOf = (orders: readonly Order[]) => cents(turnoverOf(orders).wt);
  const records = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord) : []);
  const explained = ({ body }: ToolAnswer) => records(body.explained);
  const partsOf = (answer: ToolAnswer, view: string) =>
    explained(answer).filter((it) => it.view === view);
  const codes = ({ warnings }: ToolAnswer) => warnings.map(({ code }) => code);
  const rowOf = ({ rows }: ToolAnswer, measure = turnover) =>
    rows.find((row) => row.measure === measure) ?? expect.unreachable(`no ${measure}`);
  const usualOf = ({ context }: ToolAnswer) =>
    isRecord(context.usual) ? context.usual : expect.unreachable('nothing is usual');

  /** Tests that rest on no name of the account. */
  const once = test.runIf(account.dialect === 'plain');

  /** An amount as a sentence has it. */
  const euros = (value: unknown) => sayAmount(toDecimal(value) ?? zero);

  /** A period against what is usual. */
  const usual = (period: string, more: JsonObject = {}, server: { ask: Ask } = { ask }) =>
    server.ask('compare_turnover', { period, against: 'usual', ...more });

  /** Another server before the same business. */
  const another = async (options: ServerOptions = {}) =>
    inPlainNames(
      await serverOver('memory', { sandbox: shared().sandbox, ...options }),
      account.dialect,
    );

  /** Orders of a day and of the same weekday of eight weeks before, by the business's books. */
  const ordersOn = (day: string, shopIds?: readonly number[]) =>
    Array.from({ length: 9 }, (_, weeks) =>
      shared().sandbox.world.orders(addDays(day, -7 * weeks), undefined, shopIds && { shopIds }),
    );

  /** The whole cent nearest to the mean of the two in the middle, or the one. */
  function medianOf(values: readonly number[]): number {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (index: number) => sorted[Math.floor(index)] ?? 0;
    return Math.round((at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2);
  }

  /** A folder of definitions that notes these days. */
  function noting(lines: string): Record<string, string> {
    return { COMMERCE_DEFINITIONS: folderWith({ 'tables/days.csv': lines }) };
  }

  describe('"How was yesterday?" in one call', () => {
    test('has the whole and each part beside its own usual, as the books give it', async () => {
      const answer = await usual('yesterday', { explain: true });
      const { text } = answer;
      const orders = ordersOn('2026-11-19');
      /** A row of a part with these values, the current one first. */
      const expectUsual = (part: JsonObject | undefined, values: readonly number[]) => {
        const [current = 0, ...before] = values;
        const names = ['current', 'reference', 'low', 'high', 'difference'];
        const median = medianOf(before);
        expect([...names.map((name) => cents(part?.[name])), part?.rank]).toEqual([
          ...[current, median, Math.min(...before), Math.max(...before), current - median],
          1 + before.filter((it) => it < current).length,
        ]);
      };
      const totals = orders.map(centsOf);
      const whole = rowOf(answer);
      const median = medianOf(totals.slice(1));
      expectUsual(whole, totals);
      expect(whole.of).toBe(8);
      expect(whole.percent).toBe(Math.round((((totals[0] ?? 0) - median) / median) * 10_000) / 100);
      const range = `${euros(whole.low)} to ${euros(whole.high)}`;
      expect(text).toContain(
        `# ${turnover} ${euros(whole.current)}; usual ${euros(whole.reference)} (median of 8 Thursdays, ${range}): `,
      );
      const [count, average] = partsOf(answer, 'orders_and_value');
      expectUsual(
        count,
        orders.map(({ length }) => length * 100),
      );
      expectUsual(
        average,
        orders.map((ofDay) => Math.round(centsOf(ofDay) / ofDay.length)),
      );
      const books = {
        shop: (id: number) => ordersOn('2026-11-19', [id]).map(centsOf),
        turnover_group: (id: number) => orders.map((ofDay) => perGroup(ofDay).get(id) ?? 0),
      };
      for (const [view, valuesOf] of Object.entries(books)) {
        const own = partsOf(answer, view);
        const named = own.filter(({ id }) => id !== undefined);
        expect(named.length).toBeGreaterThan(4);
        for (const row of named) expectUsual(row, valuesOf(Number(row.id)));
        const difference = own.reduce((total, row) => total + cents(row.difference), 0);
        expect(difference).toBe((totals[0] ?? 0) - median);
        // A part is named only where it lies outside its own usual.
        for (const { part, current, low, high } of named) {
          const isOutside = Number(current) < Number(low) || Number(current) > Number(high);
          expect([part, text.includes(`${part} ${euros(current)} (`)]).toEqual([part, isOutside]);
        }
      }
      expect(text).toContain('view|part|current|reference|low|high|rank|difference|id');
    });

    once('costs a report and a count of orders for each day, and no report again', async () => {
      const fresh = await another();
      const once = () => usual('yesterday', { explain: true }, fresh);
      let counts = 0;
      const reports = await requestsTo(fresh, report, async () => {
        counts = await requestsTo(fresh, '/api/order', once);
      });
      expect([reports, counts]).toEqual([9, 9]);
      expect(await requestsTo(fresh, report, once)).toBe(0);
      const other = await another();
      const compared = () => usual('yesterday', { against: 'week_earlier', explain: true }, other);
      expect(await requestsTo(other, report, compared)).toBe(2);
    });
  });

  describe('against usual', () => {
    test('usual turnover of a day leaves out days without trade, and says so', async () => {
      const { closedDay } = shared().sandbox.world;
      // The Tuesday after the one that was closed.
      const day = addDays(closedDay, 7);
      const answer = await usual(day);
      expect(rowOf(answer).of).toBe(7);
      const reason = { from: closedDay, to: closedDay, reason: 'no trade' };
      expect(usualOf(answer).left_out).toEqual([reason]);
      expect(answer.text).toContain(`Not counted: ${closedDay} (no trade)`);
      expect(answer.text).toContain('median of 7 of 8 Tuesdays');
    });

    test('turnover of a closed day against usual is zero and the lowest', async () => {
      const answer = await usual(shared().sandbox.world.closedDay, { explain: true });
      expect([rowOf(answer).current, rowOf(answer).rank]).toEqual([0, 1]);
      expect(rowOf(answer, 'revenue.margin.percentage').current).toBeNull();
      const lost = partsOf(answer, 'shop').reduce((total, it) => total + cents(it.difference), 0);
      expect(lost).toBe(-cents(rowOf(answer).reference));
    });

    test('usual turnover in the first weeks of an account says that there is too little to tell', async () => {
      const young = inPlainNames(
        await serverOver('memory', { ...account, days: 20 }),
        account.dialect,
      );
      const answer = await usual('2026-11-19', { explain: true }, young);
      expect(rowOf(answer)).toMatchObject({ of: 2, rank: expect.any(Number) });
      expect(answer.warnings).toMatchObject([
        { code: 'too_few_periods', earlier: { counted: 2, of: 8 } },
      ]);
      expect(answer.text).not.toContain('; usual ');
      expect(answer.text).toContain('(before the first trade that was read)');
      const none = await usual(young.sandbox.world.firstDay, { explain: true }, young);
      expect(rowOf(none)).toMatchObject({ of: 0, rank: null, reference: null, low: null });
      expect(none.text).toContain('Not explained: no earlier period has turnover');
    });

    once('of today warns that it is not over', async () => {
      const answer = await usual('today');
      expect(answer.warnings).toMatchObject([{ code: 'day_not_over', isBesideWholeDays: true }]);
      expect(answer.warnings).toHaveLength(1);
    });

    test('usual turnover by shop and group has zero where a period with trade has no row', async () => {
      const answer = await usual('2026-11-19', { by: 'turnover_group' });
      expect(answer.rows.every(({ of, current }) => of === 8 && current !== null)).toBe(true);
      expect(codes(answer)).toEqual(['medians_of_parts']);
      const rows = (await usual('2026-11-15', { by: 'shop' })).rows.filter(
        ({ name, measure }) => name === 'Utrecht Oost' && String(measure).endsWith('_wt'),
      );
      expect(rows).toMatchObject([
        { current: 0, reference: 0, low: 0, high: 0, of: 8, rank: null },
      ]);
    });

    test('usual turnover of a key that sees one location covers that location alone', async () => {
      const manager = await another({ role: 'manager' });
      const answer = await usual('2026-11-19', { explain: true }, manager);
      const { body: close } = await manager.ask('get_daily_close', { date: '2026-11-19' });
      expect(rowOf(answer).current).toBe(close.turnover_wt);
      const ofShops = partsOf(answer, 'shop').reduce((sum, part) => sum + cents(part.current), 0);
      expect(ofShops).toBe(cents(close.turnover_wt));
      const orders = explained(answer).find(({ part }) => part === 'order_count');
      expect(orders?.current).toBe(close.order_count);
    });

    test('usual turnover by shop, or of some shops, is explained too', async () => {
      const day = '2026-11-19';
      const byShop = await usual(day, { by: 'shop', explain: true });
      expect(byShop.body.explained).toEqual((await usual(day, { explain: true })).body.explained);
      const shop_id = ['Webshop', 'Utrecht Oost'];
      const some = await usual(day, { shop_id, explain: true, measures: ['turnover_wt'] });
      const value = ({ current, reference, low, high, rank }: JsonObject) => [
        current,
        reference,
        low,
        high,
        rank,
      ];
      const shops = new Map(partsOf(some, 'shop').map((row) => [row.id, value(row)]));
      expect([...some.rows].map((row) => shops.get(row.id))).toEqual(some.rows.map(value));
      const orders = ordersOn(day, [1, 7]);
      const [now = 0, ...before] = orders.map(centsOf);
      for (const view of ['shop', 'turnover_group']) {
        const parts = partsOf(some, view);
        expect(parts.length).toBeGreaterThan(2);
        const difference = parts.reduce((total, row) => total + cents(row.difference), 0);
        expect([view, difference]).toEqual([view, now - medianOf(before)]);
      }
      expect(partsOf(some, 'orders_and_value')[0]?.current).toBe(orders[0]?.length);
    });

    test('usual turnover without the orders toolset has no view of orders, and asks for none', async () => {
      const narrow = await another({ settings: { COMMERCE_TOOLSETS: 'reports,analysis' } });
      const asking = async () => {
        const answer = await usual('2026-11-19', { explain: true }, narrow);
        const views = new Set(explained(answer).map(({ view }) => view));
        expect([...views]).toEqual(['shop', 'turnover_group']);
      };
      expect(await requestsTo(narrow, '/api/order', asking)).toBe(0);
    });

    test('is a table of query, without explain', async () => {
      const { rows } = await runSql(
        shared(),
        `SELECT reference, low, high, of, rank FROM compare_turnover(period := '2026-11-19', against := 'usual') WHERE measure = '${turnover}'`,
      );
      const { reference, low, high, of, rank } = rowOf(await usual('2026-11-19'));
      expect(rows).toEqual([{ reference, low, high, of, rank }]);
      const sql = "FROM compare_turnover(period := '2026-11-19', explain := true)";
      expect((await ask('query', { sql })).isError).toBe(true);
    });
  });

  describe('days with a story', () => {
    const csv = `# What happened
  day,note,unusual,shop_id
  2026-11-12,"roadworks; the street was closed",true,
  2026-11-05,till out of order,true,3
  2026-10-29,half-term,,
  2020-01-01,long ago,true,
  `;

    test('are quoted, and unusual ones tell nothing about what is usual', async () => {
      const server = await another({ settings: noting(csv) });
      const answer = await usual('2026-11-19', {}, server);
      expect(rowOf(answer).of).toBe(7);
      expect(answer.context.notes).toEqual([
        { day: '2026-11-12', note: 'roadworks; the street was closed', unusual: true },
        { day: '2026-11-05', note: 'till out of order', unusual: true, shop_id: 3 },
        { day: '2026-10-29', note: 'half-term' },
      ]);
      expect(answer.text).toContain(
        '# Notes: 2026-11-12 roadworks; the street was closed; 2026-11-05 (shop 3) till out of order; 2026-10-29 half-term',
      );
      expect(answer.warnings).toEqual([]);
      const { rows } = await usual('2026-11-19', { by: 'shop' }, server);
      const counts = new Map(rows.map(({ id, of }) => [id, of]));
      expect([counts.get(3), counts.get(1)]).toEqual([6, 7]);
      // In longer periods they stay.
      const week = await usual('2026-11-16..2026-11-22', {}, server);
      expect(rowOf(week).of).toBe(8);
      expect(week.text).toContain('# Notes: 2026-11-12 roadworks');
      const day = { period: '2026-11-19', against: 'usual' };
      const trend = await server.ask('turnover_trend', day);
      expect(usualOf(trend).left_out).toMatchObject([{ from: '2026-11-12' }]);
    });

    once(
      'a row that cannot be read is left out and named, in the log and in the answer',
      async () => {
        const settings = noting('day,note\n2026-11-12,roadworks\nyesterday,what?\n');
        const lines: LogLine[] = [];
        const server = await another({ settings, log: keepLog(lines) });
        const { rows } = await runSql(server, 'SELECT "name" FROM tables LIMIT 1');
        expect(rows).toEqual([{ name: 'days' }]);
        expect(lines.map(({ facts }) => facts)).toContainEqual(
          expect.objectContaining({ file: 'tables/days.csv', line: 3 }),
        );
        const answer = await usual('2026-11-19', {}, server);
        expect(rowOf(answer).of).toBe(8);
        expect(answer.text).toContain('# Notes: 2026-11-12 roadworks');
        const unread = { line: 3, column: 'day', wants: 'day' };
        expect(answer.warnings).toMatchObject([
          { code: 'rows_unread', table: 'days', rows: [unread] },
        ]);
      },
    );

    once('a table of days without notes is a table and no more', async () => {
      const server = await another({ settings: noting('day,budget\n2026-11-12,5000\n') });
      expect((await runSql(server, 'SELECT budget FROM days')).rows).toEqual([{ budget: 5000 }]);
      expect((await usual('2026-11-19', {}, server)).context.notes).toBeUndefined();
    });
  });

  describe('turnover_trend', () => {
    once('reads each day once: 31 days and the 56 before them', async () => {
      const fresh = await another();
      const month = { period: '2026-10-01..2026-10-31', against: 'usual' };
      const progress: (number | undefined)[] = [];
      const onprogress = ({ total }: { total?: number | undefined }) => void progress.push(total);
      const asking = () => fresh.ask('turnover_trend', month, { onprogress });
      expect(await requestsTo(fresh, report, asking)).toBe(87);
      expect(progress).toContain(87);
      expect(await requestsTo(fresh, report, asking)).toBe(0);
    });

    once('that would take too many requests is refused before the first report', async () => {
      const fresh = await another();
      const period = '2026-07-01..2026-10-28';
      const wide = { period, by: 'location', against: 'usual' };
      let answer: Awaited<ReturnType<typeof fresh.ask>> | undefined;
      const asking = async () => {
        answer = await fresh.ask('turnover_trend', wide);
      };
      expect(await requestsTo(fresh, report, asking)).toBe(0);
      expect(answer).toMatchObject({ isError: true });
      expect(answer?.text).toContain('COMMERCE_QUERY_MAX_CALLS');
      const narrow = { period, bucket: 'month' };
      expect(await requestsTo(fresh, report, () => fresh.ask('turnover_trend', narrow))).toBe(4);
    });

    test('against usual holds each bucket against earlier ones, read once where they are shared', async () => {
      const fresh = await another();
      const weeks = { period: '2026-11-02..2026-11-15', bucket: 'week', against: 'usual' };
      let rows: readonly JsonObject[] = [];
      const asking = async () => {
        ({ rows } = await fresh.ask('turnover_trend', weeks));
      };
      // Two weeks, the eight before them, and the days of the week that has one without trade.
      expect(await requestsTo(fresh, report, asking)).toBe(17);
      for (const { from, to, ...row } of rows) {
        const one = rowOf(await usual(`${from}..${to}`));
        const of = (column: string) => Object(row[column])[turnover];
        const columns = ['reference', 'low', 'high', 'of', 'rank', 'difference', 'percent'];
        expect(columns.map(of)).toEqual(columns.map((column) => one[column]));
      }
    });
  });
});
