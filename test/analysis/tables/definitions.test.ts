import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  readDays,
  readDefinitions,
  tableReader,
} from '../../../src/analysis/tables/definitions.ts';
import { tableMessages } from '../../../src/analysis/tables/messages.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { SqlEngine } from '../../../src/query/engine.ts';
import { QueryError, queryMessages } from '../../../src/query/messages.ts';
import { hinted, workerEngine } from '../../query-engine.ts';
import { reasonOf } from '../../reasons.ts';
import { lastMonth, sumOf, turnover } from '../../sandbox/world/truth.ts';
import {
  accounts,
  keepLog,
  type LogLine,
  runSql,
  serverOver,
  sharedServer,
} from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';

const brokenText = (table: string) => tableMessages.broken_table({ table }).text;

const shipped = 'definitions';

// Views and what is asked of them are right statements.
beforeEach(() => {
  hinted.length = 0;
});
afterEach(() => expect(hinted).toEqual([]));

describe.each(accounts)(
  'the views that are shipped, where openapi.json is $description and names are $dialect,',
  (account) => {
    const server = sharedServer({ ...account, settings: { COMMERCE_DEFINITIONS: shipped } });

    test.each(['regulars', 'net_turnover', 'slow_movers'])(
      '%s is linked or shown by the documentation, and has rows',
      async (name) => {
        const page = readFileSync('docs/definitions.md', 'utf8');
        expect(page).toContain(`](../definitions/views/${name}.sql)`);
        if (name === 'net_turnover')
          expect(page).toContain(readFileSync(join(shipped, 'views', `${name}.sql`), 'utf8'));
        const { rows } = await runSql(server(), `FROM ${name}`);
        expect(rows.length).toBeGreaterThan(0);
      },
    );

    test('regulars counts who ordered so often, without the customer of sales that have none', async () => {
      const { rows } = await runSql(
        server(),
        "SELECT count(*) AS n, sum(orders) AS orders FROM regulars(period := '2026-10-01..2026-10-31', at_least := 5)",
      );
      const counts = new Map<number, number>();
      const isInternal = account.dialect === 'plain' ? false : 'any';
      const { world } = server().sandbox;
      for (const { relationId } of world.orders('2026-10-01', '2026-10-31', { isInternal }))
        counts.set(relationId, (counts.get(relationId) ?? 0) + 1);
      const [walkIn = 0, ...others] = [...counts.values()].sort((a, b) => b - a);
      const often = others.filter((count) => count >= 5);
      expect(walkIn).toBeGreaterThan(5 * (often[0] ?? 0));
      expect(rows).toEqual([{ n: often.length, orders: sumOf(often, (count) => count) }]);
    });

    test('net_turnover is what the books say of each shop', async () => {
      const { rows } = await runSql(
        server(),
        "SELECT shop_id, net_turnover_ex FROM net_turnover(period := 'last_month') ORDER BY shop_id",
      );
      const { world } = server().sandbox;
      const truth = world.shops.map(({ id }) => {
        const orders = world.orders(...lastMonth, { shopIds: [id] });
        return { shop_id: id, net_turnover_ex: turnover(orders).ex };
      });
      expect(rows).toEqual(truth);
    });

    test('a table of the business joins with the platform’s', async () => {
      const { rows } = await runSql(
        server(),
        'SELECT count(*) AS n, sum(t.target_wt) AS target FROM targets t JOIN shops s ON s.id = t.shop_id',
      );
      expect(rows).toEqual([{ n: 5, target: 3800 }]);
    });

    test('stand first in the list of tables, with parameters and columns', async () => {
      const { rows } = await runSql(server(), 'FROM tables LIMIT 4');
      expect(rows.map(({ name }) => name)).toEqual([
        'net_turnover',
        'regulars',
        'slow_movers',
        'targets',
      ]);
      expect(rows[1]).toMatchObject({
        arguments: "period = 'last_quarter'; at_least = 3",
        columns: expect.stringMatching(/^customer_id, orders, (\w+_wt), (\w+_wt)$/),
      });
      expect(rows[1]?.columns).toContain(
        account.dialect === 'plain' ? 'total_wt' : 'amount_due_wt',
      );
    });
  },
);

