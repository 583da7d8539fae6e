/** Live counters of what the sandbox was asked. */

/** Counts since the start; `byPath` by the path without its query, ids written as `{id}`. */
export interface Stats {
  /** Requests to the API origin, openapi.json included. */
  requests: number;
  /** 429s among them. */
  refused: number;
  /** Successful token exchanges. */
  exchanges: number;
  /** Exchanges answered with 401. */
  failedExchanges: number;
  inFlight: number;
  maxInFlight: number;
  byPath: Record<string, number>;
  byStatus: Record<number, number>;
}

export function createStats(): Stats {
  return {
    requests: 0,
    refused: 0,
    exchanges: 0,
    failedExchanges: 0,
    inFlight: 0,
    maxInFlight: 0,
    byPath: {},
    byStatus: {},
  };
}

/** Counts a request that begins. */
export function countStart(stats: Stats, path: string): void {
  stats.requests += 1;
  const pattern = path.replace(/\/\d+/g, '/{id}');
  stats.byPath[pattern] = (stats.byPath[pattern] ?? 0) + 1;
  stats.inFlight += 1;
  stats.maxInFlight = Math.max(stats.maxInFlight, stats.inFlight);
}

/** Counts its answer. */
export function countEnd(stats: Stats, status: number): void {
  stats.inFlight -= 1;
  stats.byStatus[status] = (stats.byStatus[status] ?? 0) + 1;
  if (status === 429) stats.refused += 1;
}
