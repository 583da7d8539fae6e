/** Runs a SELECT and hands out its rows, no more of them than were asked for. */
import type { AnswerLimits, SqlColumn } from '../protocol/messages.ts';
import { freeName } from '../rows/column-type.ts';
import type { Database, EngineColumn, ResultChunk } from './duckdb.ts';
import { readableValue } from './values.ts';

/** Where an answer goes. */
export interface AnswerSink {
  columns(columns: SqlColumn[]): void;
  /** A JSON array of rows, each an array of values. */
  rows(text: string): Promise<void>;
}

/** A row, or a value, that no answer can hold. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';
}

/** A batch is sent when it has so much text. */
const batchSize = 128 * 1024;

/**
 * Runs `sql` and sends its rows. Gives whether there are more rows than were sent.
 * @throws {OversizeError} when a single row is over the bound
 */
export async function select(
  database: Database,
  sql: string,
  { maxRows, maxBytes }: AnswerLimits,
  sink: AnswerSink,
): Promise<boolean> {
  const answer = await database.run(sql);
  sink.columns(namedOnce(answer.columns));
  let rows = 0;
  let bytes = 0;
  let batch: string[] = [];
  let batched = 0;
  const flush = async () => {
    if (batch.length > 0) await sink.rows(`[${batch.join(',')}]`);
    batch = [];
    batched = 0;
  };
  for (let chunk = await answer.next(); chunk !== undefined; chunk = await answer.next()) {
    for (let row = 0; row < chunk.rows; row++) {
      if (rows === maxRows) {
        await flush();
        return true;
      }
      const text = rowText(chunk, row, answer.columns, maxBytes);
      if (text.length > maxBytes) throw new OversizeError(`A row of ${text.length} characters.`);
      if (bytes + text.length > maxBytes) {
        await flush();
        return true;
      }
      rows++;
      bytes += text.length;
      batched += text.length;
      batch.push(text);
      if (batched >= batchSize) await flush();
    }
  }
  await flush();
  return false;
}

function rowText(
  chunk: ResultChunk,
  row: number,
  columns: readonly EngineColumn[],
  maxBytes: number,
): string {
  const cells: string[] = [];
  let size = 0;
  for (const [index, { type }] of columns.entries()) {
    const cell = JSON.stringify(readableValue(chunk.value(row, index), type));
    size += cell.length;
    if (size > maxBytes) throw new OversizeError(`A row of more than ${size} characters.`);
    cells.push(cell);
  }
  return `[${cells.join(',')}]`;
}

/** Two columns of one name would be one in an object. */
function namedOnce(columns: readonly EngineColumn[]): SqlColumn[] {
  const taken = new Set<string>();
  return columns.map(({ name, type }) => ({ name: freeName(name, taken), type: type.text }));
}