test('views cost as their parts do', async () => {
  const folder = folderWith({
    'views/pieces.sql': `-- parameter period = yesterday
    SELECT count(*) AS lines FROM list_orders(period := period) o,
      list_order_items(order_id := o.id)`,
  });
  const own = await serverOver('memory', { settings: { COMMERCE_DEFINITIONS: folder } });
  const { isError, text } = await own.ask('query', {
    sql: "FROM pieces(period := '2026-10-01..2026-10-31')",
    max_calls: 50,
  });
  expect(isError).toBe(true);
  expect(text).toContain('list_order_items');
  expect(text).toContain('max_calls is 50');
});

test('views are there only for callers with all their tools', async () => {
  const settings = { COMMERCE_DEFINITIONS: shipped, COMMERCE_TOOLSETS: 'catalog,analysis' };
  const fenced = await serverOver('memory', { settings });
  const { isError, text } = await fenced.ask('query', { sql: 'FROM regulars' });
  expect(isError).toBe(true);
  expect(text).toContain('no table "regulars"');
  const { rows } = await runSql(fenced, 'SELECT name FROM tables');
  expect(rows.map(({ name }) => name)).not.toContain('regulars');
});

/** A server over these files, and what it logs of those that are broken. */
async function serverWith(folder: string) {
  const log: LogLine[] = [];
  const settings = { COMMERCE_DEFINITIONS: folder };
  const own = await serverOver('memory', { log: keepLog(log), settings });
  const { rows } = await runSql(own, 'SELECT name, holds FROM tables');
  const holds = new Map(rows.map(({ name, holds }) => [name, holds]));
  const problems = new Map<string, JsonObject>();
  for (const { facts } of log.filter(isLeftOut)) problems.set(String(facts.file), facts);
  return { own, problems, holds };
}

const isLeftOut = ({ message }: LogLine) => message === 'a definition was left out';

test('a broken file is named with line and reason in the log; the others work', async () => {
  const folder = folderWith({
    'views/good.sql': '-- parameter least = 2\nSELECT id FROM shops WHERE id >= least',
    'views/on_top.sql': 'SELECT count(*) AS n FROM good(least := 3)',
    'views/wrong.sql': '-- About shops\nSELECT id\nFROM shps',
    'views/unclear.sql': 'SELECT id FROM\n  shops WHERE WHERE',
    'views/list_orders.sql': 'SELECT 1 AS one',
    'views/writes.sql': 'DELETE FROM shops',
    'views/needs.sql': 'SELECT id, omzet_wt FROM list_orders()',
    'tables/codes.csv': '# Our codes\nsku;price\n007;1,50\n',
  });
  const { own, problems, holds } = await serverWith(folder);
  expect(problems.get('views/wrong.sql')).toMatchObject({
    line: 2,
    reason: { code: 'unknown_table', name: 'shps', nearest: 'shops', tables: [] },
  });
  expect(problems.get('views/unclear.sql')).toMatchObject({
    line: 2,
    reason: { code: 'view_refused', flaw: 'no_sql', line: 2, column: 15 },
  });
  expect(problems.get('views/list_orders.sql')).toMatchObject({
    reason: { code: 'name_taken', name: 'list_orders' },
  });
  expect(problems.get('views/writes.sql')).toMatchObject({
    reason: { code: 'view_refused', flaw: 'no_select' },
  });
  expect(problems.get('views/needs.sql')).toMatchObject({
    reason: { code: 'unknown_column', column: 'omzet_wt', tables: [{ table: 'list_orders' }] },
  });
  expect(problems.size).toBe(5);
  // No caller can mend what the account lacks.
  const offered = [...problems.keys()].filter((file) => file !== 'views/needs.sql');
  for (const file of offered) expect(holds.get(file)).toBe(brokenText(file.slice(6, -4)));
  expect([...holds.keys()].join()).not.toContain('needs');
  expect((await own.ask('query', { sql: 'FROM needs' })).text).toContain(brokenText('needs'));
  expect((await runSql(own, 'FROM on_top')).rows).toEqual([
    { n: own.sandbox.world.shops.filter(({ id }) => id >= 3).length },
  ]);
  expect((await runSql(own, 'SELECT sku FROM codes')).rows).toEqual([{ sku: '007' }]);
  const { text } = await own.ask('query', { sql: 'SELECT * FROM wrong' });
  expect(text).toBe(`query: ${brokenText('wrong')}`);
});

