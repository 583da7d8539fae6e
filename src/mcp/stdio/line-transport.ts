import { type JSONRPCMessage, specTypeSchemas, type Transport } from '@modelcontextprotocol/server';
import { parseJson } from '../../core/json.ts';
import { readMessage } from '../server/read-message.ts';

/** Far above the longest argument, whose own bound refuses with a sentence. */
const maxFrameBytes = 32 * 2 ** 20;

/**
 * Messages over stdin and stdout, one a line. The transport of the SDK knows no byte-order mark, and drops malformed
 * requests without an answer.
 */
export class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: Transport['onerror'];
  onclose?: Transport['onclose'];
  #isClosed = false;
  #unread: Buffer[] = [];
  #unreadBytes = 0;

  async start(): Promise<void> {
    process.stdin.on('data', (chunk) => this.#receive(chunk));
    process.stdin.once('close', () => this.close());
    process.stdin.once('end', () => this.close());
    for (const stream of [process.stdin, process.stdout])
      stream.on('error', (error) => this.#fail(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) process.stdout.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // An open stdin would keep the process alive.
    process.stdin.destroy();
    this.onclose?.();
  }

  #fail(error: Error): void {
    if (!this.#isClosed) this.onerror?.(error);
    void this.close();
  }

  #receive(chunk: Buffer): void {
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
    if (this.#unreadBytes > maxFrameBytes)
      this.#fail(new Error(`a frame is longer than ${maxFrameBytes} bytes`));
  }

  #read(line: string): void {
    const value = parseJson(line.replace(/^\uFEFF/, ''));
    if (value === undefined || this.#isClosed) return;
    const { message, refusal } = readMessage(value);
    if (refusal) {
      this.onerror?.(new Error(refusal.error.message));
      process.stdout.write(`${JSON.stringify(refusal)}\n`);
      return;
    }
    const read = specTypeSchemas.JSONRPCMessage['~standard'].validate(message);
    if (read.issues) this.onerror?.(new Error('not a message of JSON-RPC'));
    else this.onmessage?.(read.value);
  }
}
