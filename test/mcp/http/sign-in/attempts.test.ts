import { describe, expect, test } from 'vitest';
import { openAttempts } from '../../../../src/mcp/http/sign-in/attempts.ts';

/** The number of attempts that are allowed. */
function countAllowed(attempts: number, attempt: (at: number) => void): number {
  let allowed = 0;
  for (let at = 0; at < attempts; at++)
    try {
      attempt(at);
      allowed++;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, says: { code: 'too_many_attempts' } });
    }
  return allowed;
}

describe('attempts in a minute', () => {
  test.each([
    ['an address', () => '192.0.2.7', 120],
    ['a /64 of IPv6', (at: number) => `2001:db8::${at.toString(16)}`, 120],
    ['addresses of many networks', (at: number) => `2001:db8:${at.toString(16)}::1`, 3000],
  ])('attempts of %s are bounded', (_, addressOf, allowed) => {
    const count = openAttempts(() => 0);
    expect(countAllowed(4000, (at) => count('registrations', addressOf(at)))).toBe(allowed);
  });

  test('attempts are counted apart by address and by kind', () => {
    const count = openAttempts(() => 0);
    expect(countAllowed(20, () => count('client documents', '192.0.2.7'))).toBe(10);
    expect(countAllowed(20, () => count('client documents', '192.0.2.8'))).toBe(10);
    expect(countAllowed(20, () => count('pages', '192.0.2.7'))).toBe(20);
  });

  test('attempts are forgotten after a minute, and a refusal says how long that is', () => {
    let elapsedMs = 5000;
    const count = openAttempts(() => elapsedMs);
    const attempt = () => count('client documents', '192.0.2.7');
    expect(countAllowed(11, attempt)).toBe(10);
    elapsedMs += 30_000;
    expect(attempt).toThrow(
      expect.objectContaining({ parts: { headers: { 'retry-after': '30' } } }),
    );
    elapsedMs += 30_000;
    expect(countAllowed(11, attempt)).toBe(10);
  });
});
