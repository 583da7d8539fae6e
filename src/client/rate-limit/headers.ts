import { type HttpReply, parseCount } from '../transport/http.ts';

/** The budget for reads that an answer reports, as far as it does. */
export interface BudgetReport {
  /** Requests a window. */
  limit?: number | undefined;
  /** Requests left in this window. */
  remaining?: number | undefined;
  resetMs?: number | undefined;
  /** Length of a window. */
  windowMs?: number | undefined;
  /** Every ceiling that `RateLimit-Policy` lists. */
  ceilings: Ceiling[];
}

/** One named ceiling: `quota` requests a window. */
export interface Ceiling {
  name: string;
  quota: number;
  windowSeconds: number | undefined;
}

/**
 * The budget that an answer reports, or undefined when none of the five headers tells one: then it
 * was not counted, which is not the same as nothing left. The numbers describe one ceiling only, the
 * closest to refusing; where that is the write ceiling they say nothing of reads (docs/platform.md#rate-headers).
 */
export function parseBudget(header: HttpReply['header']): BudgetReport | undefined {
  const ceilings = parseItems(header('ratelimit-policy')).flatMap(({ name, quota, window }) =>
    quota ? [{ name, quota, windowSeconds: window || undefined }] : [],
  );
  const [state] = parseItems(header('ratelimit'));
  const general = ceilings.find(({ name }) => name === 'general');
  const windowMs = general?.windowSeconds && general.windowSeconds * 1000;
  if (general && state?.name === 'write') return { limit: general.quota, windowMs, ceilings };
  const limit = parseCount(header('ratelimit-limit')) || general?.quota;
  const remaining = parseCount(header('ratelimit-remaining')) ?? state?.remaining;
  if (limit === undefined && remaining === undefined) return undefined;
  const reset = parseCount(header('ratelimit-reset')) ?? state?.reset;
  const resetMs = reset === undefined ? undefined : reset * 1000;
  return { limit, remaining, resetMs, windowMs, ceilings };
}

/** The items of a structured list such as `"general";q=300;w=60, "write";q=60;w=60`. */
function parseItems(value = '') {
  return value.split(',').map((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const read = new URLSearchParams(parameters.join('&'));
    const count = (key: string) => parseCount(read.get(key) ?? undefined);
    const [quota, window, remaining, reset] = ['q', 'w', 'r', 't'].map(count);
    return { name: name.replaceAll('"', ''), quota, window, remaining, reset };
  });
}
