import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { createServer } from '../server/server.ts';
import { LineTransport } from './line-transport.ts';

/** Serves the application to one client over stdio. */
export function serveOverStdio(app: App) {
  app.begin('debug');
  const open = () => {
    const server = createServer(app);
    // Fails for a server without a connection, which the SDK opens to answer a first question.
    app.activity.on('prompts', () => void server.sendPromptListChanged().catch(() => {}));
    app.activity.on('prompts', () => void server.sendResourceListChanged().catch(() => {}));
    return server;
  };
  return serveFrames(open, (reason, level = 'warn') =>
    app.log[level]({ reason: quote(reason, 200) }, 'a protocol frame was not served'),
  );
}

/**
 * Serves one client over stdio in any revision of the protocol. All other output goes to stderr.
 * @param open makes a server; some are opened for a first question only
 * @param logDropped takes the reason why a frame was not served
 * @returns `ended` resolves when the client has closed its end, or `close` was called
 */
export function serveFrames(
  open: () => Server,
  logDropped: (reason: string, level?: 'debug' | 'warn') => void,
) {
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve));
  const { close } = serveStdio(open, {
    transport: new LineTransport(),
    // The client has gone, or a frame was malformed.
    onerror: ({ code, message }: NodeJS.ErrnoException) =>
      logDropped(message, code === 'EPIPE' ? 'debug' : 'warn'),
  });
  return { ended, close };
}
