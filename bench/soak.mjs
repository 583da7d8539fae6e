// `npm run soak [-- MINUTES]`: eight clients, four over stdio with a server each and four over HTTP on one, before a
// platform that changes what it breaks about every second.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { load, ours } from './bundle.mjs';
import { openHttp } from './line-client.mjs';
import { quantile } from './measure.mjs';

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) {
  console.error('npm run soak -- MINUTES: a number above 0, 10 when left out');
  process.exit(2);
}

const clientsEach = 4;
/** Answers and connections that fail, in the words of the sandbox's faults. */
const faults = [
  ...['500', '502', '503', 'html', 'html=echo', 'body=empty', 'reset', 'reset=middle', 'body=cut'],
  ...['body=not-text', 'body=deep', 'body=plain', 'slow', 'slow=body', 'huge', 'huge=headers'],
  ...['redirect', '401', 'expired', '429', '429=none', 'limits=none', 'limits=unreadable'],
  ...['limits=odd', 'list=null', 'list=high-total', 'list=low-total', 'list=shifting'],
  ...['list=repeated', 'list=stuck'],
];
const paths = ['/api*', '/api*', '/api/order*', '/api/report*', '/oauth/token', '/.well-known*'];
const pick = (list) => list[Math.floor(Math.random() * list.length)];

const { startSandbox } = await load('test/sandbox/start-sandbox.ts');
const sandbox = await startSandbox({ quota: 3000, windowSeconds: 10, tokenLifetimeSeconds: 20 });
const { unbalancedDay, orders } = sandbox.world;
const day = unbalancedDay.date;
const order_id = orders.call(sandbox.world, day)[0]?.id ?? 1;
const knownQuestion = ['get_daily_close', { date: day }];
const questions = [
  ['get_me', {}],
  ['list_shops', {}],
  ['get_daily_close', { date: 'yesterday' }],
  ['get_financial_report', { period: 'last_month' }],
  ['get_payment_report', { from: day }],
  ['list_orders', { period: 'last_week', limit: 50 }],
  ['list_orders', { period: 'last_30_days', all: true }],
  ['list_order_changes', { since: 'yesterday', all: true }],
  ['get_order', { order_id }],
  ['list_order_items', { order_id }],
  ['search_products', { q: 'koek' }],
  ['get_product', { shop_product_id: 1001 }],
  ['list_stock', { location_id: 2 }],
  ['search_customers', { q: 'jansen' }],
  ['find_reference', { query: 'Utrecht' }],
  ['compare_turnover', { period: 'last_week', by: 'shop' }],
  ['turnover_trend', { period: 'last_7_days', bucket: 'day' }],
  ['list_orders', { period: 'last_wek' }],
];

const env = {
  COMMERCE_BASE_URL: sandbox.baseUrl,
  COMMERCE_AUTH_URL: sandbox.authUrl,
  COMMERCE_CLIENT_ID: sandbox.clientId,
  COMMERCE_CLIENT_SECRET: sandbox.clientSecret,
  COMMERCE_TIMEOUT_SECONDS: '1',
  COMMERCE_MAX_WAIT_SECONDS: '3',
  COMMERCE_LOG_LEVEL: 'warn',
};
const http = await openHttp([ours, 'http', '--port', '0'], env);
const stdio = Array.from({ length: clientsEach }, () => {
  const args = [ours, 'stdio'];
  return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
});
const overHttp = stdio.map(() => new StreamableHTTPClientTransport(http.url));
const clients = await Promise.all([...stdio, ...overHttp].map(connect));
const servers = [...stdio, http].map(({ pid }) => pid);

const outcomes = new Map();
const samples = [];
let truth;
const endsAtMs = performance.now() + minutes * 60_000;
const goesOn = () => performance.now() < endsAtMs;
const isForbidden = ([outcome]) => /^[A-Z ]+$/.test(outcome) || outcome === 'internal';
await Promise.all([...clients.map(work), breakThings(), watch()]);

// Without faults, everything must work again.
sandbox.control.clearFaults();
await sleep(6000);
const last = await Promise.all(clients.map((client) => ask(client, knownQuestion)));
const left = sandbox.stats.inFlight;
await sleep(2000);
samples.push(servers.map(readProcess));

