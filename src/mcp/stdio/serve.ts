import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { createServer } from '../server/server.ts';
import { auditCalls } from '../telemetry/call-tracking.ts';
import { BackpressureTransport } from './backpressure.ts';

/** Most calls under way at once, their answers included until they have left. */
const maxUnderWay = 64;

/** Longest message, in bytes: far more than any argument may have, which is refused in words. */
const maxBufferSize = 32 * 2 ** 20;

/**
 * Serves one client over standard input and output, whichever revision of the protocol it speaks.
 * Whatever else is printed goes to stderr: stdout carries protocol frames only.
 * @returns `ended` resolves when the client has closed its end, or the server was closed by `close`
 */
export function serveOverStdio(app: App) {
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
  auditCalls(app.activity, app.log, 'debug');
  app.services.client.prepare();
  app.readAhead();
  const wire = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize });
  const transport = new BackpressureTransport(wire, maxUnderWay);
  const { close } = serveStdio(() => createServer(app), {
    transport,
    onerror: ({ code, message }: NodeJS.ErrnoException) => {
      // The reader of an answer has gone, or a frame was none.
      const level = code === 'EPIPE' ? 'debug' : 'warn';
      app.log[level]({ reason: quote(message, 200) }, 'a protocol frame was not served');
    },
  });
  return { ended: transport.closed, close };
}
