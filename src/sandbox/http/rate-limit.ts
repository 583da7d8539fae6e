/** Fixed windows per API key, and the headers that report them (docs/platform.md#limits). */

/** The ceilings. Nothing is written here, so only the general one is ever counted. */
export interface Quota {
  general: number;
  write: number;
  windowSeconds: number;
}

/** Counts requests per key; windows follow the clock, as minutes do. */
export class RateLimiter {
  quota: Quota;
  readonly #usage = new Map<string, { window: number; count: number }>();

  constructor(quota: Quota) {
    this.quota = quota;
  }

  /** Counts one request at `now` (epoch ms), unless the ceiling refuses it. */
  take(key: string, now: number) {
    const { general: limit, windowSeconds } = this.quota;
    const windowMs = windowSeconds * 1000;
    const window = Math.floor(now / windowMs);
    const known = this.#usage.get(key);
    const usage = known?.window === window ? known : { window, count: 0 };
    this.#usage.set(key, usage);
    const isRefused = usage.count >= limit;
    if (!isRefused) usage.count += 1;
    const resetSeconds = Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1000));
    return { isRefused, limit, remaining: Math.max(0, limit - usage.count), resetSeconds };
  }

  /** Begins a new window for every key, at once. */
  roll(): void {
    this.#usage.clear();
  }
}

/** The five headers of every counted answer, and Retry-After on a refusal. */
export function rateHeaders(
  { limit, remaining, resetSeconds, isRefused }: ReturnType<RateLimiter['take']>,
  quota: Quota,
): Record<string, string> {
  const w = quota.windowSeconds;
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `"general";q=${quota.general};w=${w}, "write";q=${quota.write};w=${w}`,
    RateLimit: `"general";r=${remaining};t=${resetSeconds}`,
    ...(isRefused && { 'Retry-After': String(resetSeconds) }),
  };
}

/** The write ceiling that belongs to a general one: a tenth of it, and at least 1. */
export function writeQuota(general: number): number {
  return Math.max(1, Math.floor(general / 10));
}
