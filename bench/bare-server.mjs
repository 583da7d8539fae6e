// The baseline: the same SDK, unbundled, with one tool that only asks the platform and passes the answer on.
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
      // Loaded when needed, as a careful author would do.
      pool ??= new (await import('undici')).Pool(baseUrl);
      const headers = { authorization: `Bearer ${token}` };
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      // A refusal is cheap and must not be timed as an answer.
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
      return { content: [{ type: 'text', text: await body.text() }] };
    },
  );
  return server;
}