test('numbers, days and truths of a Dutch Excel are read; what else has commas or points stays text', async () => {
  const folder = folderWith({
    'tables/targets.csv':
      '\uFEFFshop;dag;bijzonder;target_wt;margin;stock;note;version;code_nr\r\n' +
      '"markt; met ""kraam""";05-11-2026;WAAR;1.000,50;"12,5";3;1,5 or so;1.2;1,1\r\n' +
      ';;;;;;;;\r\n' +
      'Utrecht Oost;6-11-2026;ONWAAR;€ 25.000,00;-8,25;1.250;;1.3;1,2\r\n' +
      'Haarlem;07-11-2026;ja;;8;4;2,5;1.4;1,3\r\n',
    'tables/plain.csv': 'a;b\n1.000;2\n2.000;3\n',
  });
  const own = await serverOver('memory', { settings: { COMMERCE_DEFINITIONS: folder } });
  const { rows, warnings } = await runSql(own, 'FROM targets ORDER BY dag');
  const texts = [
    { shop: 'markt; met "kraam"', note: '1,5 or so', version: 1.2, code_nr: '1,1' },
    { shop: 'Utrecht Oost', note: null, version: 1.3, code_nr: '1,2' },
    { shop: 'Haarlem', note: '2,5', version: 1.4, code_nr: '1,3' },
  ];
  expect(rows).toEqual([
    { ...texts[0], dag: '2026-11-05', bijzonder: true, target_wt: 1000.5, margin: 12.5, stock: 3 },
    {
      ...texts[1],
      ...{ dag: '2026-11-06', bijzonder: false, target_wt: 25_000, margin: -8.25, stock: 1250 },
    },
    { ...texts[2], dag: '2026-11-07', bijzonder: true, target_wt: null, margin: 8, stock: 4 },
  ]);
  expect(warnings).toEqual([]);
  // Without a comma nothing says that a point parts thousands.
  expect((await runSql(own, 'SELECT sum(a) AS a FROM plain')).rows).toEqual([{ a: 3 }]);
});

test('a table is read once until its file changes, and refused with more cells or columns than any has', async () => {
  const wide = `${'a,'.repeat(1000)}a\n`;
  const folder = folderWith({
    'tables/targets.csv': 'a\n1\n',
    'tables/wide.csv': wide,
    'tables/long.csv': `a,b\n${'1,1\n'.repeat(500_000)}`,
  });
  const { problems } = await readDefinitions(folder, workerEngine, new Map());
  const reason = { code: 'too_many_cells', cells: 1_000_000, columns: 1000 };
  expect(problems).toMatchObject([
    { file: 'tables/long.csv', reason },
    { file: 'tables/wide.csv', reason },
  ]);
  const [readTable, path] = [tableReader(), join(folder, 'tables/targets.csv')];
  const first = await readTable(path);
  expect(await readTable(path)).toBe(first);
  writeFileSync(path, 'a\n1\n2\n');
  expect((await readTable(path)).rows).toEqual([{ a: 1 }, { a: 2 }]);
});

test('a folder that does not exist is said with its setting', async () => {
  const { problems } = await readDefinitions('/nowhere', workerEngine, new Map());
  const reason = { code: 'no_such_folder', setting: 'COMMERCE_DEFINITIONS', folder: '/nowhere' };
  expect(problems).toMatchObject([{ reason }]);
});

