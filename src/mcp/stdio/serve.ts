import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { createServer } from '../server/server.ts';
import { auditCalls } from '../telemetry/audit.ts';
import { BackpressureTransport } from './backpressure.ts';
import { keepStdoutClean } from './stdout-guard.ts';

/** A running stdio server. */
export interface StdioServing {
  /** Resolves when the client has closed our standard input, or the server was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Most calls under way at once, their answers included until they have left. */
const maxUnderWay = 64;

/**
 * Serves one client over standard input and output, whichever revision of the protocol it speaks.
 * Whatever else is printed goes to stderr: stdout carries protocol frames only.
 */
export function serveOverStdio(app: App): StdioServing {
  keepStdoutClean();
  auditCalls(app.activity, app.log, 'debug');
  let resolve: () => void = () => {};
  const ended = new Promise<void>((settle) => {
    resolve = settle;
  });
  const handle = serveStdio(() => createServer(app), {
    transport: new BackpressureTransport(new StdioServerTransport(), maxUnderWay),
    onerror: (error) =>
      app.log.warn({ reason: quote(error.message, 200) }, 'a protocol frame was not served'),
  });
  process.stdin.once('end', resolve);
  process.stdin.once('close', resolve);
  // A client that has gone away mid-write is an end like any other.
  process.stdout.once('error', () => resolve());
  return {
    ended,
    async close() {
      await handle.close();
      resolve();
    },
  };
}
