/** The thread that writes a workbook: it receives the columns one by one, then an empty message. */
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { WorkbookWriter } from '@cj-tech-master/excelts';
import { type SheetColumn, sheetColumn } from './sheet-column.ts';
import type { WorkbookTask } from './workbook.ts';

/** Rows written between two pauses, in which the packer and the disk work. */
const rowsAtOnce = 500;

const task: WorkbookTask = workerData;
const columns = new Map<string, readonly unknown[]>();

parentPort?.on('message', (column: [name: string, cells: readonly unknown[]] | undefined) => {
  if (column) columns.set(...column);
  else void write(task);
});

async function write({ title, about }: WorkbookTask): Promise<void> {
  const stream = new Writable({
    write(chunk: Uint8Array, _, done) {
      const piece = new Uint8Array(chunk);
      parentPort?.postMessage(piece, [piece.buffer]);
      done();
    },
  });
  const book = new WorkbookWriter({ stream, useStyles: true });
  const measures = columns.get('measure') ?? columns.get('part');
  const sheetColumns = [...columns].map(([name, cells]) => sheetColumn(name, cells, measures));
  const [first = []] = columns.values();
  await writeSheet(book, title, sheetColumns, first.length);
  const subjects = about.map(([subject]) => subject);
  const texts = about.map(([, text]) => text);
  const aboutCells = [['About', subjects] as const, ['Value', texts] as const];
  const aboutColumns = aboutCells.map(([name, cells]) => ({
    ...sheetColumn(name, cells, []),
    format: '@',
  }));
  await writeSheet(book, 'About', aboutColumns, about.length);
  await book.commit();
  parentPort?.close();
}

async function writeSheet(
  book: WorkbookWriter,
  name: string,
  columns: readonly SheetColumn[],
  rowCount: number,
): Promise<void> {
  const sheet = book.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] });
  sheet.columns = columns.map(({ width, format }) => ({ width, style: { numFmt: format } }));
  const header = sheet.addRow(columns.map((column) => column.header));
  header.font = { bold: true };
  header.commit();
  for (let at = 0; at < rowCount; at += 1) {
    const row = sheet.addRow(columns.map((column) => column.valueAt(at)));
    for (const [index, column] of columns.entries()) {
      const format = column.formatAt(at);
      if (format !== undefined) row.getCell(index + 1).numFmt = format;
    }
    row.commit();
    if (at % rowsAtOnce === 0) await setImmediate();
  }
  sheet.commit();
}
