/**
 * Works under a signal that ends with the caller's, or after so long. The timer is held until the work ends: on
 * Node 20, `AbortSignal.any([AbortSignal.timeout(ms), signal])` may be collected as garbage before it fires.
 * @throws what the work throws; under an ended signal, usually its reason (a `TimeoutError` when time was up)
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const follow = () => ending.abort(signal?.reason);
  const timer = setTimeout(() => {
    ending.abort(new DOMException('The time for it was up.', 'TimeoutError'));
  }, ms);
  signal?.addEventListener('abort', follow, { once: true });
  if (signal?.aborted) follow();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
