/**
 * The engine's process. It runs one statement after the other, each over tables of its own. It holds
 * no secret, and ends with the server, or when it takes too much memory.
 */
import { serveParent } from '../../core/child-process.ts';
import { QueryError } from '../errors.ts';
import type { EngineReply, RowsPart, SentStatement } from '../messages.ts';
import { Database } from './database.ts';
import { runStatement } from './run.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;
const megabyte = 2 ** 20;

/**
 * What a process may hold when it has answered: beside it, the next statement has all of its own. It takes 90 MB
 * when it starts, and JavaScript's garbage is not collected when its memory is wanted by the engine.
 */
const restingMb = 256;

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

function holdsMore(mostMb: number): boolean {
  return process.memoryUsage.rss() > mostMb * megabyte;
}

const giveUp = serveParent<SentStatement, RowsPart, EngineReply>(
  async (statement, give) => {
    const reply = await runStatement(() => databaseFor(statement), statement);
    if (reply.kind !== 'answer') return reply;
    const names = reply.columns.map(({ name }) => name);
    for (const rows of reply.rows) await give({ names, rows });
    return { ...reply, rows: [] };
  },
  () => holdsMore(restingMb),
);

setInterval(() => {
  if (!holdsMore(mostMemoryMb)) return;
  const { code, message } = new QueryError('out_of_memory');
  giveUp({ kind: 'failed', code, message });
}, memoryLookMs).unref();
