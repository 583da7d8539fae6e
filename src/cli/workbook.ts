/** Answers as a workbook for Excel and LibreOffice: their sheets, and a last one that says what they are. */
import { setImmediate } from 'node:timers/promises';
import { type Style, WorkbookWriter } from '@cj-tech-master/excelts';
import { cellText } from '../core/column-type.ts';
import { CommandError } from './command-line.ts';
import { type AboutLine, aboutLines, type FlatAnswer } from './flat-answer.ts';
import {
  isCut,
  mixedColumn,
  mostCharacters,
  type SheetColumn,
  sheetColumn,
} from './sheet-column.ts';
import { planSheets, type Section, type SheetPlan } from './sheets.ts';
import { person } from './terminal/catalogue/catalogue.ts';
import { writeWhole } from './write-whole.ts';

/** Rows that a sheet holds below its header. */
const mostRows = 1_048_575;
/** Characters of a sheet's name. */
const longestName = 31;
/** Rows that are written before the packer and the disk have their turn. */
const rowsAtOnce = 500;

/** An answer with the title of its sheet. @default the name of the tool */
export type Sheet = FlatAnswer & { title?: string };

/**
 * Writes all of some answers into a workbook, and what was asked, of where and when, what the figures say, what is
 * missing and the warnings into its last sheet. Rows are packed as they are written: no second copy of them is in memory.
 *
 * @param others what its last sheet says beside
 * @returns what a reader of the rows has to know beside them
 * @throws {Error} for more rows than a sheet holds, and for a file that cannot be written
 */
export async function writeWorkbook(
  path: string,
  flats: readonly Sheet[],
  others: readonly AboutLine[] = [],
): Promise<string[]> {
  const answers = flats.map((flat, at) => {
    const nth = flat.title === undefined ? '' : `${at + 1} `;
    const title = flat.title ?? flat.toolCall.tool;
    const { sheets, names, cells } = planSheets(flat, title, nth);
    const texts = cells.reduce((sum, column) => sum + column.filter(isCut).length, 0);
    const cut = person.say({ code: 'texts_cut', texts, most: mostCharacters });
    const notes = texts > 0 ? [cut] : [];
    const about: AboutLine[] = [
      ...(flats.length > 1 ? [['Sheet', sheetName(nth + title)] as const] : []),
      ...aboutLines(flat),
      ...notes.map((it) => ['Not whole', it] as const),
      ...[...names].map(([words, name]) => [`Called "${words}"`, name] as const),
    ];
    return { sheets, notes, about };
  });
  const sheets = answers.flatMap((it) => it.sheets);
  const { rows = 0 } = sheets.flatMap((it) => it.sections).find((it) => it.rows > mostRows) ?? {};
  if (rows > 0) throw new CommandError({ code: 'too_many_for_sheet', path, rows, most: mostRows });
  const lines = [...answers.flatMap(({ about }) => about), ...others];
  await writeWhole(path, async (draft) => {
    const book = new WorkbookWriter({ filename: draft, useStyles: true });
    const usedNames: string[] = [];
    for (const { name, sections } of [...sheets, aboutSheet(lines)]) {
      usedNames.push(sheetName(name, usedNames));
      await writeSheet(book, { name: usedNames.at(-1) ?? name, sections });
    }
    await book.commit();
  });
  return answers.flatMap(({ notes }) => notes);
}

/** A name that a sheet can have; two are not alike, be it in their capitals. */
function sheetName(text: string, usedNames: readonly string[] = []): string {
  const name = text.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, longestName);
  const isTaken = usedNames.some((it) => it.toLowerCase() === name.toLowerCase());
  return isTaken ? sheetName(`${usedNames.length + 1} ${text}`, usedNames) : name;
}

const bold = { name: 'Calibri', size: 11, bold: true };
/** Of a line of a header, in points. */
const lineHeight = 15;

async function writeSheet(book: WorkbookWriter, { name, sections }: SheetPlan): Promise<void> {
  const table = sections.length === 1 ? sections[0] : undefined;
  const sheet = book.addWorksheet(name, {
    views: table ? [{ state: 'frozen', ySplit: 1 }] : [],
    pageSetup: { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  });
  const widths = (sections[0]?.columns ?? []).map((_, at) =>
    Math.max(...sections.map(({ columns }) => columns[at]?.width ?? 0)),
  );
  sheet.columns = widths.map((width, at) => ({ width, style: styleOf(table?.columns[at]) }));
  if (table && widths.length > 0)
    sheet.autoFilter = {
      from: { row: 1, column: 1 },
      to: { row: table.rows + Number(!table.hasTotal), column: widths.length },
    };
  for (const [nth, section] of sections.entries()) {
    if (nth > 0) sheet.addRow([]).commit();
    if (section.heading !== undefined && !table) {
      const row = sheet.addRow([section.heading]);
      row.font = { ...bold, size: 12 };
      row.commit();
    }
    writeHeader(sheet, section, widths);
    await writeRows(sheet, section, table !== undefined);
  }
  sheet.commit();
}

type Worksheet = ReturnType<WorkbookWriter['addWorksheet']>;

function writeHeader(sheet: Worksheet, { columns }: Section, widths: readonly number[]): void {
  const row = sheet.addRow(columns.map((column) => column?.header ?? null));
  row.font = bold;
  const lines = columns.map((column, at) => {
    const { alignment = { horizontal: 'right' } } = styleOf(column);
    row.getCell(at + 1).alignment = { ...alignment, vertical: 'top', wrapText: true };
    // The arrow of a filter stands beside it.
    return Math.ceil(((column?.header.length ?? 0) + 3) / ((widths[at] ?? 0) + 1));
  });
  row.height = lineHeight * Math.max(1, ...lines);
  row.commit();
}

/** @param areStyled whether cells are shown as their columns are */
async function writeRows(sheet: Worksheet, section: Section, areStyled: boolean): Promise<void> {
  const { columns, rows, hasTotal } = section;
  for (let at = 0; at < rows; at += 1) {
    const row = sheet.addRow(columns.map((column) => column?.valueAt(at) ?? null));
    for (const [index, column] of columns.entries()) {
      const format = column?.formatAt?.(at);
      if (!areStyled) Object.assign(row.getCell(index + 1), styleOf(column));
      if (format) row.getCell(index + 1).numFmt = format;
      // No program makes a row higher than it says.
      const length = column?.isWrapped ? cellText(column.valueAt(at)).length : 0;
      if (column && length > column.width)
        row.height = lineHeight * Math.ceil(length / column.width);
    }
    if (hasTotal && at === rows - 1) row.font = bold;
    row.commit();
    if (at % rowsAtOnce === 0) await setImmediate();
  }
}

/** Texts and ids to the left; numbers to the right, as they are anyway. */
function styleOf(column: SheetColumn | undefined): Partial<Style> {
  if (column === undefined) return {};
  const { isText, isWrapped = false, format: numFmt } = column;
  const left = { horizontal: 'left', indent: 1, vertical: 'top', wrapText: isWrapped } as const;
  return { numFmt, ...(isText && { alignment: left }) };
}

function aboutSheet(lines: readonly AboutLine[]): SheetPlan {
  const names = lines.map(([what]) => what);
  const values = lines.map(([, value]) => (typeof value === 'boolean' ? String(value) : value));
  const value = { ...mixedColumn('Value', values, names), width: 90, isWrapped: true };
  const columns = [sheetColumn('What', names), value];
  return { name: 'About', sections: [{ columns, rows: lines.length }] };
}