describe('rows that cannot be read', () => {
  const secret = 'S3CR3T jan@x.nl';
  const rows = (count: number, last: string) =>
    `shop_id,target_wt\n${Array.from({ length: count }, (_, at) => `${at},1.5\n`).join('')}${last}\n`;
  const files = {
    'tables/targets.csv': rows(300, `301,${secret}`),
    'tables/wide.csv': `# Targets\n${rows(300, `301,2,${secret}`)}`,
    'tables/quotes.csv': `day,note\n2026-11-05,a "word" in\n2026-11-06,"fine"\n2026-11-07,"${secret}\n2026-11-08,lost\n`,
    'tables/days.csv': `day,note\n05-11-2026,fair\nmaandag,${secret}\n2026-11-07,\n`,
    'views/leak.sql': `${secret}\npassword: hunter2`,
    'views/fenced.sql': 'SELECT * FROM get_customerr(customer_id := 1)',
  };

  test('are left out and named, in the log and with the answer, by their place alone', async () => {
    const { own, problems, holds } = await serverWith(folderWith(files));
    const unread = {
      targets: [{ line: 302, column: 'target_wt', wants: 'number' }],
      wide: [{ line: 303, wants: 'cells' }],
      quotes: [
        { line: 2, wants: 'quotes' },
        { line: 4, wants: 'quotes' },
        { line: 5, wants: 'quotes' },
      ],
      days: [
        { line: 3, column: 'day', wants: 'day' },
        { line: 4, column: 'note', wants: 'value', day: '2026-11-07' },
      ],
    };
    for (const [table, rows] of Object.entries(unread)) {
      const warning = { code: 'rows_unread', table, count: rows.length, rows };
      const place = { line: rows[0]?.line, reason: warning };
      expect(problems.get(`tables/${table}.csv`)).toMatchObject(place);
      const { warnings } = await runSql(own, `SELECT count(*) AS n FROM ${table}`);
      expect(warnings).toMatchObject([warning]);
    }
    const { rows: sums } = await runSql(
      own,
      'SELECT sum(target_wt) AS target, (SELECT string_agg(note) FROM days) AS notes FROM targets',
    );
    expect(sums).toEqual([{ target: 450, notes: 'fair' }]);
    expect(problems.get('views/leak.sql')).toMatchObject({ line: 1 });
    const logged = JSON.stringify([...problems.values()]);
    expect(logged).not.toMatch(/S3CR3T|jan@x|hunter2/);
    expect(JSON.stringify([...holds])).not.toMatch(
      /S3CR3T|jan@x|hunter2|get_customerr|did you mean/,
    );
  });

  test('are named as soon as they are there', async () => {
    const folder = folderWith({ 'tables/targets.csv': rows(300, '301,2') });
    const { own, problems } = await serverWith(folder);
    expect(problems.size).toBe(0);
    writeFileSync(join(folder, 'tables/targets.csv'), rows(300, `301,${secret}`));
    const { text, warnings } = await runSql(own, 'SELECT sum(target_wt) FROM targets');
    expect(warnings).toMatchObject([{ code: 'rows_unread', rows: [{ line: 302 }] }]);
    expect(text).not.toMatch(/S3CR3T|jan@x/);
  });
});

