import { Redis as Connection } from 'ioredis';

/** The connection to Redis, as far as it is needed here. Every call ends within `withinMs`. */
export interface Redis {
  /** Runs a script that answers with a list; texts come as bytes. @throws when Redis is away */
  run(script: string, keys: readonly string[], given: readonly Given[]): Promise<Buffer[]>;
  /** Whether the last call failed: what can do without Redis then does not wait for it. */
  isAway(): boolean;
  /** Resolves at the first connection, at the first failure, or after `withinMs`. */
  readonly settled: Promise<void>;
  close(): void;
}

type Given = string | number | Buffer;

/** Longest that anybody waits for Redis. */
const withinMs = 1000;

/** Connects, and connects again for as long as it takes. The only file that loads ioredis. */
export function openRedis(url: string): Redis {
  const connection = new Connection(url, {
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    // What cannot be asked now is answered otherwise: nothing waits in a queue for Redis.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A connection that nothing comes through any more is made anew: signs of life pass each second.
    socketTimeout: 5 * withinMs,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1000) * (0.75 + Math.random() / 2),
  });
  // A failure shows in each call that it fails; unheard, it would be printed.
  connection.on('error', () => {});
  const settled = new Promise<void>((resolve) => {
    for (const event of ['ready', 'close', 'error']) connection.once(event, () => resolve());
    setTimeout(resolve, withinMs).unref();
  });
  let isAway = false;
  return {
    async run(script, keys, given) {
      const command = [script, String(keys.length), ...keys, ...given.map(asArgument)];
      try {
        const reply = await connection.callBuffer('EVAL', command);
        isAway = false;
        return Array.isArray(reply) ? reply.map(asBytes) : [];
      } catch (error) {
        isAway = true;
        throw error;
      }
    },
    isAway: () => isAway,
    settled,
    close: () => connection.disconnect(),
  };
}

function asArgument(value: Given): string | Buffer {
  return typeof value === 'number' ? String(value) : value;
}

function asBytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''));
}

/**
 * Asks a Redis once whether it serves what is needed of it.
 *
 * @throws with its own words, or those of the connection.
 */
export async function askRedis(url: string): Promise<void> {
  const connection = new Connection(url, {
    lazyConnect: true,
    connectTimeout: 3 * withinMs,
    commandTimeout: 3 * withinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The first failure is the reason; what follows it is that the connection is closed.
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await connection.connect();
    await connection.eval('return 1', 0);
  } catch (error) {
    throw reason ?? error;
  } finally {
    connection.disconnect();
  }
}
