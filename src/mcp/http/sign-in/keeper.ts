import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from '../../../client/fleet/redis.ts';
import type { Config } from '../../../config/config.ts';
import { claimFolder } from '../../../core/files.ts';
import { isRecord, type JsonObject, parseJson } from '../../../core/json.ts';

/** Stores values for a time, by kind and name. Values of one kind are stored for the same time. */
export interface Keeper {
  get(kind: string, name: string): Promise<JsonObject | undefined>;
  /** Stores a value. @param isNew stores only if there is no such value. @returns whether it was stored */
  put(kind: string, name: string, value: object, seconds: number, isNew?: true): Promise<boolean>;
  /** Moves the end of an existing value to so many seconds from now. */
  prolong(kind: string, name: string, seconds: number): Promise<void>;
  remove(kind: string, name: string): Promise<void>;
  /** The names of a kind, by their end. Removes expired values. */
  list(kind: string): Promise<string[]>;
  sweep(): Promise<void>;
  close(): void;
}

/** Settings of the store. A Redis for sign-ins comes before a folder, and that before the Redis of results. */
export type KeeperSettings = Partial<
  Pick<Config, 'signInRedisUrl' | 'signInDir' | 'redisUrl' | 'publicUrl'>
>;

export const daySeconds = 24 * 60 * 60;

const graceMs = 60_000;

/** Kinds without an expiry in Redis, whose policies may evict keys that expire. */
const lastingKinds = ['SigningKeys', 'Grant', 'RefreshToken'];

/** The name under which an id is stored. Ids of codes and tokens are secrets, so it is a digest. */
export function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** The name in an account id, which is a name and the digest of a token. */
export function personOf({ accountId }: JsonObject): string {
  return String(accountId).replace(/ .*/, '');
}

export function signInRedisOf(config: KeeperSettings): string | undefined {
  const { signInRedisUrl, signInDir, redisUrl } = config;
  return signInRedisUrl ?? (signInDir === undefined ? redisUrl : undefined);
}

export async function openKeeper(config: KeeperSettings): Promise<Keeper> {
  const { signInDir = '', publicUrl } = config;
  const redisUrl = signInRedisOf(config);
  if (redisUrl === undefined) return openFolder(signInDir);
  const { openRedis } = await import('../../../client/fleet/redis.ts');
  const redis = openRedis(redisUrl);
  await redis.settled;
  return openValues(redis, `commerce-mcp:sign-in:2:${publicUrl}:`);
}

/** Stores each value under its own key, and for each kind an index of names by their end. */
function openValues({ call, close }: Redis, prefix: string): Keeper {
  const indexOf = (kind: string) => `${prefix}${kind}`;
  const keyOf = (kind: string, name: string) => `${indexOf(kind)}:${name}`;
  async function write(kind: string, name: string, value: object, seconds: number, only?: string) {
    const endMs = Date.now() + seconds * 1000;
    const isLasting = lastingKinds.includes(kind);
    const options = [...(isLasting ? [] : ['EX', seconds]), ...(only ? [only] : [])];
    const text = JSON.stringify({ endMs, value });
    if ((await call('SET', keyOf(kind, name), text, ...options)) === null) return false;
    await call('ZADD', indexOf(kind), endMs, name);
    // A value may be stored again for a shorter time, so the index gets an hour at least.
    if (!isLasting) await call('EXPIRE', indexOf(kind), Math.max(seconds, 3600));
    return true;
  }
  async function read(kind: string, name: string) {
    const { endMs, value } = readValue(String(await call('GET', keyOf(kind, name)))) ?? {};
    return isRecord(value) && Number(endMs) > Date.now() ? value : undefined;
  }
  async function list(kind: string): Promise<string[]> {
    const ended = namesIn(await call('ZRANGEBYSCORE', indexOf(kind), 0, Date.now()));
    if (ended.length > 0) {
      await call('DEL', ...ended.map((name) => keyOf(kind, name)));
      await call('ZREM', indexOf(kind), ...ended);
    }
    return namesIn(await call('ZRANGE', indexOf(kind), 0, -1));
  }
  return {
    get: read,
    put: (kind, name, value, seconds, isNew) => write(kind, name, value, seconds, isNew && 'NX'),
    async prolong(kind, name, seconds) {
      const value = await read(kind, name);
      if (value) await write(kind, name, value, seconds, 'XX');
    },
    async remove(kind, name) {
      await call('DEL', keyOf(kind, name));
      await call('ZREM', indexOf(kind), name);
    },
    list,
    async sweep() {
      // Redis expires the other kinds.
      for (const kind of lastingKinds) await list(kind);
    },
    close,
  };
}

function namesIn(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** Stores each value in a file whose modification time is the end of the value. */
function openFolder(folder: string): Keeper {
  const pathOf = (kind: string, name: string) => join(folder, `${kind}-${name}.json`);
  /** @param kind '' for all kinds */
  async function list(kind: string): Promise<string[]> {
    const all = (await readdir(folder).catch(ignoreMissing)) ?? [];
    const ends = new Map<string, number>();
    for (const file of all.filter((name) => name.startsWith(kind))) {
      const { mtimeMs = 0 } = (await stat(join(folder, file)).catch(ignoreMissing)) ?? {};
      if (mtimeMs > Date.now()) ends.set(file.slice(kind.length + 1, -'.json'.length), mtimeMs);
      // A draft gets its time after it is written, so it may look expired.
      else if (mtimeMs < Date.now() - graceMs) await rm(join(folder, file), { force: true });
    }
    return [...ends].sort(([, a], [, b]) => a - b).map(([name]) => name);
  }
  return {
    async get(kind, name) {
      const path = pathOf(kind, name);
      const reading = Promise.all([stat(path), readFile(path, 'utf8')]);
      const [file, text = ''] = (await reading.catch(ignoreMissing)) ?? [];
      return file && file.mtimeMs > Date.now() ? readValue(text) : undefined;
    },
    async put(kind, name, value, seconds, isNew) {
      await claimFolder(folder);
      const draft = join(folder, `draft-${randomUUID()}`);
      const end = new Date(Date.now() + seconds * 1000);
      try {
        await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
        await utimes(draft, end, end);
        await (isNew ? link : rename)(draft, pathOf(kind, name));
        return true;
      } catch (error) {
        if (isNew && existsSync(pathOf(kind, name))) return false;
        throw error;
      } finally {
        await rm(draft, { force: true });
      }
    },
    remove: (kind, name) => rm(pathOf(kind, name), { force: true }),
    async prolong(kind, name, seconds) {
      const end = new Date(Date.now() + seconds * 1000);
      await utimes(pathOf(kind, name), end, end).catch(ignoreMissing);
    },
    list,
    sweep: async () => void (await list('')),
    close() {},
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function readValue(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}
