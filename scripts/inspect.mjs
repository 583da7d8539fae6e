// Drives the built server with the MCP Inspector's command line on Node 22: every tool called once,
// every resource read, every prompt fetched, against the embedded sandbox. Needs the npm registry once.
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const program = ['node', 'dist/cli.js', 'stdio'];
const sandbox = spawn(process.execPath, ['dist/cli.js', 'sandbox'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const account = await new Promise((resolve) => {
  let printed = '';
  sandbox.stdout.on('data', (chunk) => {
    printed += chunk;
    const found = [...printed.matchAll(/^(COMMERCE_\w+)=(.+)$/gm)];
    if (printed.includes('This key')) resolve(Object.fromEntries(found.map(([, k, v]) => [k, v])));
  });
});

/** Arguments that make each tool answer; the rest take none. */
const samples = {
  get_daily_close: ['date=yesterday'],
  get_financial_report: ['period=yesterday'],
  get_payment_report: ['period=yesterday'],
  get_product_sales: ['period=yesterday'],
  list_discount_orders: ['period=last_week'],
  list_orders: ['period=yesterday', 'limit=5'],
  list_order_changes: ['since=yesterday', 'limit=5'],
  list_product_changes: ['since=last_month', 'limit=5'],
  list_product_prices: ['product_ids=1001,1002'],
  get_product: ['shop_product_id=1001'],
  get_location: ['location_id=2'],
  find_reference: ['query=utrecht'],
  compare_turnover: ['period=last_week'],
  turnover_trend: ['period=last_week'],
  query: [`sql=SELECT count(*) FROM list_orders(period := 'yesterday')`],
};

let failed = 0;
const { tools } = await inspect('tools/list');
const rows = await callTool('list_orders', ['period=last_7_days', 'all=true', 'limit=1']);
const [order] = rows.structuredContent.data;
Object.assign(samples, {
  get_order: [`order_id=${order.id}`],
  list_order_items: [`order_id=${order.id}`],
  get_customer: [`customer_id=${order.relation_data_id}`],
});
for (const { name } of tools) {
  // Kept results live in the process that read them; the Inspector starts one a call.
  if (name === 'read_rows') continue;
  const answer = await callTool(name, samples[name] ?? []);
  report(`tool ${name}`, answer?.isError !== true && answer?.content?.length > 0);
}
const { resources } = await inspect('resources/list');
for (const { uri } of resources) {
  const read = await inspect('resources/read', '--uri', uri);
  report(`resource ${uri}`, read?.contents?.length > 0);
}
const { prompts } = await inspect('prompts/list');
for (const { name } of prompts) {
  const prompt = await inspect('prompts/get', '--prompt-name', name);
  report(`prompt ${name}`, prompt?.messages?.length > 0);
}
sandbox.kill();
console.log(failed === 0 ? 'everything answered' : `${failed} did not answer`);
process.exitCode = failed === 0 ? 0 : 1;

function callTool(name, pairs) {
  return inspect(
    'tools/call',
    '--tool-name',
    name,
    ...pairs.flatMap((pair) => ['--tool-arg', pair]),
  );
}

async function inspect(method, ...rest) {
  const inspector = [
    '-y',
    '-p',
    'node@22',
    '-p',
    '@modelcontextprotocol/inspector',
    'mcp-inspector',
  ];
  const { stdout } = await run(
    'npx',
    [...inspector, '--cli', ...program, '--method', method, ...rest],
    { env: { ...process.env, ...account }, maxBuffer: 64 * 2 ** 20 },
  ).catch((error) => ({ stdout: error.stdout ?? '' }));
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

function report(what, isFine) {
  if (!isFine) failed += 1;
  console.log(`${isFine ? 'ok    ' : 'FAILED'} ${what}`);
}
