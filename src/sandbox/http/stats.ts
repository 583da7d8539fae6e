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

/** Counters that stand at nothing. */
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
