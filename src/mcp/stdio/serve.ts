import { pipeline } from 'node:stream';
import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { createServer } from '../server/server.ts';
import { FrameReader } from './read-frames.ts';

/** Most calls under way at once, their answers included until they have left. */
const maxUnderWay = 64;

/**
 * Serves one client over stdio, whichever revision of the protocol it speaks; whatever else is printed goes to stderr.
 * @returns `ended` resolves when the client has closed its end, or the server was closed by `close`
 */
export function serveOverStdio(app: App) {
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
  app.begin('debug');
  const dropped = (reason: string, level: 'debug' | 'warn' = 'warn') =>
    app.log[level]({ reason: quote(reason, 200) }, 'a protocol frame was not served');
  const frames = new FrameReader((refusal) => {
    dropped(refusal.error.message);
    process.stdout.write(`${JSON.stringify(refusal)}\n`);
  });
  // Whichever end closes, so does the other: what is left open would keep the process.
  pipeline(process.stdin, frames, () => {});
  const wire = new StdioServerTransport(frames, process.stdout, { maxBufferSize: Infinity });
  const transport = new BackpressureTransport(wire, maxUnderWay);
  void transport.closed.then(() => frames.destroy());
  const open = () => {
    const server = createServer(app);
    // Fails for one that is not connected: it was opened for a first question.
    app.activity.on('prompts', () => void server.sendPromptListChanged().catch(() => {}));
    app.activity.on('prompts', () => void server.sendResourceListChanged().catch(() => {}));
    return server;
  };
  const { close } = serveStdio(open, {
    transport,
    // The reader of an answer has gone, or a frame was none.
    onerror: ({ code, message }: NodeJS.ErrnoException) =>
      dropped(message, code === 'EPIPE' ? 'debug' : 'warn'),
  });
  return { ended: transport.closed, close };
}

/** Requests whose answers may be large. Others, such as a ping, never wait for them. */
const paced = new Set(['tools/call', 'resources/read']);

/**
 * The same wire for a client that asks faster than it reads. At most `maxUnderWay` calls are under way at once, and a
 * call is over when its answer has left. Others wait; everything else passes, so that a client can still cancel.
 * Messages leave one after the other, in the order they were sent.
 */
export class BackpressureTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #wire: Transport;
  readonly #maxUnderWay: number;
  readonly #underWay = new Set<string | number>();
  readonly #waiting = new Map<string | number, () => void>();
  #left: Promise<void> = Promise.resolve();
  #onClosed = () => {};
  /** Resolves when the client has gone, or the wire was closed. */
  readonly closed = new Promise<void>((resolve) => {
    this.#onClosed = resolve;
  });

  constructor(wire: Transport, maxUnderWay: number) {
    this.#wire = wire;
    this.#maxUnderWay = maxUnderWay;
  }

  start(): Promise<void> {
    this.#wire.onclose = () => {
      this.onclose?.();
      this.#onClosed();
    };
    this.#wire.onerror = (error) => this.onerror?.(error);
    this.#wire.onmessage = (message, extra) =>
      this.#arrive(message, () => this.onmessage?.(message, extra));
    return this.#wire.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const sent = this.#left.then(() => this.#wire.send(message));
    this.#left = sent.catch(() => {});
    try {
      await sent;
    } finally {
      if (!('method' in message) && message.id !== undefined) this.#leave(message.id);
    }
  }

  close(): Promise<void> {
    this.#waiting.clear();
    return this.#wire.close();
  }

  #arrive(message: JSONRPCMessage, deliver: () => void): void {
    if (this.#isPaced(message)) {
      this.#waiting.set(message.id, deliver);
      this.#admit();
      return;
    }
    const cancelled = cancelledBy(message);
    // A call that still waits is dropped: a cancelled call gets no answer.
    if (cancelled !== undefined && this.#waiting.delete(cancelled)) return;
    deliver();
    if (cancelled !== undefined) this.#leave(cancelled);
  }

  /** An id that is in use already is the client's mistake, which is for the protocol to answer. */
  #isPaced(message: JSONRPCMessage): message is JSONRPCRequest {
    if (!('id' in message && 'method' in message) || !paced.has(message.method)) return false;
    return !this.#waiting.has(message.id) && !this.#underWay.has(message.id);
  }

  #admit(): void {
    for (const [id, deliver] of this.#waiting) {
      if (this.#underWay.size >= this.#maxUnderWay) return;
      this.#waiting.delete(id);
      this.#underWay.add(id);
      deliver();
    }
  }

  #leave(id: string | number): void {
    if (this.#underWay.delete(id)) this.#admit();
  }
}

function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
