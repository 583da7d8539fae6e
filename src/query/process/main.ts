/**
 * The engine's process. It runs one statement after the other, each over tables of its own. It holds
 * no secret, and ends with the server, or when it takes too much memory.
 */
import { serveParent } from '../../core/child-process.ts';
import { outOfMemory } from '../errors.ts';
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

/** The open one, unless it has failed. */
async function openDatabase(): Promise<Database> {
  if (!database?.isOpen) database = await Database.open(memoryMb, threads);
  return database;
}

function holdsMore(mostMb: number): boolean {
  return process.memoryUsage.rss() > mostMb * megabyte;
}

const giveUp = serveParent<SentStatement, RowsPart, EngineReply>(
  async (statement, give) => {
    const reply = await runStatement(openDatabase, statement);
    if (reply.kind !== 'answer') return reply;
    const names = reply.columns.map(({ name }) => name);
    for (const rows of reply.rows) await give({ names, rows });
    return { ...reply, rows: [] };
  },
  () => holdsMore(restingMb),
);

setInterval(() => {
  if (!holdsMore(mostMemoryMb)) return;
  const { code, reason } = outOfMemory();
  giveUp({ kind: 'failed', code, reason });
}, memoryLookMs).unref();