const wrong = last.filter((outcome) => outcome !== 'right');
const failures = [
  ...servers.flatMap(failuresOf),
  ...[...outcomes].filter(isForbidden).map(([outcome, count]) => `${count} of ${outcome}`),
  ...wrong.map((outcome) => `${outcome} when all was quiet`),
  ...(left > 0 ? [`${left} requests under way that nobody waits for`] : []),
];
for (const [outcome, count] of [...outcomes].sort(([, a], [, b]) => b - a))
  console.log(`${String(count).padStart(8)}  ${outcome}`);
console.log(failures.length === 0 ? 'No leak, no wrong answer.' : `FAILED: ${failures.join('; ')}`);
await Promise.all(clients.map((client) => client.close()));
await http.close();
await sandbox.close();
process.exitCode = failures.length === 0 ? 0 : 1;

async function connect(transport) {
  const client = new Client({ name: 'soak', version: '1.0.0' });
  await client.connect(transport);
  await client.listTools();
  return client;
}

/** One question after the other: an eighth has a known answer, a twentieth is abandoned. */
async function work(client) {
  while (goesOn()) {
    const isAbandoned = Math.random() < 0.05;
    const question = !isAbandoned && Math.random() < 0.125 ? knownQuestion : pick(questions);
    const signal = isAbandoned ? AbortSignal.timeout(Math.ceil(Math.random() * 300)) : undefined;
    const outcome = await ask(client, question, signal);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}

/** `right`, `answered`, `cancelled`, the code of a refusal, or a forbidden outcome in capitals. */
async function ask(client, question, signal) {
  const [name, input] = question;
  try {
    const answer = await client.callTool({ name, arguments: input }, signal && { signal });
    if (answer.isError) return answer._meta['commerce-mcp/error'].code;
    if (question !== knownQuestion) return 'answered';
    const { context: _, ...figures } = answer.structuredContent;
    const told = JSON.stringify(figures);
    truth ??= told;
    return told === truth ? 'right' : 'WRONG';
  } catch (error) {
    if (signal?.aborted) return 'cancelled';
    console.error(`${name}: ${error.message}`);
    return 'PROTOCOL ERROR';
  }
}

async function breakThings() {
  const { control, clientId } = sandbox;
  while (goesOn()) {
    control.clearFaults();
    for (let count = Math.floor(Math.random() * 4); count > 0; count--)
      control.inject(`${pick(faults)}:path=${pick(paths)},every=${pick([1, 1, 2, 3])},ms=1500`);
    const chance = Math.random();
    if (chance < 0.1) control.expireTokens();
    else if (chance < 0.2) control.setQuota(pick([500, 3000, 10_000]));
    else if (chance < 0.25) {
      control.revokeKey(clientId);
      await sleep(500);
      control.restoreKey(clientId);
    }
    await sleep(300 + Math.random() * 1200);
  }
}

async function watch() {
  while (goesOn()) {
    samples.push(servers.map(readProcess));
    await sleep(Math.min(5000, minutes * 1500));
  }
}

/** Resident megabytes and open handles from /proc; none after the end. */
function readProcess(pid) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return { megabytes: kilobytes / 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return { megabytes: Number.NaN, handles: Number.NaN };
  }
}

/** Compares memory of the last quarter with the second; caches fill in the first. A server that has ended has neither. */
function failuresOf(pid, index) {
  const own = samples.map((sample) => sample[index]);
  const quarter = Math.max(1, Math.floor((own.length - 1) / 4));
  const middle = (part) => {
    const all = part.map(({ megabytes }) => megabytes);
    return quantile(all, 0.5);
  };
  const growth = middle(own.slice(-quarter - 1, -1)) / middle(own.slice(quarter, 2 * quarter));
  const handles = own.at(-1).handles - own[0].handles;
  console.log(`server ${pid}: memory x ${growth.toFixed(2)}, ${handles} handles more`);
  const isFine = growth <= 1.25 && handles <= 10;
  return isFine ? [] : [`server ${pid} grew, kept handles open, or has ended`];
}
