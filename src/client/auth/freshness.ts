import { parseCount } from '../transport/retry-after.ts';

/**
 * How long an answer may be taken for what is there, in milliseconds (RFC 9111, section 4.2): as
 * `Cache-Control` says, less the `Age` it came with; Infinity where nothing is said.
 */
export function freshnessMs(header: (name: string) => string | undefined): number {
  const directives = (header('cache-control') ?? '').toLowerCase().split(/\s*,\s*/);
  if (directives.some((it) => /^(no-store|no-cache)\b/.test(it))) return 0;
  const given = directives.find((it) => it.startsWith('max-age='))?.slice('max-age='.length);
  if (given === undefined) return Number.POSITIVE_INFINITY;
  // What cannot be read is stale.
  const seconds = parseCount(given.replaceAll('"', '')) ?? 0;
  return Math.max(0, seconds - (parseCount(header('age')) ?? 0)) * 1000;
}
