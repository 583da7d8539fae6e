/** The only file that loads ioredis. Import it only if a Redis is configured. */
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

export type Redis = ReturnType<typeof openRedis>;

const timeoutMs = 1000;

/**
 * Scripts for ioredis, which sends their text once and then their digest. `exchange` replaces an expected value for
 * two hours and returns the time of Redis, and the current value if that is another one.
 */
export const scripts = {
  exchange: {
    numberOfKeys: 1,
    lua: `
-- After a write that needs no memory, a full Redis lets the script write too.
redis.call('PEXPIRE', KEYS[1], 7200000)
local time = redis.call('TIME')
-- The state has some hundred bytes for each caller: a longer value is not ours.
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
  // Nobody waits for Redis: every caller works without it.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // Reconnects after a long silence: replicas register each second.
  socketTimeout: 5 * timeoutMs,
  retryStrategy: (attempt: number) =>
    Math.min(50 * 2 ** attempt, 1000) * (0.75 + Math.random() / 2),
};

/** Connects, and reconnects without end. */
export function openRedis(url: string) {
  const connection = new Connection(url, options);
  // The reason of failing calls. Node would print an error without a listener.
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
  async function trackCall(calling: Promise<unknown>, isValue = false): Promise<unknown> {
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
    /** Runs a command; texts come as bytes. @throws when Redis is away or refuses it */
    call: (command: string, ...args: Arguments) =>
      trackCall(connection.callBuffer(command, [...args]), command === 'SET'),
    /** Runs a script with its keys and arguments. @throws as `call` */
    run: (script: keyof typeof scripts, ...args: Arguments) =>
      trackCall(connection[`${script}Buffer`](...args)),
    /** Whether the last call had no answer. Callers that can do without Redis do not wait then. */
    isAway: () => isAway,
    /** Whether Redis had no memory for the last value. The scripts need none. */
    isFull: () => isFull,
    /** Resolves at the first connection, at the first failure, or after a second. */
    settled,
    close: () => connection.disconnect(),
  };
}

/** Checks that a Redis runs scripts. @throws the refusal of Redis, or the error of the connection */
export async function askRedis(url: string): Promise<void> {
  const redis = openRedis(url);
  try {
    await redis.settled;
    await redis.call('EVAL', 'return {}', 0);
  } finally {
    redis.close();
  }
}

/** Largest value before compression, in bytes. */
const maxUnpacked = 128 * 2 ** 20;

/**
 * Shared values, each under its key. Redis expires them and evicts them by its own policy.
 * @param prefix begins every key
 * @param maxBytes largest value, compressed
 * @param onFull called for each value that Redis has no room for
 */
export function openSharedValues(
  redis: Redis,
  prefix: string,
  maxBytes: number,
  onFull = () => {},
): SharedValues {
  return {
    async trouble() {
      // Only a write shows whether there is room.
      await redis.call('SET', `${prefix}room`, '', 'PX', 1).catch(() => {});
      if (redis.isFull()) return 'full';
      return redis.isAway() ? 'away' : undefined;
    },
    async put(name, value, forMs) {
      if (redis.isAway()) return;
      try {
        const text = await writeInTurns(value);
        // Rows repeat column names, so the fastest compression removes nine tenths.
        const bytes = await gzip(text, { level: 1 });
        if (bytes.length > maxBytes || Buffer.byteLength(text) > maxUnpacked) return;
        await redis.call('SET', `${prefix}${name}`, bytes, 'PX', Math.ceil(forMs));
      } catch {
        // Other replicas can do without the value.
        if (redis.isFull()) onFull();
      }
    },
    async remove(name) {
      if (!redis.isAway()) await redis.call('DEL', `${prefix}${name}`).catch(() => {});
    },
    async get(name, read) {
      if (redis.isAway()) return undefined;
      try {
        // A longer value is cut off here, and so unreadable.
        const bytes = await redis.call('GETRANGE', `${prefix}${name}`, 0, maxBytes - 1);
        if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
        const text = await gunzip(bytes, { maxOutputLength: maxUnpacked });
        return read(await parseInTurns(text));
      } catch {
        // Redis is away, or the value is not ours.
        return undefined;
      }
    },
  };
}

/** Rows in one line of a value: longer lines would block the event loop. */
const rowsALine = 500;
const maxLineBytes = 16 * 2 ** 20;

/** A value as JSON. Its `rows` follow in lines of their own. */
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

/** @throws for a line that is too long or not JSON */
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

/** @throws RangeError for a line longer than any of ours */
function endOfLine(text: Buffer, start: number): number {
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline;
  if (end - start > maxLineBytes) throw new RangeError('a line is too long');
  return end;
}
