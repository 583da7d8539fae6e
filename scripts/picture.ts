import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { scenes } from '../src/cli/commands/demo/scenes.ts';
import { readConfig } from '../src/config.ts';
import { createApp } from '../src/mcp/app/app.ts';
import { createServer } from '../src/mcp/server/server.ts';
import { createLog } from '../src/mcp/telemetry/log.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';

/** The morning on which the exchange takes place: the same morning gives the same figures. */
const now = () => Date.parse('2026-11-20T09:00:00+01:00');

/** Scenes of the demo that show best what it is like, in the order of the demo. */
const shown = [
  'How was yesterday?',
  'Which shops did it, against the same day a week earlier?',
  'What does a mistake look like?',
];

/** The lines of a real exchange: a client asks the server, and the server the sandbox. */
export async function picture(): Promise<string[]> {
  const sandbox = await startSandbox({ now });
  const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
  const app = createApp({
    config: readConfig({ env: {}, fallback: { baseUrl, authUrl, clientId, clientSecret } }),
    source: 'sandbox',
    version: '0.0.0',
    promptsFolder: 'prompts',
    log: createLog('silent'),
    now,
  });
  const client = new Client({ name: 'picture', version: '0.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createServer(app).connect(far);
  await client.connect(near);
  try {
    const lines: string[] = [];
    for (const scene of scenes.filter(({ question }) => shown.includes(question))) {
      if (lines.length > 0) lines.push('');
      lines.push(`> ${scene.question}`);
      for (const line of await scene.ask(client)) lines.push(`  ${line}`.trimEnd());
    }
    return lines;
  } finally {
    await client.close();
    await app.close();
    await sandbox.close();
  }
}
