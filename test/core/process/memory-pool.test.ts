import { LRUCache } from 'lru-cache';
import { expect, test } from 'vitest';
import { MemoryPool } from '../../../src/core/process/memory-pool.ts';

test('when a pool is full, the cache that holds the most makes room, and what has expired goes first', () => {
  let nowMs = 1;
  const pool = new MemoryPool(100);
  const cacheOf = (sizes: readonly number[], ttl = 0) => {
    const cache = new LRUCache<number, object>({
      maxSize: 1000,
      ttlResolution: 0,
      perf: { now: () => nowMs },
    });
    for (const [at, size] of sizes.entries()) cache.set(at, {}, { size, ttl });
    pool.caches.add(cache);
    return cache;
  };
  const [large, small, stale] = [cacheOf([30, 30, 30]), cacheOf([20, 5]), cacheOf([50], 10)];
  nowMs = 100;
  pool.dropSurplus();
  expect([large, small, stale].map(({ calculatedSize }) => calculatedSize)).toEqual([60, 25, 0]);
  pool.caches.delete(large);
  small.set(9, {}, { size: 75 });
  pool.dropSurplus();
  expect(small.calculatedSize).toBe(100);
});
