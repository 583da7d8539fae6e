import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port where nothing listens, for what has to know its own before it starts: below those that systems give to
 * connections as they come, so that none of these takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(12_000, 30_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
