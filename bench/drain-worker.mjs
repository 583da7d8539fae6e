// The client's drain of a list in a process of its own: `node drain-worker.mjs TASK` prints how long it took.
import { load } from './bundle.mjs';

const { rows, account, range } = JSON.parse(process.argv[2]);
const { createClient } = await load('src/client/client.ts');
const client = createClient({
  ...account,
  concurrency: 8,
  timeoutMs: 30_000,
  maxWaitMs: 45_000,
  maxRows: rows,
});
await client.get('/api/me');
const startedMs = performance.now();
const options = { endpoint: 'GET /api/order', query: range, pageSize: 500 };
const { length } = (await client.readAllPages('/api/order', options)).rows;
const wallMs = performance.now() - startedMs;
if (length !== rows) throw new Error(`${length} rows of ${rows} were read`);
console.log(JSON.stringify({ wallMs }));
process.exit();
