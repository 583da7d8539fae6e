/** From the second start on, what every conversation reads names the columns of this account. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { speakFor } from '../../../src/analysis/shape/roles.ts';
import { inOtherDialect, sayInOther } from '../../sandbox/other-dialect.ts';
import { lastWeek, turnover } from '../../sandbox/world/truth.ts';
import { accounts, runSql, sandboxAt, serverOver, type TestServer } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';

async function toolsOf({ client }: TestServer) {
  const { tools } = await client.listTools();
  const words = JSON.stringify({ tools });
  const query = tools.find(({ name }) => name === 'query')?.description ?? '';
  return { words, examples: query.split('\n').filter((line) => line.startsWith('SELECT ')) };
}

/** All prompts and the guide. */
async function textsOf({ client }: TestServer): Promise<string> {
  const { prompts } = await client.listPrompts();
  const read = prompts.map(({ name }) => client.getPrompt({ name }));
  const guide = await client.readResource({ uri: 'commerce://guide' });
  return JSON.stringify([...(await Promise.all(read)), guide]);
}

describe.each(accounts)('where names are $dialect', ({ description, dialect }) => {
  const said = (name: string) => {
    const renamed = dialect === 'plain' ? { [name]: 1 } : inOtherDialect('', { [name]: 1 });
    return Object.keys(renamed ?? {}).join();
  };
  const kindOf = (kind: string) =>
    dialect === 'plain' ? kind : sayInOther(`'${kind}'`).slice(1, -1);
  const names = ['date_created', 'total_wt', 'customer_name', 'status', 'is_paid'].map(said);

  test('the second start says them, in statements that run, and no later answer changes that', async () => {
    const sandbox = await sandboxAt({ description, dialect });
    const options = { sandbox, cacheFolder: folderWith() };
    const first = await serverOver('memory', options);
    const atFirst = await toolsOf(first);
    for (const sql of atFirst.examples) await runSql(first, sql, 2000);
    await first.ask('get_product_sales', { period: 'last_week' });
    expect(await toolsOf(first)).toEqual(atFirst);
    await first.app.close();

    const second = await serverOver('memory', options);
    const { words, examples } = await toolsOf(second);
    expect(names.filter((name) => !words.includes(name))).toEqual([]);
    expect(words).toContain(`-${said('turnover_wt')}.`);
    expect(encode(words).length).toBeLessThanOrEqual(7500);
    expect(examples).toHaveLength(2);
    for (const sql of examples) await runSql(second, sql);
    expect(examples.join()).toContain(`sum(${said('quantity')})`);
    const texts = await textsOf(second);
    expect(texts).toContain(`sum(i.${said('quantity')}) AS pieces`);
    expect(texts).toContain(`sum(o.${said('total_wt')})`);
    const { rows } = await runSql(second, "FROM tables WHERE name = 'list_order_items'");
    expect(rows[0]?.columns).toContain(`${kindOf('product')}: sold`);
    expect(rows[0]?.columns).toContain(`${kindOf('discount')}: no product, below zero`);
    expect(texts).not.toMatch(/<[a-z]+ [a-zA-Z ]+>/);
  });

  test('a caller without customers reads no name of a column about them', async () => {
    const settings = { COMMERCE_TOOLSETS: 'orders,analysis' };
    const server = await serverOver('memory', { description, dialect, settings });
    await server.ask('list_orders', { period: 'yesterday' });
    await server.ask('query', { sql: "FROM tables WHERE name = 'list_orders'" });
    const { app } = server;
    const speak = speakFor((tool) => app.services.survey.columnsOf(tool).columns);
    const read = [speak('<order columns>'), (await toolsOf(server)).words].join();
    expect(read).toContain('order_number, shop_id, date_');
    expect(read).not.toMatch(/customer_name|buyer/);
  });

  test('totals of orders, VAT of a report and the check of payments are understood by any name', async () => {
    const server = await serverOver('memory', { description, dialect });
    const { world } = server.sandbox;
    const totals = `SELECT sum(${said('total_wt')}) AS omzet FROM list_orders(period := 'yesterday')`;
    expect((await server.ask('query', { sql: totals })).warnings).toMatchObject([
      { code: 'totals_as_turnover', column: said('total_wt') },
    ]);
    const figure = { sql: totals.replace('omzet', 'total'), title: 'Omzet' };
    expect((await server.ask('show_figure', figure)).warnings).toMatchObject([
      { code: 'totals_as_turnover', column: said('total_wt') },
    ]);
    const vat = await server.ask('compare_turnover', { period: 'last_week', measures: ['vat'] });
    const { wt, ex } = turnover(world.orders(...lastWeek));
    expect(vat.rows).toMatchObject([{ measure: 'vat', current: Number((wt - ex).toFixed(2)) }]);
    const close = await server.ask('get_daily_close', { date: '2026-11-18' });
    expect(close.context.definitions).toMatchObject({
      [`balance_check.${said('total_wt')}`]: expect.stringContaining(said('turnover_wt')),
    });
  });
});
