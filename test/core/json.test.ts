import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countJson,
  type JsonCounts,
  parseJson,
  parseJsonExactly,
  toNumber,
} from '../../src/core/json.ts';

describe('toNumber', () => {
  test.each([
    [5, 5],
    ['12.5', 12.5],
    ['five', Number.NaN],
    [null, Number.NaN],
    [true, Number.NaN],
    [[7], Number.NaN],
    [{ toString: 1, valueOf: 1 }, Number.NaN],
    [undefined, Number.NaN],
  ])('takes %j for %d', (value, expected) => {
    expect(toNumber(value)).toBe(expected);
  });
});

describe('parseJson', () => {
  test.each(['', '{', 'yesterday', '[1,', 'undefined', "{'a':1}"])(
    'finds no value in %j',
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );

  test.each([
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\uD83D\\uDE00 \\\\ud83d \\\\\\\\"', '😀 \\ud83d \\\\'],
    ['"a\\ud83d"', 'a\ufffd'],
    ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
    ['"\\ud83d\\ud83d\\ude00"', '\ufffd😀'],
    ['{"\\\\\\ud83d":1}', { '\\\ufffd': 1 }],
  ])('reads %s, half of a character as U+FFFD', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});

/** What a parsed value holds, by walking it. */
function walk(value: unknown, keys = new Set<string>()): JsonCounts {
  const counts = { values: 1, keysPerObject: 0, keys: 0, rowsPerList: 0, depth: 0 };
  if (typeof value !== 'object' || value === null) return counts;
  if (!Array.isArray(value)) for (const key of Object.keys(value)) keys.add(key);
  const parts = Object.values(value);
  counts[Array.isArray(value) ? 'rowsPerList' : 'keysPerObject'] = parts.length;
  for (const part of parts.map((it) => walk(it, keys))) {
    counts.values += part.values;
    counts.keysPerObject = Math.max(counts.keysPerObject, part.keysPerObject);
    counts.rowsPerList = Math.max(counts.rowsPerList, part.rowsPerList);
    counts.depth = Math.max(counts.depth, part.depth);
  }
  return { ...counts, keys: keys.size, depth: counts.depth + 1 };
}

/** Values whose texts hold what looks like JSON's own marks. */
const anyValue = fc.jsonValue({
  maxDepth: 6,
  stringUnit: fc.constantFrom(...'"\\{}[],: aé😀\u0000'),
});
const bounds = fc.record(
  {
    values: fc.nat(20),
    keysPerObject: fc.nat(4),
    keys: fc.nat(6),
    rowsPerList: fc.nat(4),
    depth: fc.nat(4),
  },
  { requiredKeys: [] },
);

describe('countJson', () => {
  test('counts what parsing gives, on one line and on several', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const expected = walk(JSON.parse(text));
        const { holdsLong, ...counts } = countJson(text);
        expect(counts).toEqual(expected);
        if (!holdsLong) expect(parseJsonExactly(text, true)).toEqual(parseJson(text));
      }),
    );
  });

  test('names a bound that is exceeded, and none where all are kept', () => {
    fc.assert(
      fc.property(anyValue, bounds, (value, most) => {
        const whole = walk(JSON.parse(JSON.stringify(value)));
        const { exceeded } = countJson(JSON.stringify(value), most);
        const over = (name: keyof JsonCounts) => whole[name] > (most[name] ?? Infinity);
        if (exceeded) expect(over(exceeded)).toBe(true);
        else
          expect(Object.keys(whole)).not.toSatisfy((names: (keyof JsonCounts)[]) =>
            names.some(over),
          );
      }),
    );
  });

  test('counts no less where the text is cut off or mangled, and never fails', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), fc.string(), (value, at, torn) => {
        const text = JSON.stringify(value);
        const head = text.slice(0, at % (text.length + 1));
        const { values } = countJson(head);
        expect(countJson(head + torn).values).toBeGreaterThanOrEqual(values);
        expect(values).toBeLessThanOrEqual(countJson(text).values);
      }),
    );
  });

  test.each([
    ['many empty objects', `[${'{},'.repeat(1e6)}{}]`, { values: 20_000 }],
    ['a wide object', `{${'"k":1,'.repeat(1e6)}"k":1}`, { keysPerObject: 1000 }],
    ['a long list', `[${'1,'.repeat(1e6)}1]`, { rowsPerList: 5000 }],
    ['what is never closed', '['.repeat(1e6), { depth: 50 }],
  ])('stops at its bound in %s', (_, text, most) => {
    const [[name, bound] = expect.unreachable()] = Object.entries(most);
    const counted = countJson(text, most);
    expect(counted).toMatchObject({ exceeded: name, [name]: bound + 1 });
    expect(counted.values).toBeLessThanOrEqual(bound + 2);
  });
});

describe('parseJsonExactly', () => {
  test('keeps the digits of whole numbers beyond 2^53, and all else as it is', () => {
    const text =
      '{"id":9007199254740993,"in":[-12345678901234567890, 1e21, 0.12345678901234567891],"safe":9007199254740991,"text":"9007199254740993,\\"1234567890123456789]"}';
    expect(parseJsonExactly(text, countJson(text).holdsLong)).toEqual({
      id: '9007199254740993',
      in: ['-12345678901234567890', 1e21, 0.12345678901234568],
      safe: 9_007_199_254_740_991,
      text: '9007199254740993,"1234567890123456789]',
    });
  });

  test('parses anything else as JSON does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 10n ** 16n }), (value, long) => {
        const text = JSON.stringify({ value, long: 0 }).replace(/0}$/, `${long}}`);
        const isLong = (it: unknown) => Number.isInteger(it) && !Number.isSafeInteger(it);
        const exact = (_: string, it: unknown) =>
          isLong(it) && /^-?\d+$/.test(String(it)) ? String(it) : it;
        const expected = JSON.parse(JSON.stringify(value), exact);
        const parsed = parseJsonExactly(text, countJson(text).holdsLong);
        expect(parsed).toEqual({ value: expected, long: String(long) });
      }),
    );
  });
});
