// One drain in a process of its own: `node drain-worker.mjs TASK` prints what it took.
import { Pool } from 'undici';
import { load } from './bundle.mjs';

const { how, rows, account, range } = JSON.parse(process.argv[2]);
const pageSize = 500;
const concurrency = 8;
const ways = { ours, bare, parse };

const { prepare, read } = await ways[how]();
const prepared = await prepare();
const before = process.cpuUsage();
const startedMs = performance.now();
const count = await read(prepared);
const wallMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(before);
if (count !== rows) throw new Error(`${how} read ${count} rows of ${rows}`);
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, peakMb }));
process.exit();

/** Our client, with its token exchanged and its connections not yet open. */
async function ours() {
  const { createClient } = await load('src/client/client.ts');
  const client = createClient({
    ...account,
    concurrency,
    timeoutMs: 30_000,
    maxWaitMs: 45_000,
    maxRows: rows,
  });
  return {
    prepare: () => client.get('/api/me'),
    async read() {
      const options = { endpoint: 'GET /api/order', query: range, pageSize };
      return (await client.readAllPages('/api/order', options)).rows.length;
    },
  };
}

/** What anybody writes first: the pages in parallel, nothing retried, nothing held against anything. */
async function bare() {
  const ask = bareAsk();
  return {
    prepare: () => ask('/api/me'),
    read: async () => (await eachPage(async (path) => JSON.parse(await ask(path)).data)).length,
  };
}

/** The same bytes, which are here already. */
async function parse() {
  const ask = bareAsk();
  return {
    prepare: () => eachPage(ask),
    read: async (pages) => pages.flatMap((page) => JSON.parse(page).data).length,
  };
}

/** What `read` gives for each page of the list, some at a time. */
async function eachPage(read) {
  const all = [];
  let next = 0;
  const worker = async () => {
    while (next < rows) {
      const start = next;
      next += pageSize;
      all.push(await read(pagePath(start)));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return all.flat();
}

function bareAsk() {
  const pool = new Pool(account.baseUrl, { connections: concurrency });
  const headers = { authorization: `Bearer ${account.token}` };
  return async (path) => {
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    return body.text();
  };
}

function pagePath(start) {
  return `/api/order?${new URLSearchParams({ ...range, start, limit: pageSize })}`;
}
