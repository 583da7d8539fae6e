/** Counts outcomes. Those in capitals must not happen. */
export function tally() {
  const counts = new Map();
  const sum = (fits) =>
    [...counts].reduce((total, [outcome, count]) => total + (fits(outcome) ? count : 0), 0);
  return {
    add: (outcome) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    calls: () => sum(() => true),
    forbidden: () => sum((outcome) => /^[A-Z ]+$/.test(outcome)),
    report: () =>
      [...counts]
        .sort(([, a], [, b]) => b - a)
        .map(([outcome, count]) => `${String(count).padStart(8)}  ${outcome}`)
        .join('\n'),
  };
}
