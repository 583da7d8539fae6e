/** An answer as a workbook for Excel and LibreOffice: a sheet of its rows, and one that says what they are. */
import { setImmediate } from 'node:timers/promises';
import { WorkbookWriter } from '@cj-tech-master/excelts';
import { readColumns } from '../analysis/rows/rows.ts';
import { countNoun } from '../core/text.ts';
import { type AboutLine, aboutLines, type FlatAnswer } from './flat-answer.ts';
import { isCut, mostCharacters, type SheetColumn, sheetColumn } from './sheet-column.ts';
import { writeWhole } from './write-whole.ts';

/** Rows that a sheet holds, the header included; letters of its name. */
const [mostRows, longestName] = [1_048_576, 31];
/** Rows that are written before the packer and the disk have their turn. */
const rowsAtOnce = 500;

/**
 * Writes the rows of an answer into a workbook, and what was asked, of where and when, what is missing and the
 * warnings into its last sheet. Rows are packed as they are written: no second copy of them is in memory.
 *
 * @param from where the figures are from
 * @returns what a reader of the rows has to know beside them
 * @throws {Error} for more rows than a sheet holds, and for a file that cannot be written
 */
export async function writeWorkbook(
  path: string,
  flat: FlatAnswer,
  from: string,
): Promise<string[]> {
  const { rows, toolCall } = flat;
  const most = mostRows - 1;
  if (rows.length > most)
    throw new Error(
      `${path} was not written: a sheet holds ${most.toLocaleString('en-US')} rows, and these are ${rows.length.toLocaleString('en-US')}. --csv writes them all.`,
    );
  const read =
    rows.length > 0 ? [...readColumns(rows)] : flat.columns.map((it) => [it, []] as const);
  const measures = read.find(([name]) => name === 'measure')?.[1];
  const columns = read.map(([name, cells]) => sheetColumn(name, cells, measures));
  const cut = read.reduce((sum, [, cells]) => sum + cells.filter(isCut).length, 0);
  const limit = mostCharacters.toLocaleString('en-US');
  const notes = cut > 0 ? [`${countNoun(cut, 'text')} cut after ${limit} characters`] : [];
  const about = [...aboutLines(flat, from), ...notes.map((it) => ['Not whole', it] as const)];
  await writeWhole(path, async (draft) => {
    const book = new WorkbookWriter({ filename: draft, useStyles: true });
    await writeSheet(book, toolCall.tool.slice(0, longestName), columns, rows.length);
    await writeSheet(book, 'About', aboutColumns(about), about.length);
    await book.commit();
  });
  return notes;
}

async function writeSheet(
  book: WorkbookWriter,
  name: string,
  columns: readonly SheetColumn[],
  rows: number,
): Promise<void> {
  const sheet = book.addWorksheet(name, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  sheet.columns = columns.map(({ header, width, format }) => {
    return { header, width, style: { numFmt: format } };
  });
  if (columns.length > 0)
    sheet.autoFilter = {
      from: { row: 1, column: 1 },
      to: { row: rows + 1, column: columns.length },
    };
  const head = sheet.getRow(1);
  head.font = { name: 'Calibri', size: 11, bold: true };
  head.commit();
  for (let at = 0; at < rows; at += 1) {
    const row = sheet.addRow(columns.map(({ valueAt }) => valueAt(at)));
    for (const [index, { formatAt }] of columns.entries()) {
      const format = formatAt?.(at);
      if (format) row.getCell(index + 1).numFmt = format;
    }
    row.commit();
    if (at % rowsAtOnce === 0) await setImmediate();
  }
  sheet.commit();
}

/** Each value is shown as a column of its own kind would be. */
function aboutColumns(lines: readonly AboutLine[]): SheetColumn[] {
  const values = lines.map(([, value]) =>
    sheetColumn('Value', [typeof value === 'boolean' ? String(value) : value]),
  );
  const names = lines.map(([what]) => what);
  const value: SheetColumn = {
    ...{ header: 'Value', width: 90, format: '@' },
    valueAt: (row) => values[row]?.valueAt(0) ?? null,
    formatAt: (row) => values[row]?.format,
  };
  return [{ ...sheetColumn('What', names), width: 28 }, value];
}
