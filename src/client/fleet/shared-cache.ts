import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Redis } from './redis.ts';

/** Values that all replicas can reach, bounded in size and time. Nothing here rejects. */
export interface SharedCache {
  /** Whether it was kept: it must fit, and Redis must be there. `label` goes with it in lists. */
  put(name: string, value: unknown, forMs: number, label?: string): Promise<boolean>;
  /** The value as JSON gives it back; undefined when it is not there or cannot be had. */
  get(name: string): Promise<unknown>;
  /** The labels of what is kept, by name, the newest first. */
  list(): Promise<Map<string, string>>;
}

export interface SharedCacheSettings {
  redis: Redis;
  /** Begins every key. */
  prefix: string;
  /** Bytes that all values may take together, compressed. */
  maxBytes: number;
  maxValues: number;
}

/**
 * Values lie under keys of their own, which Redis lets expire; an index knows their sizes and labels,
 * and the oldest make room for a new one.
 */
const putScript = `
local index, sizes, labels = KEYS[1], KEYS[2], KEYS[3]
local prefix, name, value, label = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local forMs, maxBytes, maxValues = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function drop(gone)
  redis.call('DEL', prefix .. gone)
  redis.call('ZREM', index, gone)
  redis.call('HDEL', sizes, gone)
  redis.call('HDEL', labels, gone)
end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now)) do drop(gone) end
drop(name)
local total = 0
for _, size in ipairs(redis.call('HVALS', sizes)) do total = total + size end
local oldest = redis.call('ZRANGE', index, 0, -1)
for at, gone in ipairs(oldest) do
  if total + #value <= maxBytes and #oldest - at + 1 < maxValues then break end
  total = total - (redis.call('HGET', sizes, gone) or 0)
  drop(gone)
end
redis.call('SET', prefix .. name, value, 'PX', forMs)
redis.call('ZADD', index, now + forMs, name)
redis.call('HSET', sizes, name, #value)
redis.call('HSET', labels, name, label)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${24 * 3_600_000}) end
return {1}
`;

const getScript = `
local value = redis.call('GET', ARGV[1] .. ARGV[2])
if value then return {value} end
return {}
`;

const listScript = `
local found = {}
for _, name in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  if redis.call('EXISTS', ARGV[1] .. name) == 1 then
    found[#found + 1] = name
    found[#found + 1] = redis.call('HGET', KEYS[2], name) or ''
  end
end
return found
`;

const squeeze = promisify(gzip);
const unsqueeze = promisify(gunzip);

/** Opens a cache in Redis. Its keys share a hash tag, so that a script may touch all of them. */
export function openSharedCache({
  redis,
  prefix,
  maxBytes,
  maxValues,
}: SharedCacheSettings): SharedCache {
  const [index, sizes, labels] = [`${prefix}index`, `${prefix}sizes`, `${prefix}labels`];
  const values = `${prefix}value:`;
  return {
    async put(name, value, forMs, label = '') {
      if (redis.isAway()) return false;
      try {
        // Rows repeat their column names: even the quickest compression takes off nine tenths.
        const bytes = await squeeze(JSON.stringify(value), { level: 1 });
        if (bytes.length > maxBytes) return false;
        const given = [values, name, bytes, label, Math.ceil(forMs), maxBytes, maxValues];
        await redis.run(putScript, [index, sizes, labels], given);
        return true;
      } catch {
        return false;
      }
    },
    async get(name) {
      if (redis.isAway()) return undefined;
      try {
        const [bytes] = await redis.run(getScript, [index], [values, name]);
        return bytes && JSON.parse((await unsqueeze(bytes)).toString());
      } catch {
        return undefined;
      }
    },
    async list() {
      if (redis.isAway()) return new Map();
      try {
        const found = (await redis.run(listScript, [index, labels], [values])).map(String);
        const names = found.filter((_, at) => at % 2 === 0);
        return new Map(names.map((name, at) => [name, found[at * 2 + 1] ?? '']));
      } catch {
        return new Map();
      }
    },
  };
}
