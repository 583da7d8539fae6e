import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldName,
  listNames,
  nameWithId,
  type ReferenceEntry,
  spaceOfKind,
} from '../../../src/analysis/reference/reference.ts';
import { resolveName } from '../../../src/analysis/reference/resolve.ts';
import { InputError } from '../../../src/core/errors.ts';

function entry(id: number, name: string, ...aliases: string[]): ReferenceEntry {
  return { kind: 'shop', id, name, aliases, row: { id, name } };
}

const shop = spaceOfKind('shop');
const shops = [
  entry(3, 'Utrecht Centraal'),
  entry(7, 'Utrecht Oost'),
  entry(9, 'Webshop', 'online', 'WS-NL'),
  entry(10, 'Café Zwolle'),
  entry(11, 'Zwolle'),
  entry(12, 'Zwolle Zuid'),
];

describe('resolveName', () => {
  test.each([
    ['Webshop', 9],
    ['  webSHOP ', 9],
    ['cafe zwolle', 10],
    ['CAFÉ  ZWOLLE', 10],
    ['Online', 9],
    ['ws-nl', 9],
    ['Zwolle', 11],
    ['web', 9],
    ['utrecht c', 3],
    ['oost', 7],
    ['zuid', 12],
  ])('takes %j for shop %d', (given, id) => {
    expect(resolveName('list_orders', shop, given, shops).id).toBe(id);
  });

  test('takes the beginning of a name before the beginning of a word within one', () => {
    const both = [entry(7, 'Utrecht Oost'), entry(8, 'Oosterbeek')];
    expect(resolveName('list_orders', shop, 'oost', both).id).toBe(8);
  });

  test('never guesses between two, and lists them', () => {
    expect(() => resolveName('list_orders', shop, 'utrecht', shops)).toThrow(
      new InputError(
        'list_orders: "utrecht" names 2 shops: Utrecht Centraal (3), Utrecht Oost (7). Give one of these ids as shop_id.',
        'shop_id',
      ),
    );
  });

  test('does not guess between two of the same name', () => {
    const twins = [entry(1, 'Pop-up'), entry(2, 'pop-up')];
    expect(() => resolveName('list_orders', shop, 'Pop-up', twins)).toThrow('names 2 shops');
  });

  test('refuses a name that nothing has, and lists what there is', () => {
    expect(() => resolveName('list_orders', shop, 'Assen', shops.slice(0, 2))).toThrow(
      'list_orders: no shop that this key may see is called "Assen". The shops are: Utrecht Centraal (3), Utrecht Oost (7).',
    );
    expect(() => resolveName('list_orders', shop, 'Assen', [])).toThrow('There are no shops.');
  });

  test('takes no part from within a word', () => {
    expect(() => resolveName('list_orders', shop, 'shop', shops)).toThrow(
      'no shop that this key may see is called',
    );
  });

  test('shows foreign text neutralised and bounded', () => {
    const odd = [entry(1, 'Bad\n\u202eName')];
    const given = `x\n${'y'.repeat(500)}`;
    expect(() => resolveName('list_orders', shop, given, odd)).toThrow(
      /"x\\ny+…".*Bad\\n\\u\{202e\}/,
    );
  });

  test('finds every entry by its own name, unless another has it too', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((it) => foldName(it) !== '');
    fc.assert(
      fc.property(fc.uniqueArray(name, { selector: foldName, minLength: 1 }), (names) => {
        const entries = names.map((it, index) => entry(index + 1, it));
        for (const { id, name: own } of entries)
          expect(resolveName('list_orders', shop, ` ${own} `, entries).id).toBe(id);
      }),
    );
  });
});

describe('foldName', () => {
  test.each([
    ['  Café   Zwolle ', 'cafe zwolle'],
    ['ĲSSELMEER', 'ĳsselmeer'],
    ['Señor\tÅ', 'senor a'],
    ['', ''],
  ])('folds %j to %j', (text, folded) => {
    expect(foldName(text)).toBe(folded);
  });
});

describe('nameWithId', () => {
  test('names an entry, and one without a name by its id alone', () => {
    expect(nameWithId({ name: 'Webshop', id: 9 })).toBe('Webshop (9)');
    expect(nameWithId({ name: '9', id: 9 })).toBe('9');
  });
});

describe('listNames', () => {
  test('lists as many as a sentence bears', () => {
    const many = Array.from({ length: 15 }, (_, index) => entry(index + 1, `S${index + 1}`));
    expect(listNames(many)).toMatch(/^S1 \(1\), .*S12 \(12\) and 3 more$/);
    expect(listNames(many.slice(0, 12))).toMatch(/S12 \(12\)$/);
    expect(listNames([])).toBe('');
  });
});
