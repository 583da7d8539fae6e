import type { JsonObject } from '../../core/json.ts';

/** The most that one answer may hold (DESIGN, section 3), in characters. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** How long the compact JSON of each of the first rows is, of as many as stay within `maxChars`. */
export function lengthsWithin(rows: readonly unknown[], maxChars: number): number[] {
  const lengths: number[] = [];
  let chars = 0;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    chars += length + 1;
    if (chars > maxChars) break;
    lengths.push(length);
  }
  return lengths;
}

/** How long the compact JSON of an answer is whose rows have these lengths; the rows are not written again. */
export function jsonLength(answer: JsonObject, rowLengths: readonly number[]): number {
  const commas = Math.max(0, rowLengths.length - 1);
  const rows = rowLengths.reduce((sum, length) => sum + length, commas);
  return JSON.stringify({ ...answer, data: [] }).length + rows;
}

/**
 * How many rows to try next, when an answer with `count` rows came out at these sizes: undefined
 * when it fits. Shrinks by the worse of the two overruns, and always by one at least.
 */
export function nextCount(
  count: number,
  sizes: { text: number; json: number },
): number | undefined {
  const share = Math.min(limits.text / sizes.text, limits.json / sizes.json);
  if (share >= 1 || count === 0) return undefined;
  return Math.max(0, Math.min(count - 1, Math.floor(count * share * 0.97)));
}
