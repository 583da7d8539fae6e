// Order lines at the scale of a chain: `npm run build && node bench/lines.mjs [STEP ...]`. A sandbox with 1,500
// orders a day; 30 days are filled, asked about, changed, and the fill is killed, doubled, and given a full disk.
// Each figure is printed with what it is to be. ORDERS_PER_DAY and DAYS make it smaller.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, root } from './bundle.mjs';
import { openStdio } from './line-client.mjs';

const { startSandbox } = await load('test/sandbox/start-sandbox.ts');
const { productById } = await load('src/sandbox/world/business/products.ts');
const cli = join(root, 'dist/cli.js');
const ordersPerDay = Number(process.env.ORDERS_PER_DAY ?? 1500);
const days = Number(process.env.DAYS ?? 30);
const period = `last_${days}_days`;
const base = await mkdtemp(join(tmpdir(), 'lines-bench-'));
const sandbox = await startSandbox({ ordersPerDay, days: days + 10, quota: 1_000_000 });
const { stats, world, control } = sandbox;
const lineCalls = () => stats.byPath['/api/order/{id}/item'] ?? 0;

const listed = `list_orders(period := '${period}')`;
const pairs = `WITH baskets AS (SELECT DISTINCT order_id, title
    FROM list_order_items(order_id := (SELECT id FROM ${listed})) WHERE kind = 'product' AND quantity > 0)
  SELECT a.title, b.title AS other, count(*) AS orders
  FROM baskets a JOIN baskets b ON a.order_id = b.order_id AND a.title < b.title
  GROUP BY ALL ORDER BY orders DESC, a.title, other LIMIT 10`;
const gifts = `WITH orders AS (SELECT id, shop_id, CAST(date_trunc('week', date_created) AS DATE)::VARCHAR AS week FROM ${listed}),
  gifts AS (SELECT DISTINCT order_id FROM list_order_items(order_id := (SELECT id FROM orders)) WHERE kind = 'gift_card')
  SELECT o.shop_id, o.week, count(*) AS orders, count(g.order_id) AS with_gift_card
  FROM orders o LEFT JOIN gifts g ON g.order_id = o.id GROUP BY ALL ORDER BY ALL`;

function say(what, is, goal) {
  console.log(`${what.padEnd(58)} ${String(is).padEnd(34)} ${goal}`);
}

function settingsFor(folder, { clientId, clientSecret, baseUrl, authUrl } = sandbox) {
  return {
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_AUTH_URL: authUrl,
    COMMERCE_CLIENT_ID: clientId,
    COMMERCE_CLIENT_SECRET: clientSecret,
    COMMERCE_KEEP_DIR: folder,
    COMMERCE_LOG_LEVEL: 'warn',
  };
}

function start(args, folder) {
  const env = { ...process.env, ...settingsFor(folder) };
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  return { child, ended };
}

async function timed(args, folder) {
  const [before, startedMs] = [lineCalls(), performance.now()];
  const ended = await start(args, folder).ended;
  return { ...ended, seconds: (performance.now() - startedMs) / 1000, read: lineCalls() - before };
}

const fill = (folder) => timed(['fill', period, '--share', '100'], folder);

async function partsOf(folder) {
  const [owner] = (await readdir(folder)).filter((name) => name.startsWith('lines-'));
  const names = owner ? await readdir(join(folder, owner)) : [];
  const parts = names.filter((name) => name.endsWith('.parquet'));
  const sizes = await Promise.all(parts.map((name) => stat(join(folder, owner, name))));
  const filled = names.filter((name) => name.endsWith('.filled')).length;
  return { parts: parts.length, filled, bytes: sizes.reduce((sum, { size }) => sum + size, 0) };
}

const dayOf = (ms) => new Date(ms).toLocaleDateString('sv', { timeZone: 'Europe/Amsterdam' });
const today = dayOf(Date.now());
const ago = (count) => dayOf(Date.parse(`${today}T12:00:00Z`) - count * 86_400_000);
const orders = () => world.orders(ago(days), ago(1)).filter(({ isInternal }) => !isInternal);

