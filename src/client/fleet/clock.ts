/** How a clock elsewhere stands against ours, as one exchange with it showed. */
export interface ClockSample {
  /** To be added to our elapsed clock. */
  offsetMs: number;
  /** Most by which that may be wrong. */
  doubtMs: number;
  /** When it was taken, on our elapsed clock. */
  atMs: number;
}

/** Clocks drift apart: after this long a less certain sample is better than an old one. */
const maxAgeMs = 30_000;

/** What an exchange shows that left at `sentAtMs` and told `theirsMs` when it came back. */
export function sampleClock(sentAtMs: number, backAtMs: number, theirsMs: number): ClockSample {
  const doubtMs = (backAtMs - sentAtMs) / 2;
  return { offsetMs: theirsMs - (sentAtMs + doubtMs), doubtMs, atMs: backAtMs };
}

/** The sample to go by: the more certain one, unless it is old or the other clock has been set. */
export function betterSample(held: ClockSample | undefined, taken: ClockSample): ClockSample {
  if (held === undefined || taken.doubtMs <= held.doubtMs) return taken;
  const isOld = taken.atMs - held.atMs > maxAgeMs;
  const wasSet = Math.abs(taken.offsetMs - held.offsetMs) > taken.doubtMs + held.doubtMs + 50;
  return isOld || wasSet ? taken : held;
}
