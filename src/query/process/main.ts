/**
 * The engine's process. It takes commands over the channel of its parent, holds no secret, and ends
 * with the server or when it takes too much memory.
 */
import { type EngineCommand, type EngineReply, outOfMemoryExit } from '../messages.ts';
import { Session } from './session.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;

const mostMemoryBytes = Number(process.argv[2]) * 1024 * 1024;

function send(reply: EngineReply): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(reply, () => resolve());
  });
}

const session = new Session(send);
process.on('message', (command: EngineCommand) => session.take(command));
process.on('disconnect', () => process.exit(0));

setInterval(() => {
  if (process.memoryUsage.rss() > mostMemoryBytes) process.exit(outOfMemoryExit);
}, memoryLookMs).unref();

void send({ kind: 'ready' });
