import { setImmediate } from 'node:timers/promises';
import type { KeptResult } from '../../analysis/results/store.ts';
import type { Services } from '../../analysis/services.ts';
import { InputError } from '../../core/errors.ts';

/** A text of a kept result, under an address of its own. */
export interface ResultContent {
  uri: string;
  mimeType: string;
  text: string;
}

/** Longest text of a result, in characters: what is larger is read in parts. */
const maxLength = 8_000_000;

/**
 * All rows of a kept result as JSON, or as CSV under `r_….csv`. Texts are made once, and given to all
 * who ask for them at the same time.
 *
 * @throws {InputError} when nothing is kept under the id any more, or it is too long for one text
 */
export async function readResult({ results }: Services, address: string): Promise<ResultContent[]> {
  const [, id = address, form = 'json'] = /^([^.]*)\.(csv|json)$/.exec(address) ?? [];
  const result = await results.get(id);
  const shared = underWay.get(result) ?? {};
  underWay.set(result, shared);
  const key = form === 'csv' ? 'csv' : 'json';
  shared[key] ??= (key === 'csv' ? asCsv(result) : asJson(result)).finally(() => {
    delete shared[key];
  });
  const content = await shared[key];
  await ownTurn();
  return [content];
}

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Each text becomes a message on its own, which takes a moment: those of a batch are ready together,
 * and without turns nobody else would be served until the last of them has left.
 */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Texts that are being made. */
const underWay = new WeakMap<
  KeptResult,
  { csv?: Promise<ResultContent>; json?: Promise<ResultContent> }
>();

function withinBounds(text: string, { id, rows }: KeptResult): string {
  if (text.length <= maxLength) return text;
  throw new InputError(
    `${id} has ${rows.length} rows, too many for one text. read_rows gives them in parts, and query what can be computed from them.`,
    'result_id',
  );
}

async function asCsv(result: KeptResult): Promise<ResultContent> {
  const { csvChunks } = await import('../../analysis/rows/csv.ts');
  const text = withinBounds([...csvChunks(result.rows)].join(''), result);
  return { uri: `${result.uri}.csv`, mimeType: 'text/csv', text };
}

async function asJson(result: KeptResult): Promise<ResultContent> {
  const { uri, rows, tool, context } = result;
  const text = withinBounds(JSON.stringify({ tool, data: rows, context }), result);
  return { uri: `${uri}.json`, mimeType: 'application/json', text };
}
