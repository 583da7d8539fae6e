/**
 * Messages over a pipe: eight bytes that say how long the head (JSON) and the body (text) are, then
 * both. The body stays as it is: rows cross without being read or written on the way.
 */

/** One message. */
export interface Frame {
  head: unknown;
  /** UTF-8. */
  body: Buffer;
}

/** Longest message that is believed: more means that the stream is broken. */
const maxFrameBytes = 256 * 1024 * 1024;

const prefixBytes = 8;

/** UTF-8 of one UTF-16 code unit. */
const mostBytesPerUnit = 3;

/** The bytes of one message. `head` is anything that JSON can hold. */
export function encodeFrame(head: object, body = ''): Buffer {
  const headText = JSON.stringify(head);
  // Room for the longest it can be: to measure a long text costs as much as to write it.
  const most = prefixBytes + mostBytesPerUnit * (headText.length + body.length);
  const bytes = Buffer.allocUnsafe(most);
  const headBytes = bytes.write(headText, prefixBytes);
  const bodyBytes = bytes.write(body, prefixBytes + headBytes);
  bytes.writeUInt32LE(headBytes, 0);
  bytes.writeUInt32LE(bodyBytes, 4);
  return bytes.subarray(0, prefixBytes + headBytes + bodyBytes);
}

/**
 * Takes the pipe's bytes as they come and hands on whole messages.
 * @throws {RangeError} when a message is longer than any can be, and whatever `onFrame` throws
 */
export function createFrameReader(onFrame: (frame: Frame) => void): (bytes: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let needed = prefixBytes;

  return (bytes) => {
    parts.push(bytes);
    held += bytes.length;
    while (held >= needed) {
      const all = parts.length === 1 ? bytes : Buffer.concat(parts);
      const whole = frameLength(all);
      if (whole > all.length) {
        parts = [all];
        needed = whole;
        return;
      }
      parts = [all.subarray(whole)];
      held = all.length - whole;
      needed = prefixBytes;
      onFrame(decode(all));
      bytes = parts[0] ?? Buffer.alloc(0);
    }
  };
}

function frameLength(bytes: Buffer): number {
  const length = prefixBytes + bytes.readUInt32LE(0) + bytes.readUInt32LE(4);
  if (length > maxFrameBytes) throw new RangeError(`A message of ${length} bytes.`);
  return length;
}

function decode(bytes: Buffer): Frame {
  const bodyAt = prefixBytes + bytes.readUInt32LE(0);
  const head: unknown = JSON.parse(bytes.toString('utf8', prefixBytes, bodyAt));
  return { head, body: bytes.subarray(bodyAt, bodyAt + bytes.readUInt32LE(4)) };
}
