import { resolve } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { readConfig } from '../src/config/config.ts';
import { createApp } from '../src/mcp/app/app.ts';
import { createServer } from '../src/mcp/server/server.ts';
import { createLog } from '../src/mcp/telemetry/log.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';

/** A fixed moment, so that figures stay the same. */
const now = () => Date.parse('2026-11-20T09:00:00+01:00');

/** A client of a server in this process, before a sandbox. */
export async function openFixedServer() {
  process.env.BUILD_FOLDER ??= resolve('dist');
  const sandbox = await startSandbox({ now });
  const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
  const app = await createApp({
    config: readConfig({ env: {}, fallback: { baseUrl, authUrl, clientId, clientSecret } }),
    source: 'sandbox',
    log: createLog('silent'),
    now,
  });
  const client = new Client({ name: 'picture', version: '0.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createServer(app).connect(far);
  await client.connect(near);
  return {
    client,
    async close() {
      await client.close();
      await app.close();
      await sandbox.close();
    },
  };
}
