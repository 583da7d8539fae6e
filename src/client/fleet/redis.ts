/** The only file that loads ioredis: import it when there is a Redis. */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Redis as Connection, ReplyError, type Result } from 'ioredis';
import { messageOf } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { SharedValues } from '../request/get.ts';

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);

type Arguments = readonly (string | number | Buffer)[];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    exchangeBuffer(...args: Arguments): Result<unknown, Context>;
  }
}

/** The connection to Redis, as far as it is needed here. Every call ends within a second. */
export type Redis = ReturnType<typeof openRedis>;

const timeoutMs = 1000;

/**
 * Scripts by their names, as ioredis takes them: Redis gets the text once, and then its digest. `exchange` replaces an
 * expected value for two hours and gives the time of Redis; where another value stands, it gives that as well.
 */
export const scripts = {
  exchange: {
    numberOfKeys: 1,
    lua: `
-- After a write that needs no room, Redis refuses none for want of it.
redis.call('PEXPIRE', KEYS[1], 7200000)
local time = redis.call('TIME')
-- A state of the budget takes some hundred bytes a caller: what is longer has been put there by somebody else.
if redis.call('TYPE', KEYS[1]).ok ~= 'string' or redis.call('STRLEN', KEYS[1]) > 262144 then redis.call('DEL', KEYS[1]) end
local found = redis.call('GET', KEYS[1]) or ''
if found ~= ARGV[1] then return {time[1], time[2], found} end
redis.call('SET', KEYS[1], ARGV[2], 'PX', 7200000)
return {time[1], time[2]}
`,
  },
};

const options = {
  scripts,
  connectTimeout: timeoutMs,
  commandTimeout: timeoutMs,
  // Nothing waits in a queue for Redis: every caller goes on without it.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // Reconnects when nothing comes through for long: signs of life pass each second.
  socketTimeout: 5 * timeoutMs,
  retryStrategy: (attempt: number) =>
    Math.min(50 * 2 ** attempt, 1000) * (0.75 + Math.random() / 2),
};

/** Connects, and connects again for as long as it takes. */
export function openRedis(url: string) {
  const connection = new Connection(url, options);
  // The reason why calls fail from then on; an unheard error would be printed.
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason = error;
  });
  connection.on('ready', () => {
    reason = undefined;
  });
  const settled = new Promise<void>((resolve) => {
    for (const event of ['ready', 'close', 'error']) connection.once(event, () => resolve());
    setTimeout(resolve, timeoutMs).unref();
  });
  let isAway = false;
  let isFull = false;
  async function noting(calling: Promise<unknown>, isValue = false): Promise<unknown> {
    try {
      const reply = await calling;
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
    /** One command; texts come as bytes. @throws when Redis is away or refuses it */
    call: (command: string, ...args: Arguments) =>
      noting(connection.callBuffer(command, [...args]), command === 'SET'),
    /** One script, with its keys and arguments. @throws as `call` */
    run: (script: keyof typeof scripts, ...args: Arguments) =>
      noting(connection[`${script}Buffer`](...args)),
    /** Whether Redis did not answer the last call: callers that can go without it do not wait then. */
    isAway: () => isAway,
    /** Whether it refused the last value for want of memory. The scripts write whether it has any or not. */
    isFull: () => isFull,
    /** Resolves at the first connection, at the first failure, or after a second. */
    settled,
    close: () => connection.disconnect(),
  };
}

/** Asks a Redis once whether it runs scripts. @throws with its words or the connection's */
export async function askRedis(url: string): Promise<void> {
  const redis = openRedis(url);
  try {
    await redis.settled;
    await redis.call('EVAL', 'return {}', 0);
  } finally {
    redis.close();
  }
}

/** Largest value once it is unpacked, in bytes. */
const maxUnpacked = 128 * 2 ** 20;

/**
 * Values under keys of their own, which Redis lets expire and evicts by its own memory policy.
 * @param prefix begins every key
 * @param maxBytes largest value, compressed
 * @param onFull called with each value that Redis has no room for
 */
export function openSharedValues(
  redis: Redis,
  prefix: string,
  maxBytes: number,
  onFull = () => {},
): SharedValues {
  return {
    async trouble() {
      // Only writing a value shows whether there is room.
      await redis.call('SET', `${prefix}room`, '', 'PX', 1).catch(() => {});
      if (redis.isFull()) return 'full';
      return redis.isAway() ? 'away' : undefined;
    },
    async put(name, value, forMs) {
      if (redis.isAway()) return;
      try {
        const text = await writeInTurns(value);
        // Rows repeat their column names: even the quickest compression takes off nine tenths.
        const bytes = await gzip(text, { level: 1 });
        if (bytes.length > maxBytes || Buffer.byteLength(text) > maxUnpacked) return;
        await redis.call('SET', `${prefix}${name}`, bytes, 'PX', Math.ceil(forMs));
      } catch {
        // Other replicas do without it.
        if (redis.isFull()) onFull();
      }
    },
    async remove(name) {
      if (!redis.isAway()) await redis.call('DEL', `${prefix}${name}`).catch(() => {});
    },
    async get(name, read) {
      if (redis.isAway()) return undefined;
      try {
        // Reads no more than a value may have: a longer one is cut off, and so broken.
        const bytes = await redis.call('GETRANGE', `${prefix}${name}`, 0, maxBytes - 1);
        if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
        const text = await gunzip(bytes, { maxOutputLength: maxUnpacked });
        return read(await parseInTurns(text));
      } catch {
        // Redis is away, or something else has written there.
        return undefined;
      }
    },
  };
}

/** Rows in one line of a value's text: writing or parsing a longer line would block the event loop. */
const rowsALine = 500;
const maxLineBytes = 16 * 2 ** 20;

/** A value as JSON; where it has `rows`, with some of them in each of the lines that follow. */
async function writeInTurns(value: unknown): Promise<string> {
  const rows: unknown = isRecord(value) ? value.rows : undefined;
  if (!Array.isArray(rows)) return JSON.stringify(value);
  const lines = [JSON.stringify({ ...Object(value), rows: [] })];
  for (let at = 0; at < rows.length; at += rowsALine) {
    lines.push(JSON.stringify(rows.slice(at, at + rowsALine)));
    await setImmediate();
  }
  return lines.join('\n');
}

/** @throws for a line that is too long or no JSON */
async function parseInTurns(text: Buffer): Promise<unknown> {
  let end = endOfLine(text, 0);
  const value: unknown = JSON.parse(text.toString('utf8', 0, end));
  const rows: unknown = isRecord(value) ? value.rows : undefined;
  while (end < text.length && Array.isArray(rows)) {
    const start = end + 1;
    end = endOfLine(text, start);
    const line: unknown = JSON.parse(text.toString('utf8', start, end));
    if (Array.isArray(line)) for (const row of line) rows.push(row);
    await setImmediate();
  }
  return value;
}

/** @throws RangeError for a line that is longer than any that we write and others should wait for */
function endOfLine(text: Buffer, start: number): number {
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline;
  if (end - start > maxLineBytes) throw new RangeError('a line is too long');
  return end;
}
