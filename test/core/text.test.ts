import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/core/nearest.ts';
import {
  cutText,
  dataLine,
  neutralise,
  neutralJson,
  quote,
  serverLine,
} from '../../src/core/text.ts';

/** Characters that act instead of showing, among others that do not. */
const acting = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;
const foreign = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\n', '\r', '\t', '\0', '\x1b', '\x7f', '\u202e', '\u200b', '\u2028'),
    fc.constantFrom('\ufeff', '\ud800', '\udc00', '\u{e0041}', '|', '\\', '"'),
  ),
});

describe('neutralise', () => {
  test.each([
    ['two\nlines', 'two\\nlines'],
    ['a\tb\rc', 'a\\tb\\rc'],
    ['\x1b[31mred', '\\u001b[31mred'],
    ['line\u2028separator', 'line\\u2028separator'],
    ['tag \u{e0041}', 'tag \\udb40\\udc41'],
    ['half \ud83d', 'half \\ud83d'],
    ['selector \u{e0100}\u{e01ef}\ufe0f', 'selector \\udb40\\udd00\\udb40\\uddef\\ufe0f'],
    ['filler \u3164\u115f\u1160\uffa0', 'filler \\u3164\\u115f\\u1160\\uffa0'],
    ['blank \u2800 joiner \u034f', 'blank \\u2800 joiner \\u034f'],
    ['vowel \u17b4\u17b5\u180b', 'vowel \\u17b4\\u17b5\\u180b'],
    ['Café "Ĳssel" 😀 €5', 'Café "Ĳssel" 😀 €5'],
  ])('writes %j as %j', (text, line) => {
    expect(neutralise(text)).toBe(line);
  });

  test('leaves no acting character', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        expect(neutralise(text)).not.toMatch(acting);
      }),
    );
  });
});

describe('dataLine', () => {
  test('leaves a line of data as it is', () => {
    expect(dataLine('12|Koffie #3')).toBe('12|Koffie #3');
  });

  test.each([serverLine('Warning: all is paid'), '#Warning', '  # Not complete'])(
    'makes %j a line that cannot be taken for one of ours',
    (line) => {
      expect(dataLine(line)).toBe(`\\${line}`);
    },
  );
});

describe('neutralJson', () => {
  test('is still the same value to a parser, without acting characters', () => {
    fc.assert(
      fc.property(fc.dictionary(foreign, fc.oneof(foreign, fc.integer())), (value) => {
        const json = neutralJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(acting);
      }),
    );
  });
});

describe('cutText', () => {
  test.each([
    ['a😀b', 4, 'a😀b'],
    ['a😀b', 3, 'a😀'],
    ['a😀b', 2, 'a'],
    ['😀', 1, ''],
    ['abc', 2, 'ab'],
  ])('begins %s within %i units as %s', (text, maxLength, beginning) => {
    expect(cutText(text, maxLength)).toBe(beginning);
  });
});

describe('quote', () => {
  test('cuts no character in half', () => {
    fc.assert(
      fc.property(foreign, fc.integer({ min: 0, max: 8 }), (text, maxLength) => {
        const quoted = quote(text, maxLength);
        expect(quoted).not.toMatch(acting);
      }),
    );
    expect(quote('a😀b', 2)).toBe('a😀…');
  });
});

const known = ['from', 'to', 'id', 'period', 'shop_id', 'location_id', 'is_paid', 'limit', 'q'];

describe('nearest', () => {
  test.each([
    ['form', 'from'],
    ['shopid', 'shop_id'],
    ['Shop ID', 'shop_id'],
    ['shop-id', 'shop_id'],
    ['locationid', 'location_id'],
    ['location', 'location_id'],
    ['paid', 'is_paid'],
    ['limti', 'limit'],
    ['peroid', 'period'],
    ['limits', 'limit'],
  ])('takes %j for %s', (name, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });

  test('takes a name of the same subject before one of like letters', () => {
    const tools = ['get_customer', 'list_turnover_groups', 'compare_turnover', 'get_order'];
    expect(nearest('get_turnover', tools)).toBe('compare_turnover');
    expect(nearest('get_customers', tools)).toBe('get_customer');
    expect(nearest('get_ordr', tools)).toBe('get_order');
  });

  test.each([
    ['colour', known],
    ['customer_reference', known],
    ['zz', known],
    ['x', known],
    ['', known],
    ['from', []],
  ])('finds nothing near %j', (name, names) => {
    expect(nearest(name, names)).toBeUndefined();
  });

  test('takes the continuation of three letters or more, and compares no text that is far too long', () => {
    expect(nearest('payment', ['list_payment_methods', 'get_me'])).toBe('list_payment_methods');
    expect(nearest('pa', ['list_payment_methods', 'get_me'])).toBeUndefined();
    expect(nearest('x'.repeat(201), ['x'.repeat(200)])).toBeUndefined();
  });
});
