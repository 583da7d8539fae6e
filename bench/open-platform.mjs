import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './bundle.mjs';

/**
 * Starts the platform in a process of its own.
 * @param {{ remember?: boolean, latencyMs?: number }} options and those of the sandbox
 */
export async function openPlatform(options = { remember: true }) {
  const child = fork(join(root, 'bench/platform.mjs'), [JSON.stringify(options)]);
  const [account] = await once(child, 'message');
  return {
    account,
    /** The variables that point a server at it. */
    settings: {
      COMMERCE_BASE_URL: account.baseUrl,
      COMMERCE_AUTH_URL: account.authUrl,
      COMMERCE_CLIENT_ID: account.clientId,
      COMMERCE_CLIENT_SECRET: account.clientSecret,
      // The bare server exchanges no key.
      BENCH_TOKEN: account.token,
    },
    /** Requests so far, and refusals with 429. */
    async stats() {
      child.send('stats');
      const [{ stats }] = await once(child, 'message');
      return stats;
    },
    async close() {
      const closed = once(child, 'exit');
      child.disconnect();
      await closed;
    },
  };
}
