/** Rows as a workbook for Excel and LibreOffice, made in a thread of its own. */
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CommerceError } from '../../core/errors.ts';
import { builtFile } from '../../core/files.ts';
import { messagesOf } from '../../core/message.ts';
import { sayCount } from '../../core/text.ts';
import type { AboutLine, RowsFile } from './rows-file.ts';

export const workbookMessages = messagesOf({
  too_many_for_sheet: ({ rows, max }: { rows: number; max: number }) =>
    `A sheet holds ${sayCount(max)} rows, and these are ${sayCount(rows)}. CSV holds them all.`,
});

export interface WorkbookTask {
  title: string;
  about: readonly AboutLine[];
}

/** Most rows that a sheet holds below its header. */
const maxRows = 1_048_575;

/**
 * The bytes of a workbook of two sheets: the rows and the facts about them. A thread makes it, so that the event loop
 * stays free; the columns go there one by one.
 * @param title the name of the sheet of rows
 * @throws {CommerceError} for more rows than a sheet holds
 */
export async function workbookBytes(
  title: string,
  { columns, rows, about }: RowsFile,
): Promise<Buffer> {
  if (rows > maxRows)
    throw new CommerceError(
      'too_large',
      workbookMessages.too_many_for_sheet({ rows, max: maxRows }),
    );
  const workerData: WorkbookTask = { title, about };
  const worker = new Worker(builtFile('workbook-thread.js') ?? '', { workerData });
  const pieces: Uint8Array[] = [];
  worker.on('message', (piece) => pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  ended.catch(() => {});
  for (const column of columns) {
    worker.postMessage(column);
    await setImmediate();
  }
  worker.postMessage(undefined);
  await ended;
  return Buffer.concat(pieces);
}
