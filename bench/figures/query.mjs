// SQL over the tools: what the engine's start costs, what a statement over a long list costs beyond
// reading it, and what either does to the server. Each run has a server of its own.
import { daysBefore, ours } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { alternate, compare, part } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';
import { openWatched } from '../process-figures.mjs';
import { drain } from './drain.mjs';

const rounds = 5;
const rows = 50_000;
const latencyMs = 50;

/** Past days with enough orders. */
const range = { from: daysBefore(40), to: daysBefore(2) };

/** Longest second statement over loaded rows, in milliseconds. */
const secondMs = 400;

export async function query() {
  const platform = await openPlatform({ remember: true, latencyMs, ordersPerDay: 2000 });
  const each = (work) => () => withServer(platform, work);
  try {
    const starts = await alternate(rounds, {
      ours: each((server) => timed(() => first(server))),
      baseline: each((server) => timed(() => server.call('get_me', {}))),
    });
    const long = await alternate(rounds, { ours: each(statements), baseline: each(listed) });
    const drained = await alternate(rounds, {
      ours: each(statements),
      baseline: () => drain({ rows, account: platform.account, range }),
    });
    const values = (key) => part(long, (sample) => sample[key]);
    const second = { ours: values('secondMs').ours, baseline: long.ours.map(() => secondMs) };
    const wall = part(drained, ({ wallMs }) => wallMs);
    return [
      compare('first statement, engine start included; get_me', 'ms', starts),
      compare('50,000 orders grouped; drained alone', 'ms', wall, { atMost: 1.5 }),
      compare('50,000 orders grouped; list_orders with all', 'ms', values('wallMs')),
      compare('second statement over them', 'ms', second, { atMost: 1 }),
      compare('server memory; list_orders with all', 'MB', values('residentMb')),
      compare('longest hold-up of the server; with all', 'ms', values('longestMs')),
    ];
  } finally {
    await platform.close();
  }
}

const first = (server) => server.call('query', { sql: 'SELECT 1 AS one' });

/** A first and a second statement over the same long list. */
async function statements(server) {
  await first(server);
  await server.figures();
  const orders = `list_orders("from" := '${range.from}', "to" := '${range.to}')`;
  const grouped = `SELECT shop_id, count(*) AS orders, sum(total_wt) AS total FROM ${orders} GROUP BY ALL`;
  const wallMs = await timed(async () => {
    const { structuredContent } = await server.call('query', { sql: grouped });
    const read = structuredContent.data.reduce((sum, row) => sum + row.orders, 0);
    if (read !== rows) throw new Error(`the statement read ${read} rows of ${rows}`);
  });
  const figures = await server.figures();
  const sql = `SELECT hour(date_created) AS hour, median(total_wt) AS middle FROM ${orders} GROUP BY ALL`;
  const secondMs = await timed(() => server.call('query', { sql }));
  return { ...figures, wallMs, secondMs };
}

/** The same rows by list_orders. */
async function listed(server) {
  await server.call('get_me', {});
  await server.figures();
  const wallMs = await timed(() => server.call('list_orders', { ...range, all: true }));
  return { ...(await server.figures()), wallMs };
}

async function withServer({ settings }, work) {
  const rowsSetting = { ...settings, COMMERCE_MAX_ROWS: String(rows) };
  const server = await openWatched(openStdio, [ours, 'stdio'], rowsSetting);
  try {
    await server.initialize();
    await server.request('tools/list');
    return await work(server);
  } finally {
    await server.close();
  }
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
