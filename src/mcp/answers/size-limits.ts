/** The most that one answer may hold (DESIGN, section 3), in characters. */
export const limits = { text: 24_000, json: 60_000 } as const;

/** How many of the first rows stay within `maxChars` of compact JSON. */
export function countWithin(rows: readonly unknown[], maxChars: number): number {
  let chars = 0;
  let count = 0;
  for (const row of rows) {
    chars += JSON.stringify(row).length + 1;
    if (chars > maxChars) break;
    count += 1;
  }
  return count;
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
