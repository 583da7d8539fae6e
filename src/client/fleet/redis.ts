/** The only file that loads ioredis: import it when there is a Redis. */
import { Redis as Connection } from 'ioredis';

/** The connection to Redis, as far as it is needed here. Every call ends within a second. */
export interface Redis {
  /** Runs a script that answers with a list; texts come as bytes. @throws when Redis is away */
  run(script: string, keys: readonly string[], given: readonly Given[]): Promise<Buffer[]>;
  /** Whether the last call failed: what can do without Redis then does not wait for it. */
  isAway(): boolean;
  /** Resolves at the first connection, at the first failure, or after a second. */
  readonly settled: Promise<void>;
  close(): void;
}

type Given = string | number | Buffer;

/** Longest that anything waits for Redis. */
const withinMs = 1000;

const options = {
  connectTimeout: withinMs,
  commandTimeout: withinMs,
  // What cannot be asked now is answered otherwise: nothing waits in a queue for Redis.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // A connection that nothing comes through any more is made anew: signs of life pass each second.
  socketTimeout: 5 * withinMs,
  retryStrategy: (attempt: number) =>
    Math.min(50 * 2 ** attempt, 1000) * (0.75 + Math.random() / 2),
};

/** Connects, and connects again for as long as it takes. */
export function openRedis(url: string): Redis {
  const connection = new Connection(url, options);
  // Says why calls fail from then on; unheard, it would be printed.
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason = error;
  });
  connection.on('ready', () => {
    reason = undefined;
  });
  const settled = new Promise<void>((resolve) => {
    for (const event of ['ready', 'close', 'error']) connection.once(event, () => resolve());
    setTimeout(resolve, withinMs).unref();
  });
  let isAway = false;
  return {
    async run(script, keys, given) {
      const parts = given.map((part) => (typeof part === 'number' ? String(part) : part));
      try {
        const command = [script, String(keys.length), ...keys, ...parts];
        const reply = await connection.callBuffer('EVAL', command);
        isAway = false;
        return Array.isArray(reply) ? reply.map(asBytes) : [];
      } catch (error) {
        isAway = true;
        throw reason ?? error;
      }
    },
    isAway: () => isAway,
    settled,
    close: () => connection.disconnect(),
  };
}

function asBytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''));
}

/** Asks a Redis once whether it serves what is needed of it. @throws with its words or the connection's */
export async function askRedis(url: string): Promise<void> {
  const redis = openRedis(url);
  try {
    await redis.settled;
    await redis.run('return {}', [], []);
  } finally {
    redis.close();
  }
}
