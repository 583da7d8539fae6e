import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { Reading } from '../request/attempts.ts';
import type { SharedAnswers } from '../request/get.ts';
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
}

/** Largest value once it is unpacked, in bytes. */
const maxUnpacked = 128 * 2 ** 20;

const getScript = `
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return {} end
if redis.call('STRLEN', KEYS[1]) > tonumber(ARGV[1]) then return {} end
return {redis.call('GET', KEYS[1])}
`;

const putScript = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {}
`;

const squeeze = promisify(gzip);
const unsqueeze = promisify(gunzip);

/**
 * Values under keys of their own, which Redis lets expire and evicts by its own memory policy.
 * @param settings.prefix begins every key
 * @param settings.maxBytes largest value, compressed
 */
export function openSharedValues(settings: {
  redis: Redis;
  prefix: string;
  maxBytes: number;
}): SharedValues {
  const { redis, prefix, maxBytes } = settings;

  return {
    async put(name, value, forMs) {
      if (redis.isAway()) return;
      try {
        const text = JSON.stringify(value);
        // Rows repeat their column names: even the quickest compression takes off nine tenths.
        const bytes = await squeeze(text, { level: 1 });
        if (bytes.length > maxBytes || Buffer.byteLength(text) > maxUnpacked) return;
        await redis.run(putScript, [`${prefix}value:${name}`], [bytes, Math.ceil(forMs)]);
      } catch {
        // Other replicas do without it.
      }
    },
    async get(name, read) {
      if (redis.isAway()) return undefined;
      try {
        const [bytes] = await redis.run(getScript, [`${prefix}value:${name}`], [maxBytes]);
        const unpacked = bytes && (await unsqueeze(bytes, { maxOutputLength: maxUnpacked }));
        return unpacked && read(JSON.parse(unpacked.toString()));
      } catch {
        // Redis is away, or something else has written there.
        return undefined;
      }
    },
  };
}

/** Cached answers as shared values. Addresses carry query values, so their hashes name the answers. */
export function shareAnswers(values: SharedValues): SharedAnswers {
  const hashOf = (address: string) => createHash('sha256').update(address).digest('base64url');
  return {
    get: (address) => values.get(hashOf(address), (value) => reading.safeParse(value).data),
    put: (address, answered, forMs) => values.put(hashOf(address), answered, forMs),
  };
}

/** A body is whatever the platform may answer. */
const reading: z.ZodType<Reading> = z.object({
  body: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
  readAtMs: z.number().min(0),
  traceId: z.string().max(200).exactOptional(),
  size: z.int().min(0),
});
