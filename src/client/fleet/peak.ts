/** The most replicas seen together lately. */
export interface Peak {
  count: number;
  /** When so many were seen last. */
  atMs: number;
}

/** A replica that is not seen any more counts for so long: it may live, and miss Redis as well. */
const staysMs = 60_000;

/** The peak after `count` replicas were seen at `now`. */
export function peakOf(held: Peak | undefined, count: number, now: number): Peak {
  const isLower = held !== undefined && count < held.count && now - held.atMs <= staysMs;
  return isLower ? held : { count: Math.max(1, count), atMs: now };
}
