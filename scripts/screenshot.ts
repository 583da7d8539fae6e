import { resolve } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { readFigure } from '../src/analysis/figure/figure.ts';
import { readConfig } from '../src/config.ts';
import { createApp } from '../src/mcp/app/app.ts';
import { standalonePage } from '../src/mcp/resources/figure-page.ts';
import { createServer } from '../src/mcp/server/server.ts';
import { createLog } from '../src/mcp/telemetry/log.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';

/** The same morning gives the same figures. */
const now = () => Date.parse('2026-11-20T09:00:00+01:00');

const question = {
  title: 'Turnover per shop, last week against the week before',
  unit: 'euro',
  sql: `SELECT name AS shop, current AS "last week", reference AS "week before"
FROM compare_turnover(period := 'last_week', by := 'shop') WHERE measure LIKE '%turnover_wt'`,
};

/** The page of a figure that a real client was answered. */
export async function pageToShow(): Promise<string> {
  const sandbox = await startSandbox({ now });
  const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
  const app = createApp({
    config: readConfig({ env: {}, fallback: { baseUrl, authUrl, clientId, clientSecret } }),
    source: 'sandbox',
    version: '0.0.0',
    promptsFolder: 'prompts',
    queryEngine: resolve('dist/query-engine.js'),
    log: createLog('silent'),
    now,
  });
  const client = new Client({ name: 'screenshot', version: '0.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createServer(app).connect(far);
  await client.connect(near);
  try {
    const { structuredContent, content } = await client.callTool({
      name: 'show_figure',
      arguments: question,
    });
    const figure = readFigure(Object(structuredContent).figure);
    if (figure === undefined) throw new Error(JSON.stringify(content));
    return await standalonePage(figure);
  } finally {
    await client.close();
    await app.close();
    await sandbox.close();
  }
}
