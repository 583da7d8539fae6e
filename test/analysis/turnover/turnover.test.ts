import { describe, expect, test } from 'vitest';
import { now, serverOver } from '../../server-over.ts';

describe('compare_turnover', () => {
  test('knows one time a call: says once that today is not over, though the minute turns', async () => {
    let read = 0;
    // Each look at the clock is 20 seconds after the one before.
    const { ask } = await serverOver('memory', { now: () => now + 20_000 * read++ });
    const { warnings, isError } = await ask('compare_turnover', {
      by: 'location',
      period: 'today',
    });
    expect(isError).toBe(false);
    const aboutToday = warnings.filter(({ code }) => code === 'day_not_over');
    expect(aboutToday).toHaveLength(1);
  });
});
