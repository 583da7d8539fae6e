// `node bench/fleet.mjs`: 200 clients over four servers as processes on one key, one Redis, 600
// requests a minute, and 2,000 calls offered as fast as they go. On the way one server is killed, and
// Redis is killed and started again, empty. Takes about four minutes.
// `node bench/fleet.mjs 300 10` does the same with 300 requests in 10 seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './bundle.mjs';
import { startRedis, startServer } from './fleet/processes.mjs';

const quota = Number(process.argv[2] ?? 600);
const windowMs = Number(process.argv[3] ?? 60) * 1000;
const calls = Math.round((quota * 10) / 3);
const replicas = 4;
/** Clients of each server, each with one call after the other. */
const clients = 50;

const { startSandbox } = await load('test/sandbox/start-sandbox.ts');
const sandbox = await startSandbox({ quota, windowSeconds: windowMs / 1000, latencyMs: 20 });
const redis = await startRedis();
const settings = {
  COMMERCE_BASE_URL: sandbox.baseUrl,
  COMMERCE_AUTH_URL: sandbox.authUrl,
  COMMERCE_CLIENT_ID: sandbox.clientId,
  COMMERCE_CLIENT_SECRET: sandbox.clientSecret,
  COMMERCE_REDIS_URL: redis.url,
  COMMERCE_MAX_WAIT_SECONDS: '3600',
  COMMERCE_LOG_LEVEL: 'warn',
};
const servers = await Promise.all(Array.from({ length: replicas }, () => startServer(settings)));
const windows = countWindows();
try {
  const startedAtMs = Date.now();
  const ids = orderIds();
  const asking = servers.map(({ url }, at) =>
    ask(
      url,
      ids.filter((_, index) => index % replicas === at),
    ),
  );
  const afterCalls = async (part) => {
    while (sandbox.stats.requests < calls * part) await sleep(50);
  };
  await afterCalls(0.3);
  await servers[0].kill();
  await afterCalls(0.5);
  const beforeOutage = sandbox.stats.refused;
  await redis.kill();
  await sleep(windowMs / 3);
  await redis.start();
  const [killed, ...others] = await Promise.all(asking);
  const full = windows().slice(1, -1);
  const answered = others.reduce((sum, { answered }) => sum + answered, killed.answered);
  const lost = others.flatMap(({ failed }) => failed);
  console.log(`calls offered                       ${ids.length} to ${replicas} servers`);
  console.log(`answered                            ${answered}`);
  console.log(`lost by the server that was killed  ${killed.failed.length}`);
  console.log(`lost by the others                  ${lost.length} ${lost[0] ?? ''}`);
  const wrong = others.reduce((sum, { wrong }) => sum + wrong, killed.wrong);
  console.log(`answered with another order         ${wrong}`);
  console.log(`refused by the platform (429)       ${sandbox.stats.refused}`);
  console.log(`  of these before Redis went        ${beforeOutage}`);
  console.log(`used of each window                 ${windows().join(', ')} of ${quota}`);
  console.log(`least share of a full window        ${Math.min(...full) / quota}`);
  console.log(
    `took                                ${Math.round((Date.now() - startedAtMs) / 1000)} s`,
  );
  const isGood =
    sandbox.stats.refused === 0 && lost.length + wrong === 0 && Math.min(...full) >= quota * 0.7;
  console.log(isGood ? 'reached' : 'NOT REACHED');
  process.exitCode = isGood ? 0 : 1;
} finally {
  await Promise.all(servers.map((server) => server.kill()));
  await redis.kill();
  await sandbox.close();
}
process.exit();

/** Asks one server for orders, many at a time; a server that has ended fails what is left. */
async function ask(url, ids) {
  const left = [...ids];
  const outcome = { answered: 0, wrong: 0, failed: [] };
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        const { result, error } = await callTool(url, 'get_order', { order_id: id });
        if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
        outcome.answered++;
        if (result.structuredContent.data?.id !== id && result.structuredContent.id !== id)
          outcome.wrong++;
      } catch (error) {
        outcome.failed.push(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, worker));
  return outcome;
}

async function callTool(url, name, input) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    }),
  });
  const text = await reply.text();
  const data = text.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse(data?.slice('data: '.length) ?? text);
}

function orderIds() {
  const from = new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 10);
  const orders = sandbox.world.orders(from, sandbox.world.today());
  return orders.slice(0, calls).map(({ id }) => id);
}

/** Requests that the platform has counted, by window: looked at often enough to tell them apart. */
function countWindows() {
  const counted = new Map();
  let before = 0;
  const timer = setInterval(() => {
    const requests = sandbox.stats.requests - (sandbox.stats.byPath['/openapi.json'] ?? 0);
    const window = Math.floor(Date.now() / windowMs);
    counted.set(window, (counted.get(window) ?? 0) + requests - before);
    before = requests;
  }, 5);
  timer.unref();
  return () => [...counted.values()];
}
