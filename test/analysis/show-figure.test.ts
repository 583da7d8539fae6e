import { describe, expect, test } from 'vitest';
import { type Figure, readFigure } from '../../src/analysis/figure/figure.ts';
import { figureRefusals } from '../../src/analysis/figure/messages.ts';
import { type Ask, describedAs, sharedServer } from '../server-over.ts';

const perShop =
  "SELECT shop_id, sum(total_wt) AS turnover FROM list_orders(period := 'last_week') GROUP BY ALL";

/** A number for each day of orders. */
const perDay = (number: string) =>
  `SELECT CAST(date_created AS DATE) AS day, ${number} AS n FROM list_orders(period := 'last_week') GROUP BY ALL`;

async function draw(ask: Ask, input: Record<string, unknown>): Promise<Figure> {
  const { body, text } = await ask('show_figure', input);
  return readFigure(body.figure) ?? expect.unreachable(`there is a figure: ${text}`);
}

describe.each(describedAs)('show_figure, where openapi.json is %s,', (description) => {
  const server = sharedServer({ description });
  const { ask } = server;

  test('draws the numbers of query, shops by name and the largest first', async () => {
    const { rows } = await ask('query', { sql: `${perShop} ORDER BY turnover DESC` });
    const figure = await draw(ask, { sql: perShop, unit: 'EUR', title: 'Last week' });
    expect(figure).toMatchObject({
      kind: 'bars',
      unit: 'euro',
      title: 'Last week',
      axis: { name: 'shop', labels: expect.arrayContaining(['Webshop']) },
      series: [{ values: rows.map(({ turnover }) => turnover) }],
    });
  });

  test('warns of order totals under a title of turnover', async () => {
    const sql = perShop.replace('turnover', 'total');
    const codesOf = async (title: string) =>
      (await ask('show_figure', { sql, title })).warnings.map(({ code }) => code);
    expect(await codesOf('Omzet per winkel')).toEqual(['totals_as_turnover']);
    expect(await codesOf('Orders')).toEqual([]);
  });

  test('draws days as a line, and says everything that query says', async () => {
    const sql =
      "SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_week')";
    const asked = await ask('query', { sql });
    const { body, text, context } = await ask('show_figure', { sql });
    const figure = readFigure(body.figure) ?? expect.unreachable(text);
    const { kind, axis, notes, series } = figure;
    expect([kind, axis.type]).toEqual(['line', 'day']);
    const period = { from: '2026-11-09', to: '2026-11-15' };
    const { warnings = [], as_of: asOf } = asked.context;
    expect(notes).toEqual({ source: 'sandbox', complete: true, period, warnings, asOf });
    expect(context).toMatchObject({
      source: 'sandbox',
      complete: true,
      period: { ...period, given: 'last_week' },
      tables: [{ table: 'turnover_trend', rows: 7, complete: true }],
    });
    expect(text).toMatch(/^show_figure: .*as of 2026-11-20T15:30.*invented figures\n/);
    expect(text).toContain('7 days (Mon 9 Nov to Sun 15 Nov); total ');
    expect(text).toContain('Read turnover_trend (2026-11-09 to 2026-11-15): 7 rows');
    for (const [at, label] of axis.labels.entries())
      expect(text).toContain(`${label}|${series[0]?.values[at]}`);
  });

  test('draws what is usual as a band', async () => {
    const ofTurnover = (side: string) => `${side}.revenue.total_turnover_wt AS ${side}`;
    const sql = `SELECT bucket, revenue.total_turnover_wt AS t, ${ofTurnover('low')}, ${ofTurnover('high')} FROM turnover_trend(period := 'last_week', against := 'usual')`;
    const { band } = await draw(ask, { sql });
    expect(band?.low).toHaveLength(7);
    const { text } = await ask('show_figure', { sql });
    expect(text).toMatch(/ of 7 outside low to high \(by chance about 2\)/);
  });

  test('marks a figure of rows that are not all there', async () => {
    const sql =
      "SELECT order_number::VARCHAR AS n, total_wt FROM list_orders(period := 'last_week') LIMIT 3";
    const { context, text } = await ask('show_figure', { sql });
    expect(context.complete).toBe(false);
    expect(text).toContain('Not complete');
  });

  test('says that ten of many are ten, and adds up no running sum', async () => {
    const sql =
      "SELECT relation_data_id, sum(total_wt) AS t FROM list_orders(period := 'last_month') GROUP BY ALL ORDER BY t DESC LIMIT";
    const ten = await ask('show_figure', { sql: `${sql} 10` });
    const { values = [] } = readFigure(ten.body.figure)?.series[0] ?? {};
    const cents = values.reduce<number>((sum, value) => sum + Math.round(Number(value) * 100), 0);
    expect(ten.text).toContain(`total of these 10 ${(cents / 100).toLocaleString('en-US')}`);
    const all = await ask('show_figure', { sql: `${perDay('sum(total_wt)')} LIMIT 100` });
    expect(all.text).toMatch(/; total \d/);
    const running = `SELECT day, sum(n) OVER (ORDER BY day) AS so_far FROM (${perDay('sum(total_wt)')})`;
    expect((await ask('show_figure', { sql: running })).text).not.toContain('total ');
  });

  test('shows no number of orders in euros, and no two units on one scale', async () => {
    const counted = await draw(ask, { sql: perDay('count(*)'), unit: 'euro' });
    expect(counted.unit).toBe('count');
    const both = perDay('count(*) AS orders, sum(total_wt)');
    const { body } = await ask('show_figure', { sql: both, unit: 'euro' });
    const units = {
      first: { name: 'orders', unit: 'count' },
      other: { name: 'n', unit: 'euro' },
    };
    expect(body.refusal).toBe(figureRefusals.twoUnits(units));
  });

  test('runs over the days that were asked for, and knows its weeks', async () => {
    const { closedDay } = server().sandbox.world;
    const period = '2026-10-31..2026-11-10';
    const days = `SELECT CAST(date_created AS DATE) AS day, count(*) AS n FROM list_orders(period := '${period}') GROUP BY ALL`;
    const figure = await draw(ask, { sql: days });
    expect(figure.axis).toMatchObject({ type: 'day', withRows: 10 });
    expect(figure.axis.labels).toHaveLength(11);
    const [{ values } = { values: [] }] = figure.series;
    expect(values[figure.axis.labels.indexOf(closedDay)]).toBeNull();
    const weeks = days.replace('CAST(date_created AS DATE)', "date_trunc('week', date_created)");
    const { axis } = await draw(ask, { sql: weeks });
    expect(axis).toMatchObject({ type: 'week', labels: ['2026-W44', '2026-W45', '2026-W46'] });
    expect(axis.cut?.map(({ bucket, days }) => [bucket, days])).toEqual([
      ['2026-W44', 2],
      ['2026-W46', 2],
    ]);
  });
});

