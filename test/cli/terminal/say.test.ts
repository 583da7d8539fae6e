import { describe, expect, test } from 'vitest';
import { forPerson } from '../../../src/cli/terminal/say.ts';

describe('a sentence for a person', () => {
  test.each<[forModels: string, forPeople: string]>([
    ['They differ by 2. Pass the figures on as given and say so.', 'They differ by 2.'],
    [
      'say which days, for example period: "yesterday", or',
      'say which days, for example period=yesterday, or',
    ],
    ['name one location (location_id: 3).', 'name one location (location_id=3).'],
    ['shop_id: "Utrecht Oost"', 'shop_id: "Utrecht Oost"'],
    ['give shop_id: "Utrecht Oost" instead', 'give shop_id="Utrecht Oost" instead'],
    ['list_orders: "utrecht" names 2 shops', 'list_orders: "utrecht" names 2 shops'],
    ['as of 2026-11-22T15:40:12+01:00;', 'as of 2026-11-22 15:40;'],
    ['at 2026-11-22T15:40:12Z', 'at 2026-11-22T15:40:12Z'],
  ])('of %j is %j', (text, said) => {
    expect(forPerson(text)).toBe(said);
  });
});
