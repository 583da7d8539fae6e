import { describe, expect, test } from 'vitest';
import { judgeClock } from '../../../../src/cli/commands/doctor/clock.ts';

describe('judgeClock', () => {
  test.each([
    [0, 'ok', 'in step'],
    [-5, 'ok', 'in step'],
    [6, 'warning', "6 s behind the platform's"],
    [-60, 'warning', "60 s ahead of the platform's"],
    [61, 'failed', "61 s behind the platform's"],
    [-600, 'failed', "10 minutes ahead of the platform's"],
    [3 * 3600, 'failed', '3 hours behind'],
    [-90 * 86_400, 'failed', '90 days ahead'],
  ])('calls a platform clock %i s ahead of ours %s', (skew, verdict, detail) => {
    expect(judgeClock(skew)).toMatchObject({ verdict, detail: expect.stringContaining(detail) });
  });

  test('says that a time which was not told was not compared', () => {
    expect(judgeClock(undefined).verdict).toBe('warning');
  });
});
