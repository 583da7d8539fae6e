import { describe, expect, test } from 'vitest';
import { isOutOfReach, type Place, remedyFor } from '../../../../src/cli/commands/doctor/remedy.ts';
import { type ErrorCode, PlatformError } from '../../../../src/core/errors.ts';

const place: Place = {
  what: 'the platform API',
  variable: 'COMMERCE_BASE_URL',
  address: 'https://api.example.com',
};

function failure(
  code: ErrorCode,
  more: { message?: string; status?: number; retryAfterMs?: number } = {},
) {
  const { message = 'it failed', ...rest } = more;
  return new PlatformError(code, message, { endpoint: 'GET /api/me', ...rest });
}

describe('remedyFor', () => {
  test.each<[PlatformError, RegExp]>([
    [failure('unreachable'), /COMMERCE_BASE_URL \(https:\/\/api\.example\.com\).*VPN/],
    [
      failure('unreachable', { message: 'failed (DEPTH_ZERO_SELF_SIGNED_CERT)' }),
      /NODE_EXTRA_CA_CERTS/,
    ],
    [failure('timeout'), /COMMERCE_TIMEOUT_SECONDS/],
    [failure('redirected'), /the address that it redirects to/],
    [failure('key_refused'), /administrator for a new API key/],
    [failure('unauthorized'), /different accounts/],
    [failure('forbidden'), /administrator/],
    [failure('rate_limited', { retryAfterMs: 1500 }), /Wait 2 s/],
    [failure('rate_limited'), /Wait a minute/],
    [failure('upstream_failed', { status: 502 }), /platform's side/],
    [failure('upstream_failed', { status: 405 }), /Check COMMERCE_BASE_URL/],
    [failure('exchange_failed', { status: 404 }), /the account's own authorization server/],
    [failure('exchange_failed', { status: 503 }), /trouble of its own/],
    [failure('malformed_answer'), /may not be the platform API/],
    [failure('not_found'), /may not be the platform API/],
  ])('knows what to do about %s', (error, remedy) => {
    expect(remedyFor(error, place)).toMatch(remedy);
  });

  test('does not invent a remedy for what nobody expected', () => {
    expect(remedyFor(new TypeError('x is not a function'), place)).toContain('report it');
  });
});

describe('isOutOfReach', () => {
  test.each<[ErrorCode, boolean]>([
    ['unreachable', true],
    ['timeout', true],
    ['redirected', true],
    ['not_found', false],
    ['key_refused', false],
  ])('says of %s: %s', (code, expected) => {
    expect(isOutOfReach(failure(code))).toBe(expected);
  });
});
