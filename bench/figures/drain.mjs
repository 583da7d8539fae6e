// A drain of a list in a process of its own: `node drain.mjs TASK` prints what it took. The client reads the pages, or
// they are parsed when all have arrived.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { load } from '../bundle.mjs';

const program = fileURLToPath(import.meta.url);
const pageSize = 500;

/** Milliseconds that a drain takes, by the clock and of computing: `{ wallMs, cpuMs }`. */
export async function drain(task) {
  const args = [program, JSON.stringify(task)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

if (process.argv[1] === program) {
  const { way = 'client', rows, account, range } = JSON.parse(process.argv[2]);
  const read = await (way === 'parse' ? arrivedPages : readyClient)(rows, account, range);
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const { length } = await read();
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  if (length !== rows) throw new Error(`${length} rows of ${rows} were read`);
  console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }));
  process.exit();
}

/** A client with its token exchanged. */
async function readyClient(rows, account, range) {
  const { createClient } = await load('src/client/client.ts');
  const waits = { timeoutMs: 30_000, maxWaitMs: 45_000 };
  const client = createClient({ ...account, ...waits, concurrency: 8, maxRows: rows });
  await client.get('/api/me');
  const options = { endpoint: 'GET /api/order', query: range, pageSize };
  return async () => (await client.readAllPages('/api/order', options)).rows;
}

async function arrivedPages(rows, account, range) {
  const headers = { authorization: `Bearer ${account.token}` };
  const texts = [];
  for (let start = 0; start < rows; start += pageSize) {
    const query = new URLSearchParams({ ...range, start, limit: pageSize });
    const answer = await fetch(`${account.baseUrl}/api/order?${query}`, { headers });
    texts.push(await answer.text());
  }
  return () => texts.flatMap((text) => JSON.parse(text).data);
}
