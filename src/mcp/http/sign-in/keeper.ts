/** Where signing in keeps what outlives a request: Redis, which replicas share, or else a folder. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { claimFolder } from '../../../core/files.ts';
import { isRecord, type JsonObject, parseJson } from '../../../core/json.ts';

/** Keeps values for a time, by kind and name. All of a kind are kept for the same time. */
export interface Keeper {
  get(kind: string, name: string): Promise<JsonObject | undefined>;
  /** @param isNew puts it only where none is, and says whether it did */
  put(kind: string, name: string, value: object, seconds: number, isNew?: true): Promise<boolean>;
  remove(kind: string, name: string): Promise<void>;
  /** The names of a kind, from the first put to the last; what has ended goes, of all kinds with ''. */
  list(kind: string): Promise<string[]>;
  close(): void;
}

const graceMs = 60_000;

/** The name of what has this id: the ids of codes and tokens are secrets. */
export function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Whose it is: an account's id is a name, and the digest of a token. */
export function personOf({ accountId }: JsonObject): string {
  return String(accountId).replace(/ .*/, '');
}

/** Opens what the configuration names. It may be away or broken: that is seen when it is used. */
export async function openKeeper(
  config: Pick<Config, 'redisUrl' | 'signInDir' | 'publicUrl'>,
): Promise<Keeper> {
  const { redisUrl, signInDir = '', publicUrl } = config;
  if (redisUrl === undefined) return openFolder(signInDir);
  const { openRedis } = await import('../../../client/fleet/redis.ts');
  const { call, settled, close } = openRedis(redisUrl);
  await settled;
  const indexOf = (kind: string) => `commerce-mcp:sign-in:${publicUrl}:${kind}`;
  const keyOf = (kind: string, name: string) => `${indexOf(kind)}:${name}`;
  return {
    get: async (kind, name) => readValue(String(await call('GET', keyOf(kind, name)))),
    async put(kind, name, value, seconds, isNew) {
      const options = ['EX', seconds, ...(isNew ? ['NX'] : [])];
      const reply = await call('SET', keyOf(kind, name), JSON.stringify(value), ...options);
      await call('ZADD', indexOf(kind), Date.now() + seconds * 1000, name);
      // Some are put again for the rest of their time.
      await call('EXPIRE', indexOf(kind), Math.max(seconds, 3600));
      return reply !== null;
    },
    async remove(kind, name) {
      await call('DEL', keyOf(kind, name));
      await call('ZREM', indexOf(kind), name);
    },
    async list(kind) {
      await call('ZREMRANGEBYSCORE', indexOf(kind), 0, Date.now());
      const names = await call('ZRANGE', indexOf(kind), 0, -1);
      return Array.isArray(names) ? names.map(String) : [];
    },
    close,
  };
}

/** A file each, whose time is when it ends. */
function openFolder(folder: string): Keeper {
  const pathOf = (kind: string, name: string) => join(folder, `${kind}-${name}.json`);
  return {
    async get(kind, name) {
      const path = pathOf(kind, name);
      const reading = Promise.all([stat(path), readFile(path, 'utf8')]);
      const [file, text = ''] = (await reading.catch(unlessMissing)) ?? [];
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
    async list(kind) {
      const all = (await readdir(folder).catch(unlessMissing)) ?? [];
      const ends = new Map<string, number>();
      for (const file of all.filter((it) => it.startsWith(kind))) {
        const { mtimeMs = 0 } = (await stat(join(folder, file)).catch(unlessMissing)) ?? {};
        if (mtimeMs > Date.now()) ends.set(file.slice(kind.length + 1, -'.json'.length), mtimeMs);
        // A draft has its time only when it is written.
        else if (mtimeMs < Date.now() - graceMs) await rm(join(folder, file), { force: true });
      }
      return [...ends].sort(([, a], [, b]) => a - b).map(([name]) => name);
    },
    close() {},
  };
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function readValue(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}
