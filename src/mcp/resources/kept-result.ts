import type { KeptResult } from '../../analysis/results/store.ts';
import { cellReader, cellText, columnsOf } from '../../analysis/rows/rows.ts';
import type { Services } from '../../analysis/services.ts';
import { isNumeric } from '../../core/money.ts';

/** A text of a kept result, under an address of its own. */
export interface ResultContent {
  uri: string;
  mimeType: string;
  text: string;
}

/**
 * All rows of a kept result, as CSV and as JSON; `r_….csv` or `r_….json` gives one of the two.
 *
 * @throws {InputError} when nothing is kept under the id any more.
 */
export async function readResult({ results }: Services, address: string): Promise<ResultContent[]> {
  const [, id = address, form] = /^(.*?)(?:\.(csv|json))?$/.exec(address) ?? [];
  const result = await results.get(id);
  const contents: ResultContent[] = [];
  if (form !== 'json') contents.push(await asCsv(result));
  if (form !== 'csv') contents.push(asJson(result));
  return contents;
}

/** Nested fields become dotted columns. */
async function asCsv({ uri, rows }: KeptResult): Promise<ResultContent> {
  const { stringify } = await import('csv-stringify/sync');
  const columns = columnsOf(rows);
  const readers = columns.map(cellReader);
  const text = stringify(
    rows.map((row) => readers.map((read) => inertText(read(row)))),
    { header: true, columns },
  );
  return { uri: `${uri}.csv`, mimeType: 'text/csv', text };
}

/** A text that a spreadsheet would run as a formula gets an apostrophe in front; figures stay figures. */
function inertText(cell: unknown): string {
  const text = cellText(cell);
  const isFormula = typeof cell === 'string' && /^[=+\-@\t\r]/.test(text) && !isNumeric(text);
  return isFormula ? `'${text}` : text;
}

function asJson({ uri, rows, tool, context }: KeptResult): ResultContent {
  return {
    uri: `${uri}.json`,
    mimeType: 'application/json',
    text: JSON.stringify({ tool, data: rows, context }),
  };
}