describe.skipIf(process.platform === 'win32')('a definition', () => {
  test('that lies elsewhere, is no plain file or is huge is refused before it is read', async () => {
    const elsewhere = folderWith({ 'secret.txt': 'S3CR3T', 'views/x.sql': 'SELECT 1 AS one' });
    const folder = folderWith({
      'tables/inside.csv': 'a\n1\n',
      'tables/huge.csv': '',
      'views/.data/moved.sql': 'SELECT 2 AS two',
      'views/folder.sql/x': '',
    });
    const links = {
      'views/leak.sql': join(elsewhere, 'secret.txt'),
      'tables/leaked.csv': join(elsewhere, 'secret.txt'),
      'views/device.sql': '/dev/zero',
      'views/gone.sql': join(elsewhere, 'gone'),
      // As a volume of Kubernetes has it: a link to a file of the same folder.
      'views/moved.sql': '.data/moved.sql',
      'tables/again.csv': 'inside.csv',
    };
    for (const [file, target] of Object.entries(links)) symlinkSync(target, join(folder, file));
    execFileSync('mkfifo', [join(folder, 'views/fifo.sql'), join(folder, 'tables/fifo_too.csv')]);
    truncateSync(join(folder, 'tables/huge.csv'), 5_000_000_000);
    const { own, problems } = await serverWith(folder);
    const said = Object.fromEntries([...problems].map(([file, { reason }]) => [file, reason]));
    expect(said).toMatchObject({
      'views/leak.sql': { code: 'outside_folder' },
      'tables/leaked.csv': { code: 'outside_folder' },
      'views/device.sql': { code: 'outside_folder' },
      'views/gone.sql': { words: expect.stringContaining('ENOENT') },
      'views/fifo.sql': { code: 'not_a_plain_file' },
      'views/folder.sql': { code: 'not_a_plain_file' },
      'tables/fifo_too.csv': { code: 'not_a_plain_file' },
      'tables/huge.csv': { code: 'too_many_bytes', bytes: 5_000_000_000, max: 5_000_000 },
    });
    expect((await runSql(own, 'SELECT two, a FROM moved, again')).rows).toEqual([{ two: 2, a: 1 }]);
  });

  test('is none in a folder of another place', async () => {
    const elsewhere = folderWith({ 'views/x.sql': 'SELECT 1 AS one' });
    const folder = folderWith({ 'tables/a.csv': 'a\n1\n' });
    symlinkSync(join(elsewhere, 'views'), join(folder, 'views'));
    const { problems } = await serverWith(folder);
    expect([...problems.values()]).toMatchObject([
      { file: 'views/x.sql', reason: { code: 'outside_folder' } },
    ]);
  });
});

test('a server reads its definitions when it starts, and logs what is wrong with them', async () => {
  const folder = folderWith({ 'views/wrong.sql': 'SELECT id FROM shps' });
  const { log } = await serverOver('http', { settings: { COMMERCE_DEFINITIONS: folder } });
  const facts = expect.objectContaining({ file: 'views/wrong.sql' });
  const message = 'a definition was left out';
  await expect.poll(() => log).toContainEqual({ level: 'warn', facts, message });
});

test('a plain statement that is the first to read the definitions logs what is wrong with them', async () => {
  const log: LogLine[] = [];
  const settings = {
    COMMERCE_DEFINITIONS: folderWith({ 'views/wrong.sql': 'SELECT id FROM shps' }),
  };
  await runSql(await serverOver('memory', { log: keepLog(log), settings }), 'SELECT 1 AS one');
  expect(log.filter(isLeftOut)).toHaveLength(1);
});

describe('however many definitions a folder has', () => {
  const views = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((nth) => [`views/v${nth}.sql`, `SELECT ${nth} AS n`]),
  );
  const folder = folderWith({ ...views, 'tables/days.csv': 'day,note\n2026-11-02,Fair\n' });

  test('they wait for one turn of the engine', async () => {
    let turns = 0;
    const engine: Pick<SqlEngine, 'runInOneTurn'> = {
      runInOneTurn(statements, turn) {
        turns++;
        return workerEngine.runInOneTurn(statements, turn);
      },
    };
    const definitions = await readDefinitions(folder, engine, new Map());
    expect(definitions).toMatchObject({ problems: [] });
    expect((await readDays(folder)).notes).toEqual([{ day: '2026-11-02', note: 'Fair' }]);
    expect(definitions.tables.size).toBe(7);
    expect(turns).toBe(1);
  });

  test('none of them is broken because the engine has no turn', async () => {
    const engine: Pick<SqlEngine, 'runInOneTurn'> = {
      runInOneTurn: () => Promise.reject(new QueryError(queryMessages.engine_stopped())),
    };
    const reading = readDefinitions(folder, engine, new Map());
    await expect(reading).rejects.toThrow(reasonOf({ code: 'definitions_wait' }));
  });
});
