import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { createServer } from '../server/server.ts';
import { auditCalls } from '../telemetry/call-tracking.ts';
import { keepStdoutClean } from './stdout-guard.ts';
import { BackpressureTransport, createLineLimit } from './wire.ts';

/** A running stdio server. */
export interface StdioServing {
  /** Resolves when the client has closed our standard input, or the server was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Most calls under way at once, their answers included until they have left. */
const maxUnderWay = 64;

/** JSON-RPC 2.0: what cannot be read has no id to answer to. */
const tooLong = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: -32_700,
    message: 'A message may have 10,000,000 bytes at most; this one was left out',
  },
};

/**
 * Serves one client over standard input and output, whichever revision of the protocol it speaks.
 * Whatever else is printed goes to stderr: stdout carries protocol frames only.
 */
export function serveOverStdio(app: App): StdioServing {
  keepStdoutClean();
  auditCalls(app.activity, app.log, 'debug');
  app.services.client.prepare();
  let resolve: () => void = () => {};
  const ended = new Promise<void>((settle) => {
    resolve = settle;
  });
  const lines = createLineLimit(() => {
    app.log.warn({}, 'a line was longer than a message may be');
    process.stdout.write(`${JSON.stringify(tooLong)}\n`);
  });
  const wire = new StdioServerTransport(process.stdin.pipe(lines));
  const handle = serveStdio(() => createServer(app), {
    transport: new BackpressureTransport(wire, maxUnderWay),
    onerror: ({ code, message }: NodeJS.ErrnoException) => {
      // The reader of an answer has gone, or a frame was none.
      const level = code === 'EPIPE' ? 'debug' : 'warn';
      app.log[level]({ reason: quote(message, 200) }, 'a protocol frame was not served');
    },
  });
  process.stdin.once('end', resolve);
  process.stdin.once('close', resolve);
  // A client that has gone away mid-write is an end like any other.
  process.stdout.on('error', () => resolve());
  return {
    ended,
    async close() {
      await handle.close();
      // The transport lets go of what it reads, which is not the pipe itself any more.
      process.stdin.unpipe(lines);
      process.stdin.pause();
      resolve();
    },
  };
}
