import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameReader, encodeFrame } from '../../../src/query/protocol/frames.ts';
import { readCommand, readReply } from '../../../src/query/protocol/messages.ts';

describe('frames', () => {
  test('come out whole, however the pipe cuts them', () => {
    const frame = fc.record({
      op: fc.string(),
      body: fc.string({ unit: 'grapheme' }),
    });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        (sent, cut) => {
          const got: object[] = [];
          const read = createFrameReader(({ head, body }) =>
            got.push({ head, body: String(body) }),
          );
          const bytes = Buffer.concat(sent.map(({ op, body }) => encodeFrame({ op }, body)));
          for (let at = 0; at < bytes.length; at += cut) read(bytes.subarray(at, at + cut));
          const said = sent.map(({ op, body }) => ({ head: { op }, body }));
          expect(got).toEqual(said);
        },
      ),
    );
  });

  test('that claim to be longer than any are refused', () => {
    const read = createFrameReader(() => {});
    expect(() => read(Buffer.from('ffffffffffffffff', 'hex'))).toThrow(RangeError);
  });
});

describe('a message', () => {
  test.each([
    null,
    'rows',
    {},
    { kind: 'unheard' },
    { kind: 'columns', columns: [{ name: 1, type: 'x' }] },
    { kind: 'columns', columns: 'x' },
    { kind: 'failed', failure: { type: 'Binder' } },
    { kind: 'failed', failure: { type: 'Binder', message: 'x', position: 'y' } },
  ])('that is no reply is refused: %j', (head) => {
    expect(() => readReply(head)).toThrow(TypeError);
  });

  test.each([
    null,
    { op: 'unheard' },
    { op: 'open', memoryMb: '512', threads: 1 },
    { op: 'select', maxRows: -1, maxBytes: 1 },
    { op: 'table', name: 'x', columns: [], hints: { a: 1 } },
    { op: 'table', name: 'x', columns: [{ name: 'a', type: ['DATE', 'DATE'] }], hints: {} },
  ])('that is no command is refused: %j', (head) => {
    expect(() => readCommand(head)).toThrow(TypeError);
  });
});
