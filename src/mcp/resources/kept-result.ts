import type { KeptResult } from '../../analysis/results/store.ts';
import type { Services } from '../../analysis/services.ts';

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

async function asCsv({ uri, rows }: KeptResult): Promise<ResultContent> {
  const { csvChunks } = await import('../../analysis/rows/csv.ts');
  return { uri: `${uri}.csv`, mimeType: 'text/csv', text: [...csvChunks(rows)].join('') };
}

function asJson({ uri, rows, tool, context }: KeptResult): ResultContent {
  return {
    uri: `${uri}.json`,
    mimeType: 'application/json',
    text: JSON.stringify({ tool, data: rows, context }),
  };
}
