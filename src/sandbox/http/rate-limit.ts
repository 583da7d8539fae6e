/** Fixed windows per API key, and the headers that tell about them (docs/platform.md#limits). */

/** The ceilings; a write counts against both. */
export interface Quota {
  general: number;
  write: number;
  windowSeconds: number;
}

/** What one request did to the budget of its key. */
export interface Reading {
  isRefused: boolean;
  /** The ceiling closest to refusing next, or the one that refused. */
  policy: 'general' | 'write';
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Counts requests per key; windows follow the clock, as minutes do. */
export class RateLimiter {
  quota: Quota;
  readonly #usage = new Map<string, { window: number; general: number; write: number }>();

  constructor(quota: Quota) {
    this.quota = quota;
  }

  /** Counts one request at `now` (epoch ms), unless a ceiling refuses it. */
  take(key: string, isWrite: boolean, now: number): Reading {
    const windowMs = this.quota.windowSeconds * 1000;
    const window = Math.floor(now / windowMs);
    const known = this.#usage.get(key);
    const usage = known?.window === window ? known : { window, general: 0, write: 0 };
    this.#usage.set(key, usage);
    const closest = () => {
      const general = left('general', this.quota.general, usage.general);
      const write = left('write', this.quota.write, usage.write);
      return isWrite && write.remaining <= general.remaining ? write : general;
    };
    const isRefused = closest().remaining <= 0;
    if (!isRefused) {
      usage.general += 1;
      if (isWrite) usage.write += 1;
    }
    const resetSeconds = Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1000));
    return { isRefused, ...closest(), resetSeconds };
  }

  /** Begins a new window for every key, at once. */
  roll(): void {
    this.#usage.clear();
  }
}

/** The five headers of every counted answer, and Retry-After on a refusal. */
export function rateHeaders(reading: Reading, quota: Quota): Record<string, string> {
  const { policy, limit, remaining, resetSeconds, isRefused } = reading;
  const w = quota.windowSeconds;
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `"general";q=${quota.general};w=${w}, "write";q=${quota.write};w=${w}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    ...(isRefused && { 'Retry-After': String(resetSeconds) }),
  };
}

/** The write ceiling that belongs to a general one: a tenth of it, and at least 1. */
export function writeQuota(general: number): number {
  return Math.max(1, Math.floor(general / 10));
}

function left(policy: Reading['policy'], limit: number, used: number) {
  return { policy, limit, remaining: Math.max(0, limit - used) };
}
