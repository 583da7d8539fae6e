import { Transform } from 'node:stream';

/** Longest message, in bytes: as long as the protocol's own reader takes. */
const maxLineBytes = 10_000_000;

const newline = 0x0a;

/**
 * Lets lines through whole, and takes out those that are too long: one of them is an error to be
 * answered, and no reason to end.
 *
 * @param onTooLong is called once for each line that is taken out
 */
export function createLineLimit(onTooLong: () => void, maxBytes = maxLineBytes): Transform {
  let begun: Buffer[] = [];
  let length = 0;

  /** What has come of a line; kept while it may still become a message. */
  function take(part: Buffer): void {
    length += part.length;
    if (length <= maxBytes) begun.push(part);
    else begun = [];
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
        take(chunk.subarray(from, end + 1));
        if (length <= maxBytes) this.push(Buffer.concat(begun));
        else onTooLong();
        begun = [];
        length = 0;
        from = end + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
      done();
    },
  });
}
