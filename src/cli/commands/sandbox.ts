import { once } from 'node:events';
import { descriptions, startSandbox } from '../../sandbox/sandbox.ts';
import type { CommandLine } from '../command-line.ts';
import { stopSignal } from '../program.ts';

export async function sandbox({ flags }: CommandLine): Promise<0> {
  const { port, description } = flags;
  const platform = await startSandbox({
    ...(port !== undefined && { port: Number(port) }),
    description: descriptions.find((name) => name === description),
  });
  const { baseUrl, authUrl, clientId, clientSecret, keys } = platform;
  // Listens for signals before the lines are printed: their reader may stop the process at once.
  const stopping = stopSignal();
  const otherKeys = Object.entries(keys).map(
    ([role, key]) => `  ${role.padEnd(10)} ${key.clientId.padEnd(20)} ${key.clientSecret}`,
  );
  console.log(`The embedded platform is running, with invented data. Ctrl+C stops it.

COMMERCE_BASE_URL=${baseUrl}
COMMERCE_AUTH_URL=${authUrl}
COMMERCE_CLIENT_ID=${clientId}
COMMERCE_CLIENT_SECRET=${clientSecret}

This key sees everything. Others see less; each secret goes with its id:
${otherKeys.join('\n')}`);
  await once(stopping, 'abort');
  await platform.close();
  return 0;
}
