import { Transform, type TransformCallback } from 'node:stream';
import { parseJson } from '../../core/json.ts';
import { readMessage } from '../server/read-message.ts';

/** Longest frame, in bytes: far above any argument, which is refused in words. */
const maxFrameBytes = 32 * 2 ** 20;

/** Receives the answer to a frame that cannot be served. */
type Refuse = (refusal: NonNullable<ReturnType<typeof readMessage>['refusal']>) => void;

/**
 * Frames for the SDK, one a line: it knows no byte-order mark, and drops malformed requests without an answer. Fails
 * for a frame that is too long.
 */
export class FrameReader extends Transform {
  readonly #refuse: Refuse;
  #unread: Buffer[] = [];
  #unreadBytes = 0;

  constructor(refuse: Refuse) {
    super();
    this.#refuse = refuse;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const end = chunk.lastIndexOf('\n') + 1;
    this.#unread.push(chunk.subarray(0, end || chunk.length));
    this.#unreadBytes += chunk.length;
    if (end > 0) {
      const lines = Buffer.concat(this.#unread).toString();
      const remainder = chunk.subarray(end);
      this.#unread = [remainder];
      this.#unreadBytes = remainder.length;
      for (const line of lines.split('\n')) this.#read(line);
    }
    const isTooLong = this.#unreadBytes > maxFrameBytes;
    done(isTooLong ? new Error(`a frame is longer than ${maxFrameBytes} bytes`) : null);
  }

  #read(line: string): void {
    const value = parseJson(line.replace(/^\uFEFF/, ''));
    if (value === undefined) return;
    const { message, refusal } = readMessage(value);
    if (refusal) this.#refuse(refusal);
    else this.push(`${JSON.stringify(message)}\n`);
  }
}
