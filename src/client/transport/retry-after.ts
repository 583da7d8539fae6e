/** `Retry-After` in milliseconds from seconds or an HTTP date, or undefined when unreadable. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = parseCount(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** A whole number from 0 to a billion, or undefined. */
export function parseCount(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d{1,10}\s*$/.test(value)) return undefined;
  const count = Number(value);
  return count <= 1e9 ? count : undefined;
}
