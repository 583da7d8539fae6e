/** Signed links to kept results as files, which any replica on one Redis can check. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Redis } from '../../client/fleet/redis.ts';
import { parseJson } from '../../core/json.ts';
import { type Toolset, toolsets } from '../../endpoints/define.ts';

/** A result of a caller as a file. */
export interface LinkedFile {
  id: string;
  name: string;
  caller: string;
  account?: string | undefined;
  toolsets: readonly Toolset[];
  expiresAtMs: number;
}

/** Toolsets are bits of a number, because a model writes each link. */
const content = z.tuple([z.string(), z.string(), z.string().nullable(), z.int(), z.number()]);

const keyName = 'commerce-mcp:4:links';

/** Time for which the key is kept after its last use. */
const keptMs = 86_400_000;

/** Shortest time between two reads of the key for wrong links. */
const readAgainMs = 5000;

/**
 * Signs links and checks them, by a key of this process, or where there is a Redis by one that all processes share.
 * @param elapsed a clock in milliseconds that never jumps
 */
export function openLinks(
  redisUrl: string | undefined,
  now: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
) {
  const ownKey = randomBytes(32);
  let redis: Promise<Redis> | undefined;
  let sharedKey: Buffer | undefined;
  let readAtMs = -Infinity;

  async function readKey(): Promise<void> {
    if (redisUrl === undefined) return;
    readAtMs = elapsed();
    redis ??= connect(redisUrl);
    const { call } = await redis;
    try {
      await call('SET', keyName, randomBytes(32), 'NX', 'PX', keptMs);
      await call('PEXPIRE', keyName, keptMs);
      const key = await call('GET', keyName);
      if (Buffer.isBuffer(key) && key.length === 32) sharedKey = key;
    } catch {
      // Without Redis, links of this process work here alone, like its results.
    }
  }

  return {
    /** The last two parts of the path of a link. */
    async sign({ id, name, caller, account, toolsets: open, expiresAtMs }: LinkedFile) {
      await readKey();
      const bits = open.reduce((sum, toolset) => sum + 2 ** toolsets.indexOf(toolset), 0);
      const values = [id, caller, account ?? null, bits, expiresAtMs];
      const text = Buffer.from(JSON.stringify(values)).toString('base64url');
      const token = `${text}.${signature(sharedKey ?? ownKey, text, name).toString('base64url')}`;
      return `${token}/${encodeURIComponent(name)}`;
    },

    /** The result behind a link; undefined for a wrong, changed or expired link. */
    async read(token: string, name: string): Promise<LinkedFile | undefined> {
      const [text = '', given = ''] = token.split('.');
      const sent = Buffer.from(given, 'base64url');
      const isSigned = () =>
        [ownKey, sharedKey ?? ownKey].some((key) => isSame(sent, signature(key, text, name)));
      if (!isSigned()) {
        if (elapsed() - readAtMs > readAgainMs) await readKey();
        if (!isSigned()) return undefined;
      }
      const { data } = content.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
      if (data === undefined) return undefined;
      const [id, caller, account, bits, expiresAtMs] = data;
      const open = toolsets.filter((_, at) => (bits & (2 ** at)) !== 0);
      const file = { id, name, caller, account: account ?? undefined, toolsets: open, expiresAtMs };
      return expiresAtMs > now() ? file : undefined;
    },

    close: () => void redis?.then((opened) => opened.close()),
  };
}

async function connect(redisUrl: string): Promise<Redis> {
  const { openRedis } = await import('../../client/fleet/redis.ts');
  const redis = openRedis(redisUrl);
  await redis.settled;
  return redis;
}

/** 128 bits cannot be guessed, and are short enough for a model to write. */
function signature(key: Buffer, text: string, name: string): Buffer {
  return createHmac('sha256', key).update(`${text}/${name}`).digest().subarray(0, 16);
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
