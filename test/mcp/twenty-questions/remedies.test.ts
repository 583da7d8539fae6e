import { describe, expect } from 'vitest';
import type { World } from '../../../src/sandbox/world/world.ts';
import { euros, revenueLines, sumOf } from '../../sandbox/world/truth.ts';
import { questionsOfAFile } from './questions.ts';

const question = questionsOfAFile();

describe('an analyst whose question is refused is told', () => {
  question('which location a shop belongs to', async (ask, { sandbox: { world } }) => {
    const refused = await ask('get_daily_close', { date: 'yesterday', location_id: '7' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(
      '7 is the shop Utrecht Oost, not a location: its location_id is Utrecht Oost (3).',
    );
    const close = await ask('get_daily_close', { date: 'yesterday', location_id: '3' });
    expect(close.body.turnover_wt).toBe(turnoverAt(world, 3));
  });

  question(
    'which of the locations of a role can be asked for',
    async (ask, { sandbox: { world } }) => {
      const refused = await ask('get_daily_close', { date: 'yesterday' });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('location_id may be Utrecht Centraal (2), Utrecht Oost (3).');
      const close = await ask('get_daily_close', {
        date: 'yesterday',
        location_id: 'Utrecht Centraal',
      });
      expect(close.body.turnover_wt).toBe(turnoverAt(world, 2));
    },
    { role: 'regional' },
  );
});

/** Yesterday's turnover incl. VAT of the shops at a location. */
function turnoverAt(world: World, locationId: number): number {
  const orders = world.orders('2026-11-19').filter((order) => order.locationId === locationId);
  return euros(sumOf(revenueLines(orders), 'totalWtCents'));
}
