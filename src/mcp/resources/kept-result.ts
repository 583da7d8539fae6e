import { setImmediate } from 'node:timers/promises';
import { type KeptResult, resultUri } from '../../analysis/results/store.ts';
import { csvChunks } from '../../analysis/rows/csv.ts';
import type { Services } from '../../analysis/services.ts';
import { InputError } from '../../core/errors.ts';

/** Longest text of a result, in characters: what is larger is read in parts. */
const maxLength = 8_000_000;

/**
 * Reads all rows of a kept result as JSON, or as CSV under `r_….csv`. Texts are given out in turns: each
 * becomes a message on its own, which takes a moment in which no other caller is served.
 */
export function resultReader() {
  // The text that was made last: those of a batch often ask for the same one.
  let latest: { result: KeptResult; form: string; text: Promise<string> } | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();
  /** @throws {InputError} when nothing is kept under the id any more, or it is too long for one text */
  return async ({ results }: Services, address: string) => {
    const [, id = address, form = 'json'] = /^([^.]*)\.(csv|json)$/.exec(address) ?? [];
    const result = await results.get(id);
    if (latest?.result !== result || latest.form !== form)
      latest = { result, form, text: write(result, form) };
    const text = await latest.text;
    if (text.length > maxLength)
      throw new InputError(
        `${id} has ${result.rows.length} rows, too many for one text. read_rows gives them in parts, and query what can be computed from them.`,
      );
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
    const mimeType = form === 'csv' ? 'text/csv' : 'application/json';
    return [{ uri: `${resultUri(result)}.${form}`, mimeType, text }];
  };
}

async function write({ rows, tool, context }: KeptResult, form: string): Promise<string> {
  if (form !== 'csv') return JSON.stringify({ tool, data: rows, context });
  return [...csvChunks(rows)].join('');
}
