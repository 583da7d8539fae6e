import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Redis } from './redis.ts';

/** Values that all replicas can reach, compressed. Nothing here rejects. */
export interface SharedValues {
  /** Keeps a value for so long, where it fits and Redis is there. */
  put(name: string, value: unknown, forMs: number): Promise<void>;
  /**
   * What `read` makes of the value; undefined when it is not there, cannot be had, is too large,
   * broken, or refused by `read`.
   */
  get<Value>(name: string, read: (value: unknown) => Value | undefined): Promise<Value | undefined>;
  /** Why values of other replicas may not be here now, if there is a reason. */
  trouble(): Promise<'away' | 'full' | undefined>;
}

/** Largest value once it is unpacked, in bytes. */
const maxUnpacked = 128 * 2 ** 20;

const squeeze = promisify(gzip);
const unsqueeze = promisify(gunzip);

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
      // Whether there is room is known by asking for some.
      await redis.call('SET', `${prefix}room`, '', 'PX', 1).catch(() => {});
      if (redis.isFull()) return 'full';
      return redis.isAway() ? 'away' : undefined;
    },
    async put(name, value, forMs) {
      if (redis.isAway()) return;
      try {
        const text = JSON.stringify(value);
        // Rows repeat their column names: even the quickest compression takes off nine tenths.
        const bytes = await squeeze(text, { level: 1 });
        if (bytes.length > maxBytes || Buffer.byteLength(text) > maxUnpacked) return;
        await redis.call('SET', `${prefix}${name}`, bytes, 'PX', Math.ceil(forMs));
      } catch {
        // Other replicas do without it.
        if (redis.isFull()) onFull();
      }
    },
    async get(name, read) {
      if (redis.isAway()) return undefined;
      try {
        // No more of it than may be there: what is longer is cut off, and so broken.
        const bytes = await redis.call('GETRANGE', `${prefix}${name}`, 0, maxBytes - 1);
        if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
        const text = await unsqueeze(bytes, { maxOutputLength: maxUnpacked });
        return read(JSON.parse(text.toString()));
      } catch {
        // Redis is away, or something else has written there.
        return undefined;
      }
    },
  };
}
