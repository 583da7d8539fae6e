import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Reading } from '../request/attempts.ts';
import type { SharedAnswers } from '../request/sharing.ts';
import type { SharedCache } from './shared-cache.ts';

/** Cached answers in the shared cache. Addresses carry query values, so their hashes name the answers. */
export function shareAnswers(cache: SharedCache): SharedAnswers {
  return {
    async get(address) {
      return cache.get(nameOf(address), (value) => reading.safeParse(value).data);
    },
    async put(address, reading, forMs) {
      await cache.put(nameOf(address), reading, forMs);
    },
  };
}

function nameOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url');
}

/** A body is whatever the platform may answer; what is around it is ours. */
const reading: z.ZodType<Reading> = z.object({
  body: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
  readAtMs: z.number().min(0),
  traceId: z.string().max(200).exactOptional(),
  size: z.int().min(0),
});
