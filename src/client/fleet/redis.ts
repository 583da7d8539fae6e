/** The only file that loads ioredis: import it when there is a Redis. */
import { Redis as Connection, ReplyError, type Result } from 'ioredis';
import { messageOf } from '../../core/errors.ts';
import { scripts } from './scripts.ts';

/** What a command takes. */
type Given = readonly (string | number | Buffer)[];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takePermitBuffer(...given: Given): Result<unknown, Context>;
    settlePermitBuffer(...given: Given): Result<unknown, Context>;
  }
}

/** The connection to Redis, as far as it is needed here. Every call ends within a second. */
export interface Redis {
  /** One command; texts come as bytes. @throws when Redis is away or refuses it */
  call(command: string, ...given: Given): Promise<unknown>;
  /** One script, with its keys and arguments. @throws as {@link call} */
  run(script: keyof typeof scripts, ...given: Given): Promise<unknown>;
  /** Whether Redis did not answer the last call: what can do without it then does not wait for it. */
  isAway(): boolean;
  /** Whether it refused the last value for want of memory. The scripts write whether it has any or not. */
  isFull(): boolean;
  /** Resolves at the first connection, at the first failure, or after a second. */
  readonly settled: Promise<void>;
  close(): void;
}

/** Longest that anything waits for Redis. */
const withinMs = 1000;

const options = {
  scripts,
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
  let isFull = false;
  async function noting(asked: Promise<unknown>, isValue = false): Promise<unknown> {
    try {
      const reply = await asked;
      isAway = false;
      if (isValue) isFull = false;
      return reply;
    } catch (error) {
      isAway = !(error instanceof ReplyError);
      isFull ||= !isAway && messageOf(error).startsWith('OOM ');
      throw reason ?? error;
    }
  }
  return {
    call: (command, ...given) =>
      noting(connection.callBuffer(command, [...given]), command === 'SET'),
    run: (script, ...given) => noting(connection[`${script}Buffer`](...given)),
    isAway: () => isAway,
    isFull: () => isFull,
    settled,
    close: () => connection.disconnect(),
  };
}

/** Asks a Redis once whether it serves what is needed of it. @throws with its words or the connection's */
export async function askRedis(url: string): Promise<void> {
  const redis = openRedis(url);
  try {
    await redis.settled;
    await redis.call('EVAL', 'return {}', 0);
  } finally {
    redis.close();
  }
}
