/** Carries out the server's commands, one after the other, on one database. */
import { isRecord } from '../../core/json.ts';
import type { EngineCommand, EngineReply } from '../protocol/messages.ts';
import { parseLossless } from '../statement/tree/lossless-json.ts';
import { isSameStatement } from '../statement/tree/round-trip.ts';
import { refuseUnloaded } from '../statement/vet.ts';
import { type Database, openDatabase } from './duckdb.ts';
import { failureOf, UnfaithfulError } from './failure.ts';
import { createIngest, type Ingest } from './ingest.ts';
import { select } from './select.ts';
import { quoteName } from './sql.ts';

/** Sends a message to the server; resolves when the pipe takes more. */
export type Send = (reply: EngineReply, body?: string) => Promise<void>;

/** A session: commands in, replies out by `send`. */
export function createSession(send: Send): (command: EngineCommand, body: Buffer) => void {
  let database: Database | undefined;
  let ingest: Ingest | undefined;
  /** Rows are not answered one by one: what went wrong with them is said at their end. */
  let ingestError: unknown;
  let isInterrupted = false;
  let interruptions: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  async function carryOut(command: EngineCommand, body: Buffer): Promise<void> {
    if (command.op === 'open') {
      database?.close();
      const { memoryMb, threads } = command;
      database = await openDatabase({ memoryMb, threads });
      return send({ kind: 'done' });
    }
    if (database === undefined) throw new Error('No database is open.');
    switch (command.op) {
      case 'parse':
        return send({ kind: 'tree' }, await parse(database, body.toString()));
      case 'table':
        ingestError = undefined;
        ingest = createIngest(database, command);
        return;
      case 'rows':
        return ingestError === undefined ? ingest?.rows(body) : undefined;
      case 'end': {
        if (ingestError !== undefined) throw ingestError;
        const columns = (await ingest?.end(command.values)) ?? [];
        await send({ kind: 'columns', columns: [...columns] });
        return send({ kind: 'done' });
      }
      case 'drop':
        await database.run(`DROP TABLE IF EXISTS loaded.${quoteName(command.name)}`);
        return send({ kind: 'done' });
      case 'select': {
        const sql = await toSql(database, body.toString());
        if (isInterrupted) throw new Error('Interrupted.');
        const more = await select(database, sql, command, {
          columns: (columns) => void send({ kind: 'columns', columns }),
          async rows(text) {
            if (isInterrupted) throw new Error('Interrupted.');
            await send({ kind: 'rows' }, text);
          },
        });
        return send({ kind: 'done', more });
      }
    }
  }

  return (command, body) => {
    if (command.op === 'interrupt') {
      isInterrupted = true;
      interruptions ??= setInterval(() => database?.interrupt(), interruptEveryMs);
      return;
    }
    // An interrupt that came too late must not end the next statement.
    isInterrupted = false;
    clearInterval(interruptions);
    interruptions = undefined;
    last = last
      .then(() => carryOut(command, body))
      .catch((error: unknown) => {
        if (command.op === 'table' || command.op === 'rows') ingestError ??= error;
        else return send({ kind: 'failed', failure: failureOf(error) });
      })
      .finally(() => {
        clearInterval(interruptions);
        interruptions = undefined;
      });
  };
}

/** An interrupt between two steps of a statement has no effect: it is repeated until one has. */
const interruptEveryMs = 10;

/** The tree of a SELECT as JSON text, or the failure in place of it. */
async function parse(database: Database, sql: string): Promise<string> {
  const [tree = ''] = await database.texts(
    'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true)',
    sql,
  );
  return tree;
}

/**
 * The statement of a tree. What the engine wrote is read once more before it runs: it has to be the
 * statement that was looked through, with nothing but loaded tables in it.
 */
async function toSql(database: Database, text: string): Promise<string> {
  const [sql = ''] = await database.texts('SELECT json_deserialize_sql($1::JSON)', text);
  const [tree, again] = [parseLossless(text), parseLossless(await parse(database, sql))];
  if (!isRecord(tree) || !isRecord(again) || !isSameStatement(tree, again)) {
    throw new UnfaithfulError('The statement did not come back as it was.');
  }
  refuseUnloaded(again);
  return sql;
}
