import type { HttpBindings } from '@hono/node-server';
import type { World } from '../world/world.ts';
import type { Caller, Keyring } from './access.ts';

/** The parts that both origins of a sandbox share. */
export interface Platform {
  world: World;
  keyring: Keyring;
  limiter: RateLimiter;
}

export interface Environment {
  Bindings: HttpBindings;
  Variables: {
    /** Equals X-Request-Id and the trace_id of a problem. */
    requestId: string;
    caller: Caller;
  };
}

/** Counts requests per key in fixed windows, which follow the clock (docs/platform.md#limits). */
export class RateLimiter {
  quota: number;
  readonly #windowSeconds: number;
  readonly #usage = new Map<string, { window: number; count: number }>();

  constructor(quota: number, windowSeconds: number) {
    this.quota = quota;
    this.#windowSeconds = windowSeconds;
  }

  /**
   * Counts a request at `now` (epoch ms) unless the ceiling refuses it. Counted answers have the five headers,
   * refusals also Retry-After. The write ceiling is a tenth of the general one and never the closest, since nothing
   * is written.
   */
  take(key: string, now: number): { isRefused: boolean; headers: Record<string, string> } {
    const { quota } = this;
    const w = this.#windowSeconds;
    const window = Math.floor(now / (w * 1000));
    const current = this.#usage.get(key);
    const usage = current?.window === window ? current : { window, count: 0 };
    this.#usage.set(key, usage);
    const isRefused = usage.count >= quota;
    if (!isRefused) usage.count += 1;
    const remaining = Math.max(0, quota - usage.count);
    const reset = Math.max(1, Math.ceil(((window + 1) * w * 1000 - now) / 1000));
    const write = Math.max(1, Math.floor(quota / 10));
    const headers = {
      'RateLimit-Limit': String(quota),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(reset),
      'RateLimit-Policy': `"general";q=${quota};w=${w}, "write";q=${write};w=${w}`,
      RateLimit: `"general";r=${remaining};t=${reset}`,
      ...(isRefused && { 'Retry-After': String(reset) }),
    };
    return { isRefused, headers };
  }
}