describe('show_figure', () => {
  const { ask } = sharedServer();

  test.each([
    ['sum(total_wt)', true],
    ['count(*)', true],
    ['median(total_wt)', false],
    ['avg(total_wt)', false],
    ['count(DISTINCT relation_data_id)', false],
    ['sum(total_wt) / count(*)', false],
  ])('adds up %s over days: %s', async (number, adds) => {
    const { text } = await ask('show_figure', { sql: perDay(number) });
    expect(text.includes('; total ')).toBe(adds);
    expect(text).toContain('highest ');
  });

  test('refuses kept rows whose figures are within objects', async () => {
    const sql = "SELECT * FROM turnover_trend(period := 'last_week')";
    const { context } = await ask('query', { sql });
    const [table] = Array.isArray(context.tables) ? context.tables : [];
    const { rows, body } = await ask('show_figure', { result_id: table.result });
    expect(rows).toHaveLength(7);
    // Of objects and second days nothing is drawn: a statement says which of their numbers.
    expect(body.refusal).toContain('revenue (STRUCT');
  });

  test('answers what cannot be drawn with the table, and why', async () => {
    const sql = 'SELECT id, name FROM shops ORDER BY id';
    const { isError, body, rows, text } = await ask('show_figure', { sql });
    expect([isError, body.figure]).toEqual([false, undefined]);
    const columns = [
      { name: 'id', type: 'BIGINT' },
      { name: 'name', type: 'VARCHAR' },
    ];
    expect(body.refusal).toBe(figureRefusals.noNumbers({ columns }));
    expect(text).toContain(String(body.refusal));
    expect(rows.length).toBeGreaterThan(3);
    expect(text).toContain('Webshop');
  });

  test('says that a figure has more numbers than one answer holds', async () => {
    const columns = Array.from({ length: 12 }, (_, index) => `random() * 1e9 AS a${index}`);
    const sql = `SELECT 'label ' || n AS label, ${columns} FROM range(390) r(n)`;
    const { body, rows } = await ask('show_figure', { sql });
    expect(body.refusal).toBe(figureRefusals.tooLarge({ labels: 390, series: 12 }));
    expect(rows.length).toBeGreaterThan(10);
  });

  test.each([
    [{}, 'neither came'],
    [{ sql: 'SELECT 1', result_id: 'r_1' }, 'both came'],
    [{ result_id: "x') UNION SELECT ('1" }, 'show_figure: '],
    [{ sql: 'SELECT nothing' }, 'nothing'],
    [{ sql: 'SELECT 1', kind: 'pie' }, 'kind'],
  ])('refuses %j', async (input, says) => {
    const { isError, text } = await ask('show_figure', input);
    expect(isError).toBe(true);
    expect(text).toContain(says);
  });

  const byShop = "compare_turnover(period := 'last_week', by := 'shop'";

  test.each([
    `SELECT name, current FROM ${byShop})`,
    `SELECT name, left(name, 1) AS first, current FROM ${byShop})`,
  ])('refuses several measures of a shop and advises no sum: %s', async (sql) => {
    const { body, text } = await ask('show_figure', { sql });
    expect(body.refusal).toContain(
      "differ in measure. Give one, such as measures := ['turnover_wt']",
    );
    expect(text).not.toMatch(/add .* up|GROUP BY/i);
  });

  test('says everything of a sum over several measures that query says', async () => {
    const sql = `SELECT name, sum(current) AS total FROM ${byShop}) GROUP BY ALL`;
    const { warnings } = await ask('show_figure', { sql });
    expect(warnings.map(({ code }) => code)).toEqual(['mixed_measures']);
  });

  test.each([
    ['name, current, reference', "measures := 'turnover_wt')", true],
    ['name, current, reference', "measures := 'turnover_wt', against := 'usual')", false],
    ['name, current', "measures := 'turnover_wt', against := 'usual')", true],
    ['name, measure, current', "against := 'none')", false],
  ])('has a total of each column or of none: %s of %s', async (items, args, isTotalled) => {
    const { text } = await ask('show_figure', { sql: `SELECT ${items} FROM ${byShop}, ${args}` });
    const columns = items.includes('reference') ? 2 : 1;
    expect(text.match(/total [\d,]/g) ?? []).toHaveLength(isTotalled ? columns : 0);
  });
});
