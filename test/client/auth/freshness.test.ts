import { describe, expect, test } from 'vitest';
import { freshnessMs } from '../../../src/client/auth/freshness.ts';

describe('freshnessMs', () => {
  test.each<[string, Record<string, string>, number]>([
    ['nothing said', {}, Number.POSITIVE_INFINITY],
    ['other words', { 'cache-control': 'public, must-revalidate' }, Number.POSITIVE_INFINITY],
    ['an age', { 'cache-control': 'public, max-age=300' }, 300_000],
    ['capitals and quotes', { 'cache-control': 'Max-Age="60" ,private' }, 60_000],
    ['some of it gone by', { 'cache-control': 'max-age=300', age: '100' }, 200_000],
    ['all of it gone by', { 'cache-control': 'max-age=300', age: '500' }, 0],
    ['no-store', { 'cache-control': 'no-store, max-age=300' }, 0],
    ['no-cache of a field', { 'cache-control': 'no-cache="set-cookie"' }, 0],
    ['an age that is none', { 'cache-control': 'max-age=soon' }, 0],
  ])('of %s', (_, headers, expected) => {
    expect(freshnessMs((name) => headers[name])).toBe(expected);
  });
});
