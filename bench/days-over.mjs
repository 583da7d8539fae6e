const dayMs = 86_400_000;

/** Days that are over, and enough of them for 50,000 orders. */
export const daysOver = { from: daysAgo(40), to: daysAgo(2) };

function daysAgo(days) {
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
}
