import { describe, expect, test } from 'vitest';
import { resolveSince } from '../../../src/analysis/endpoint/prepare-request.ts';
import { InputError } from '../../../src/core/errors.ts';

// A Friday, five past two in the afternoon in Amsterdam.
const now = Date.parse('2026-11-20T14:05:11+01:00');

describe('resolveSince', () => {
  test.each([
    ['today', '2026-11-20'],
    ['yesterday', '2026-11-19'],
    ['Last_Week', '2026-11-09'],
    ['this_month', '2026-11-01'],
    ['2026-11-19', '2026-11-19'],
    ['2026-11-19T10:00:00.5Z', '2026-11-19T11:00:00+01:00'],
    ['2026-11-19 10:00 +01', '2026-11-19T10:00:00+01:00'],
    ['2026-11-19T10:00', '2026-11-19T10:00:00+01:00'],
    ['2026-10-25T02:30', '2026-10-25T02:30:00+02:00'],
    ['2026-03-29T02:30', '2026-03-29T03:30:00+02:00'],
  ])('sends %s as %s', (text, since) => {
    expect(resolveSince(text, now)).toBe(since);
  });

  test.each([
    ['2026-11-21', 'since: "2026-11-21" lies in the future; it is now 2026-11-20T14:05:11+01:00'],
    ['2026-11-20T14:05:12', 'lies in the future'],
    ['2026-02-30', 'since: "2026-02-30" is not a moment. Give YYYY-MM-DD, an ISO 8601 time'],
    ['tomorrow', 'or one of today, yesterday, this_week'],
    ['', 'is not a moment'],
  ])('refuses %j, saying what is accepted', (text, message) => {
    expect(() => resolveSince(text, now)).toThrow(InputError);
    expect(() => resolveSince(text, now)).toThrow(message);
  });
});
