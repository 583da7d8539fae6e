// The baseline: the same SDK as it is, unbundled, with one tool that does nothing but ask and pass on.
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [transport] = process.argv.slice(2);
const { COMMERCE_BASE_URL: baseUrl, BENCH_TOKEN: token } = process.env;
let pool;

if (transport === 'http') {
  const { getRequestListener } = await import('@hono/node-server');
  const { fetch } = createMcpHandler(bareServer);
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer(listener).listen(0, '127.0.0.1', () => {
    console.error(`http://127.0.0.1:${server.address().port}/mcp`);
  });
} else {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(bareServer);
}

function bareServer() {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  server.registerTool(
    'get',
    { description: 'Asks the platform.', inputSchema: z.object({ path: z.string() }) },
    async ({ path }) => {
      // As a careful author would: what start-up does not need is loaded later.
      pool ??= new (await import('undici')).Pool(baseUrl);
      const headers = { authorization: `Bearer ${token}` };
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      // A refusal is cheap: it must not be timed as an answer.
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
      return { content: [{ type: 'text', text: await body.text() }] };
    },
  );
  return server;
}
