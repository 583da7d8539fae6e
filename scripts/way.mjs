// Prints the source files that one call passes through, by V8's coverage of the sources themselves:
//   npm run way -- list_orders '{"period":"yesterday"}'
// Needs a Node that runs TypeScript as it is (22.18 or newer), such as `npx -y -p node@24 node scripts/way.mjs`.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import module from 'node:module';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const source = resolve('src');

// In the server: counts functions that ran since the last time it was asked.
if (process.send !== undefined && process.argv[1] !== fileURLToPath(import.meta.url)) {
  // Imports of text files give their text, like in the build.
  module.registerHooks({
    load(url, context, next) {
      if (!url.endsWith('.txt')) return next(url, context);
      const source = `export default ${JSON.stringify(readFileSync(new URL(url), 'utf8'))}`;
      return { format: 'module', source, shortCircuit: true };
    },
  });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const passed = result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
      .flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []));
    process.send(passed.filter((file) => file.startsWith(source)));
  });
  process.channel.unref();
} else {
  if (!process.features.typescript) {
    console.error('This needs Node 22.18 or newer: npx -y -p node@24 node scripts/way.mjs');
    process.exit(2);
  }
  const [tool, given] = process.argv.slice(2);
  const calls =
    tool === undefined
      ? [
          ['list_orders', { period: 'yesterday' }],
          ['list_orders', { period: 'last_week', all: true }],
          ['query', ordersOf('last_week'), ordersOf('last_month')],
        ]
      : [[tool, JSON.parse(given ?? '{}')]];
  for (const [name, args, warmUp = args] of calls) {
    const passed = await filesPassedBy(name, args, warmUp);
    console.log(`${name} ${JSON.stringify(args)}: ${passed.length} files`);
    if (tool !== undefined) for (const file of passed) console.log(`  ${file}`);
  }
}

function ordersOf(period) {
  return { sql: `SELECT count(*) AS n FROM list_orders(period := '${period}')` };
}

/** Files of `src` that the second of two calls passes; the first one loads lazy modules. */
async function filesPassedBy(name, args, warmUp) {
  const server = fork('src/cli/main.ts', ['stdio', '--sandbox'], {
    execArgv: ['--import', pathToFileURL(fileURLToPath(import.meta.url)).href],
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, COMMERCE_LOG_LEVEL: 'silent' },
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method, params) => {
    id += 1;
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value } = await lines.next();
      const message = JSON.parse(value);
      if (message.id === id) return message.result ?? Promise.reject(new Error(value));
    }
  };
  const passed = () =>
    new Promise((settle) => {
      server.once('message', settle);
      server.send('count');
    });
  const clientInfo = { name: 'way', version: '0' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await ask('tools/call', { name, arguments: warmUp });
  await new Promise((settle) => setTimeout(settle, 500));
  await passed();
  const { isError, content } = await ask('tools/call', { name, arguments: args });
  if (isError) throw new Error(content[0].text);
  const files = await passed();
  server.kill();
  return files
    .map((file) => relative(process.cwd(), file))
    .filter((file) => !file.startsWith('src/sandbox/'))
    .sort();
}