/** The sums of both statements over the truth. */
function pairsOutside() {
  const counts = new Map();
  for (const { lines } of orders()) {
    const bought = lines.filter(({ kind, quantity }) => kind === 'product' && quantity > 0);
    const titles = [
      ...new Set(bought.map(({ productId }) => productById(productId).title[0])),
    ].sort();
    for (const [at, title] of titles.entries())
      for (const other of titles.slice(at + 1))
        counts.set(`${title}\t${other}`, (counts.get(`${title}\t${other}`) ?? 0) + 1);
  }
  const rows = [...counts].map(([key, count]) => [...key.split('\t'), count]);
  const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return rows.sort((a, b) => b[2] - a[2] || byName(a[0], b[0]) || byName(a[1], b[1])).slice(0, 10);
}

function giftsOutside() {
  const counts = new Map();
  for (const { shopId, placedMs, lines } of orders()) {
    const day = Date.parse(`${dayOf(placedMs)}T12:00:00Z`);
    const monday = dayOf(day - ((new Date(day).getUTCDay() + 6) % 7) * 86_400_000);
    const key = `${String(shopId).padStart(6)} ${monday}`;
    const row = counts.get(key) ?? [shopId, monday, 0, 0];
    row[2]++;
    if (lines.some(({ kind }) => kind === 'gift_card')) row[3]++;
    counts.set(key, row);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

async function ask(server, sql, max_calls = 110) {
  const startedMs = performance.now();
  const { structuredContent, content } = await server
    .call('query', { sql, max_calls })
    .catch((error) => {
      throw new Error(`${error.message} ${JSON.stringify(stats.byStatus)} ${stats.refused}`);
    });
  const seconds = (performance.now() - startedMs) / 1000;
  const { context, data } = structuredContent ?? {};
  if (data === undefined) throw new Error(content[0].text);
  const calls = context.tables.reduce((sum, table) => sum + table.calls, 0);
  return { rows: data.map(Object.values), calls, seconds };
}

const isRight = (rows, outside) =>
  JSON.stringify(rows) === JSON.stringify(outside) ? 'right' : 'WRONG';

const steps = {
  async fill(folder) {
    const { code, seconds, read } = await fill(folder);
    const lines = orders().reduce((sum, order) => sum + order.lines.length, 0);
    const { parts, bytes } = await partsOf(folder);
    say(
      `${days} days filled: orders read, seconds, exit`,
      `${read}, ${seconds.toFixed(0)} s, ${code}`,
      '',
    );
    say('parts', parts, 'at most 12');
    say('bytes a line', (bytes / lines).toFixed(1), 'at most 60');
  },
  async ask(folder) {
    const server = openStdio([cli, 'stdio'], settingsFor(folder));
    await server.initialize();
    for (const [name, sql, outside] of [
      ['pairs', pairs, pairsOutside],
      ['gift cards', gifts, giftsOutside],
    ])
      for (let round = 0; round < 3; round++) {
        const { rows, calls, seconds } = await ask(server, sql, 2000);
        say(
          `${name}: seconds, calls`,
          `${seconds.toFixed(2)} s, ${calls}, ${isRight(rows, outside())}`,
          '5 s, 110 calls',
        );
      }
    const all = orders();
    const changed = all.filter((_, at) => at % Math.floor(all.length / 1000) === 0).slice(0, 1000);
    control.changeOrders(changed.map(({ id }) => id));
    const before = lineCalls();
    const { rows, calls, seconds } = await ask(server, pairs, 2000);
    say(
      '1,000 changed: lines read, calls, seconds',
      `${lineCalls() - before}, ${calls}, ${seconds.toFixed(1)} s, ${isRight(rows, pairsOutside())}`,
      '1,000 and the list',
    );
    await server.close();
  },
  async kill() {
    const folder = join(base, 'killed');
    const before = lineCalls();
    let kills = 0;
    for (; kills < 20; kills++) {
      const { child, ended } = start(['fill', period, '--share', '100'], folder);
      const goal = lineCalls() + 200 + Math.floor(Math.random() * 1500);
      while (lineCalls() < goal && child.exitCode === null) await sleep(5);
      child.kill('SIGKILL');
      await ended;
    }
    const { code } = await fill(folder);
    const { filled } = await partsOf(folder);
    const repeated = lineCalls() - before - orders().length;
    say(
      `killed ${kills} times: repeated orders, days whole, exit`,
      `${repeated}, ${filled}, ${code}`,
      `at most ${kills * 500}, ${days}, 0`,
    );
  },
  async share() {
    const folder = join(base, 'shared');
    const short = 'last_3_days';
    const sql = pairs.replace(period, short);
    const fills = [1, 2].map(() => timed(['fill', short, '--share', '100'], folder));
    const asks = [1, 2].map(() =>
      timed(['query', sql, '--json', '--query-max-calls', '20000'], folder),
    );
    const ended = await Promise.all([...fills, ...asks]);
    const answers = new Set(
      ended.slice(2).map(({ stdout }) => JSON.stringify(JSON.parse(stdout).data)),
    );
    const again = await timed(['query', sql, '--json'], folder);
    answers.add(JSON.stringify(JSON.parse(again.stdout).data));
    say(
      'two fills, two statements: exits, answers, then read',
      `${ended.map(({ code }) => code)}, ${answers.size}, ${again.read}`,
      '0,0,0,0, 1, a few',
    );
  },
  async disk() {
    const folder = join(base, 'full');
    await mkdir(folder);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', folder], {
        stdio: 'ignore',
      });
    } catch {
      return say('disk full', 'not run: mounts need root', '');
    }
    try {
      const { code, stderr } = await fill(folder);
      const { parts } = await partsOf(folder);
      say('disk full: exit, parts kept', `${code}, ${parts}`, '1, some');
      console.log(`  ${stderr.trim().slice(0, 160)}`);
      execFileSync('mount', ['-o', 'remount,size=50m', folder]);
      const again = await timed(['fill', 'last_3_days', '--share', '100'], folder);
      say(
        'with room again: exit, orders read',
        `${again.code}, ${again.read}`,
        '0, fewer than three days',
      );
    } finally {
      execFileSync('umount', [folder]);
    }
  },
  async caller() {
    control.setQuota(600);
    control.rollWindow();
    const server = openStdio([cli, 'stdio'], settingsFor(join(base, 'asked')));
    await server.initialize();
    const [first] = orders();
    const ask = async (waits) => {
      for (let call = 0; call < 60; call++) {
        const startedMs = performance.now();
        await server.call('get_order', { order_id: first.id });
        waits.push(performance.now() - startedMs);
        await sleep(250);
      }
    };
    const p95 = (waits) => waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.95)];
    await ask([]);
    // In turn, for the machine may be busy with something else for a while.
    const [quiet, filled] = [[], []];
    const before = lineCalls();
    for (let round = 0; round < 4; round++) {
      await ask(quiet);
      const { child, ended } = start(['fill', period], join(base, 'beside'));
      await sleep(5000);
      await ask(filled);
      child.kill('SIGTERM');
      await ended;
    }
    const [alone, beside, read] = [p95(quiet), p95(filled), lineCalls() - before];
    await server.close();
    control.setQuota(1_000_000);
    say(
      'an honest caller, p95 alone and beside a fill',
      `${alone.toFixed(1)}, ${beside.toFixed(1)} ms, ${(beside / alone).toFixed(2)} (${read} read)`,
      'at most 1.3',
    );
  },
};

const wanted = process.argv.slice(2);
const folder = join(base, 'main');
try {
  for (const [name, step] of Object.entries(steps))
    if (wanted.length === 0 || wanted.includes(name)) await step(folder);
} finally {
  await sandbox.close();
  await rm(base, { recursive: true, force: true });
}
