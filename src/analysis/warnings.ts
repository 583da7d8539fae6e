/** Most warnings that one answer bears. */
const maxWarnings = 6;

/** How many alike are told one by one. */
const maxAlike = 2;

/**
 * Warnings as an answer bears them: each once, many alike (the same words about other numbers and
 * names) as the first with their number, six at most.
 */
export function gatherWarnings(warnings: readonly string[]): string[] {
  const alike = new Map<string, string[]>();
  for (const warning of new Set(warnings)) {
    if (warning === '') continue;
    const words = warning.replace(/"[^"]*"|[\d.,-]*\d/g, '#');
    alike.set(words, [...(alike.get(words) ?? []), warning]);
  }
  const gathered = [...alike.values()].flatMap((group) =>
    group.length <= maxAlike
      ? group
      : [`${group[0]} (${group.length - 1} more are like this one.)`],
  );
  if (gathered.length <= maxWarnings) return gathered;
  const left = gathered.length - maxWarnings + 1;
  return [
    ...gathered.slice(0, maxWarnings - 1),
    `${left} more warnings of other kinds are not shown: ask for fewer days, or for one location or shop, to see them.`,
  ];
}
