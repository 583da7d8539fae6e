import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineLimit } from '../../../src/mcp/stdio/wire.ts';

async function pass(chunks: readonly string[], maxBytes: number) {
  let left = 0;
  const limit = createLineLimit(() => {
    left += 1;
  }, maxBytes);
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  return { passed: await text(source.pipe(limit)), left };
}

describe('a line limit', () => {
  test('takes out a line that is too long and goes on with the next', async () => {
    const chunks = ['{"a":1}\n{"b":', '"'.repeat(40), '"'.repeat(40), '}\n{"c":3}\n'];
    expect(await pass(chunks, 20)).toEqual({ passed: '{"a":1}\n{"c":3}\n', left: 1 });
  });

  test('lets every other line through as it came, however it was cut', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', ' '), maxLength: 12 });
    const cuts = fc.array(fc.nat(40), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), cuts, async (lines, at) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const ends = [...at.sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const source = Readable.from(chunks.filter((chunk) => chunk.length > 0));
        const short = lines.filter((each) => Buffer.byteLength(each) < 10);
        const limit = createLineLimit(() => {}, 10);
        expect(await text(source.pipe(limit))).toBe(short.map((each) => `${each}\n`).join(''));
      }),
    );
  });
});
