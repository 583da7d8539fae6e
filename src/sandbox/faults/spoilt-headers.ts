/** Rate-limit headers as a broken proxy would leave them. */

const NAMES = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

/** The headers of an answer without, or with senseless or contradictory, rate-limit headers. */
export function spoilHeaders(
  kind: 'no-limits' | 'bad-limits' | 'odd-limits',
  original: Headers,
): Headers {
  if (kind === 'no-limits') return withoutLimits(original);
  const headers = new Headers(original);
  if (kind === 'bad-limits') {
    for (const name of NAMES) headers.set(name, 'many; per=moon "');
  } else {
    headers.set('RateLimit-Limit', '10');
    headers.set('RateLimit-Remaining', '250');
    headers.set('RateLimit-Reset', '-5');
    headers.set('RateLimit-Policy', '"general";q=0;w=0, "general";q=99;w=1');
    headers.set('RateLimit', '"unheard-of";r=-3;t=99999999');
  }
  return headers;
}

/** The headers of an answer that was not counted. */
export function withoutLimits(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of NAMES) headers.delete(name);
  return headers;
}
