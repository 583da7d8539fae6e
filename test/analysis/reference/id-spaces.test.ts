import { describe, expect, test } from 'vitest';
import { misplacedIds } from '../../../src/analysis/reference/resolve.ts';
import { fakeServices, smallBusiness } from '../fake-services.ts';

async function notesOf(input: Record<string, unknown>, lists = smallBusiness): Promise<string> {
  return (await misplacedIds(fakeServices(lists).services.reference, input)).join('\n');
}

describe('misplacedIds', () => {
  test.each([
    { shop_id: '3', location_id: 11 },
    { shop_id: 'Webshop' },
    { order_id: 999, from: '2026-11-20' },
    {},
  ])('says nothing where all is well: %j', async (input) => {
    expect(await notesOf(input)).toBe('');
  });

  test('knows a shop id given as location_id, and the location meant', async () => {
    const notes = await notesOf({ location_id: '3' });
    expect(notes).toContain('No location that this key may see has id 3.');
    expect(notes).toContain(
      '3 is the shop Utrecht Centraal, at location Utrecht (11): for it, give location_id 11.',
    );
    expect(notes).toContain('The locations are: Utrecht (11), Zwolle (12).');
  });

  test('sends nobody to the location of a shop that has none', async () => {
    const notes = await notesOf({ location_id: 9 });
    expect(notes).toContain('9 is the shop Webshop, not a location.');
    expect(notes).not.toMatch(/NaN|location_id 0/);
  });

  test('knows a location id given as shop_id, and the shops meant', async () => {
    expect(await notesOf({ shop_id: 11 })).toContain(
      '11 is the location Utrecht, whose shops are Utrecht Centraal (3), Utrecht Oost (7): give one of these as shop_id.',
    );
    expect(await notesOf({ shop_id: 12 })).toContain('12 is the location Zwolle.');
  });

  test('lists what there is for an id that is nothing at all', async () => {
    const notes = await notesOf({ segment_id: 4 });
    expect(notes.split('\n')).toEqual([
      'No customer segment that this key may see has id 4.',
      'The customer segments are: Stamgasten (40).',
    ]);
  });

  test('says nothing where the list cannot be read', async () => {
    const lists = { ...smallBusiness, '/api/location': 'forbidden' as const };
    expect(await notesOf({ location_id: 3 }, lists)).toBe('');
  });

  test('advises no location that would be refused as well', async () => {
    const shops = [{ id: 3, name: 'Bad\nName', location_id: 11 }];
    const notes = await notesOf({ location_id: 3 }, { '/api/shop': shops, '/api/location': [] });
    expect(notes).toContain('3 is the shop Bad\\nName, at a location that this key does not see.');
    expect(notes).not.toContain('give location_id');
  });

  test('stops when the call is cancelled', async () => {
    const { services } = fakeServices();
    const check = misplacedIds(
      services.reference,
      { shop_id: 11 },
      AbortSignal.abort(new Error('gone')),
    );
    await expect(check).rejects.toThrow('gone');
  });
});
