import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { print } from '../../../src/cli/terminal/print.ts';

/** A stream that takes some pieces and then fails. */
function takes(count: number, failure: Error): { stream: Writable; taken: string[] } {
  const taken: string[] = [];
  const stream = new Writable({
    write(piece, _, done) {
      if (taken.length === count) return done(failure);
      taken.push(String(piece));
      done();
    },
  });
  return { stream, taken };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: failed`), { code });
}

describe('print', () => {
  test('writes piece by piece', async () => {
    const { stream, taken } = takes(9, failure('EIO'));
    await print(['a', 'b', 'c'], stream);
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  test('makes no more pieces than a reader takes, and ends quietly', async () => {
    const { stream, taken } = takes(2, failure('EPIPE'));
    let made = 0;
    function* pieces() {
      for (; ; made++) yield 'row';
    }
    await print(pieces(), stream);
    expect([taken.length, made]).toEqual([2, 2]);
  });

  test('says why an answer could not be written', async () => {
    const { stream } = takes(0, failure('ENOSPC'));
    await expect(print(['a'], stream)).rejects.toThrow(
      'The answer could not be written: ENOSPC: failed',
    );
  });
});
