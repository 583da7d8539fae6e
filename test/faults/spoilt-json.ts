import fc from 'fast-check';

/** What stands where something else belongs. */
const piece = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e15, -1e300, 1e300, 4_000_000_000),
  fc.constantFrom<unknown>('', 'x'.repeat(5000), '\u202e\n', 'r_0000000000', [], {}, [[]]),
  fc.constant(Array.from({ length: 2000 }, () => ({ count: 1 }))),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A JSON value of which one to three parts are something else, or the whole of it is. */
export function spoilt(value: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), piece);
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) =>
      changes.reduce(
        (left, [at, put]) => replaced(left, Math.floor(at * sizeOf(left)), put),
        value,
      ),
    );
}

/** How many values a value is, with all within it. */
function sizeOf(value: unknown): number {
  let size = 0;
  JSON.stringify(value, (_, part) => {
    size += 1;
    return part;
  });
  return size;
}

/** The value with the part at a place, counted from its beginning, replaced. */
function replaced(value: unknown, at: number, put: unknown): unknown {
  let place = 0;
  return JSON.parse(JSON.stringify(value, (_, part) => (place++ === at ? put : part)));
}
