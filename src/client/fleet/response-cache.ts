import { createHash } from 'node:crypto';
import { isRecord } from '../../core/json.ts';
import type { Reading } from '../request/attempts.ts';
import type { SharedAnswers } from '../request/sharing.ts';
import type { SharedCache } from './shared-cache.ts';

/** Cached answers in the shared cache. Addresses carry query values, so their hashes name the answers. */
export function shareAnswers(cache: SharedCache): SharedAnswers {
  return {
    async get(address) {
      const kept = await cache.get(nameOf(address));
      return isReading(kept) ? kept : undefined;
    },
    async put(address, reading, forMs) {
      await cache.put(nameOf(address), reading, forMs);
    },
  };
}

function nameOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url');
}

function isReading(value: unknown): value is Reading {
  return isRecord(value) && typeof value.readAtMs === 'number' && typeof value.size === 'number';
}
