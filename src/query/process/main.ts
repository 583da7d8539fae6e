/**
 * The engine's process. It runs one statement after the other, each over tables of its own. It holds
 * no secret, and ends with the server or when it takes too much memory.
 */
import { type EngineReply, outOfMemoryExit, type SentStatement } from '../messages.ts';
import { Database } from './database.ts';
import { runStatement } from './run.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;
const megabyte = 2 ** 20;

const [memoryMb = 0, threads = 0, mostMemoryMb = 0] = process.argv.slice(2).map(Number);

let database: Database | undefined;

/** What is open is taken, unless it has failed or may not read the files of these tables. */
async function databaseFor({ tables }: SentStatement): Promise<Database> {
  const files = [...tables.values()].flatMap((kind) => (kind.kind === 'file' ? kind.path : []));
  if (!database?.canServe(files)) {
    database?.close();
    database = await Database.open(memoryMb, threads, files);
  }
  return database;
}

process.on('message', async (statement: SentStatement) => {
  const reply: EngineReply = await runStatement(() => databaseFor(statement), statement);
  // What an open engine holds of earlier statements would be taken for the next one's.
  if (process.memoryUsage.rss() > (mostMemoryMb - memoryMb) * megabyte) database?.close();
  process.send?.(reply);
});
process.on('disconnect', () => process.exit(0));

setInterval(() => {
  if (process.memoryUsage.rss() > mostMemoryMb * megabyte) process.exit(outOfMemoryExit);
}, memoryLookMs).unref();

process.send?.('ready');
