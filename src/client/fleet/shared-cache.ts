import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Redis } from './redis.ts';

/** Values that all replicas can reach, bounded in size and time. Nothing here rejects. */
export interface SharedCache {
  /** Whether it was kept: it must fit, and Redis must be there. `label` goes with it in lists. */
  put(name: string, value: unknown, forMs: number, about?: ValueAbout): Promise<boolean>;
  /**
   * What `read` makes of the value; undefined when it is not there, cannot be had, is too large or
   * broken, or is none of ours by what `read` says.
   */
  get<Value>(name: string, read: (value: unknown) => Value | undefined): Promise<Value | undefined>;
  /** The labels of what is kept, by name, the newest first. */
  list(): Promise<Map<string, string>>;
}

export interface ValueAbout {
  label?: string;
  /** Whose it is: who keeps more than their share makes room first. */
  owner?: string;
}

export interface SharedCacheSettings {
  redis: Redis;
  /** Begins every key. */
  prefix: string;
  /** Bytes that all values may take together, compressed. */
  maxBytes: number;
  maxValues: number;
  /** Hears of an entry that is none of ours; once for each name. */
  onForeign?: ((name: string, reason: string) => void) | undefined;
}

/** Largest entry once it is unpacked, in bytes. */
const maxUnpacked = 128 * 2 ** 20;

/** The share of all room that one owner may take. */
const ownShare = 0.5;

/**
 * Values lie under keys of their own, which Redis lets expire; an index knows their sizes, owners and
 * labels. Whoever is over their own share makes room of their own; beyond that the owner who holds
 * the most does, oldest first.
 */
const putScript = `
local index, sizes, labels, owners = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local prefix, name, value, label, owner = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local forMs, maxBytes, maxValues = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local ownBytes, ownValues = tonumber(ARGV[9]), tonumber(ARGV[10])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function drop(gone)
  redis.call('DEL', prefix .. gone)
  redis.call('ZREM', index, gone)
  redis.call('HDEL', sizes, gone)
  redis.call('HDEL', labels, gone)
  redis.call('HDEL', owners, gone)
end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now)) do drop(gone) end
drop(name)
local bytes, count = #value, 1
local of = {[owner] = {bytes = #value, count = 1, at = 1, names = {}}}
for _, one in ipairs(redis.call('ZRANGE', index, 0, -1)) do
  local whose = redis.call('HGET', owners, one) or ''
  local size = tonumber(redis.call('HGET', sizes, one) or 0) or 0
  if not of[whose] then of[whose] = {bytes = 0, count = 0, at = 1, names = {}} end
  local held = of[whose]
  held.bytes, held.count = held.bytes + size, held.count + 1
  held.names[#held.names + 1] = {one, size}
  bytes, count = bytes + size, count + 1
end
local function dropOldestOf(whose)
  local held = of[whose]
  local oldest = held.names[held.at]
  if not oldest then return false end
  drop(oldest[1])
  held.at, held.bytes, held.count = held.at + 1, held.bytes - oldest[2], held.count - 1
  bytes, count = bytes - oldest[2], count - 1
  return true
end
while (of[owner].bytes > ownBytes or of[owner].count > ownValues) and dropOldestOf(owner) do end
while bytes > maxBytes or count > maxValues do
  local greediest, most = nil, -1
  for whose, held in pairs(of) do
    local holds = bytes > maxBytes and held.bytes or held.count
    if held.names[held.at] and holds > most then greediest, most = whose, holds end
  end
  if not greediest then break end
  dropOldestOf(greediest)
end
redis.call('SET', prefix .. name, value, 'PX', forMs)
redis.call('ZADD', index, now + forMs, name)
redis.call('HSET', sizes, name, #value)
redis.call('HSET', labels, name, label)
redis.call('HSET', owners, name, owner)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${24 * 3_600_000}) end
return {1}
`;

/** What is larger than any entry of ours is not even sent. */
const getScript = `
local key = ARGV[1] .. ARGV[2]
if redis.call('STRLEN', key) > tonumber(ARGV[3]) then return {'', 'too large'} end
local value = redis.call('GET', key)
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
export function openSharedCache(settings: SharedCacheSettings): SharedCache {
  const { redis, prefix, maxBytes, maxValues, onForeign } = settings;
  const keys = ['index', 'sizes', 'labels', 'owners'].map((name) => `${prefix}${name}`);
  const [index = '', , labels = ''] = keys;
  const values = `${prefix}value:`;
  const told = new Set<string>();

  function isForeign(name: string, reason: string): undefined {
    if (told.has(name) || told.size >= maxTold) return;
    told.add(name);
    onForeign?.(name, reason);
  }

  /** @throws what cannot be unpacked, or is no JSON */
  async function unpacked(bytes: Buffer): Promise<unknown> {
    return JSON.parse((await unsqueeze(bytes, { maxOutputLength: maxUnpacked })).toString());
  }

  return {
    async put(name, value, forMs, { label = '', owner = '' } = {}) {
      if (redis.isAway()) return false;
      const share = owner === '' ? 1 : ownShare;
      try {
        const text = JSON.stringify(value);
        // Rows repeat their column names: even the quickest compression takes off nine tenths.
        const bytes = await squeeze(text, { level: 1 });
        if (bytes.length > maxBytes * share) return false;
        if (Buffer.byteLength(text) > maxUnpacked) return false;
        const bounds = [
          maxBytes,
          maxValues,
          Math.ceil(maxBytes * share),
          Math.ceil(maxValues * share),
        ];
        const given = [values, name, bytes, label, owner, Math.ceil(forMs), ...bounds];
        await redis.run(putScript, keys, given);
        return true;
      } catch {
        return false;
      }
    },
    async get(name, read) {
      if (redis.isAway()) return undefined;
      const reply = await redis.run(getScript, [index], [values, name, maxBytes]).catch(() => []);
      const [bytes, refused] = reply;
      if (refused) return isForeign(name, 'too large');
      if (bytes === undefined) return undefined;
      try {
        return read(await unpacked(bytes)) ?? isForeign(name, 'not of the expected form');
      } catch {
        return isForeign(name, 'cannot be unpacked');
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

/** Most entries that are told of: after that the log has said enough. */
const maxTold = 1000;
