import fc from 'fast-check';
import { isRecord } from '../../src/core/json.ts';

/** What stands where something else belongs. */
const piece = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e15, -1e300, 1e300, 4_000_000_000),
  fc.constantFrom<unknown>('', 'x'.repeat(5000), '\u202e\n', 'r_0000000000', [], {}, [[]]),
  fc.constant(Array.from({ length: 2000 }, () => ({ count: 1 }))),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A JSON value of which one to three parts are something else, or the whole of it is. */
export function spoilt(value: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.nat(), piece);
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) =>
      changes.reduce((left, [at, put]) => replaced(left, at % sizeOf(left), put), value),
    );
}

/** How many values a value is, with all within it. */
function sizeOf(value: unknown): number {
  return 1 + partsOf(value).reduce((sum, [, part]) => sum + sizeOf(part), 0);
}

/** The value with the part at a place, counted from its beginning, replaced. */
function replaced(value: unknown, at: number, put: unknown): unknown {
  if (at === 0) return put;
  let before = 1;
  for (const [key, part] of partsOf(value)) {
    const size = sizeOf(part);
    if (at < before + size) {
      const inner = replaced(part, at - before, put);
      if (Array.isArray(value)) return value.with(Number(key), inner);
      return { ...(isRecord(value) && value), [key]: inner };
    }
    before += size;
  }
  return value;
}

function partsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
