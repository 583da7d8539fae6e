import { describe, expect, test } from 'vitest';
import { parseRetryAfter } from '../../../src/client/transport/http.ts';

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 2, 14, 12);
  test.each([
    [undefined, undefined],
    ['7', 7000],
    [' 0 ', 0],
    ['Sat, 14 Mar 2026 12:00:30 GMT', 30_000],
    ['Sat, 14 Mar 2026 11:00:00 GMT', 0],
    ['-3', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('reads %j as %j ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});
