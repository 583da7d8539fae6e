/**
 * The engine's process. It runs one statement after the other, each on a database of its own. It holds
 * no secret, and ends with the server or when it takes too much memory.
 */
import { type EngineReply, outOfMemoryExit, type SentStatement } from '../messages.ts';
import { runStatement } from './run.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;

const mostMemoryBytes = Number(process.argv[2]) * 1024 * 1024;

process.on('message', async (statement: SentStatement) => {
  const reply: EngineReply = await runStatement(statement);
  process.send?.(reply);
});
process.on('disconnect', () => process.exit(0));

setInterval(() => {
  if (process.memoryUsage.rss() > mostMemoryBytes) process.exit(outOfMemoryExit);
}, memoryLookMs).unref();

process.send?.('ready');
