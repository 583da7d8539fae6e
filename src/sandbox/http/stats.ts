/** Live counters of what the sandbox was asked, since it started. */
export class Stats {
  /** Requests to the API origin, openapi.json included. */
  requests = 0;
  /** 429s among them. */
  refused = 0;
  /** Successful token exchanges. */
  exchanges = 0;
  /** Exchanges answered with 401. */
  failedExchanges = 0;
  inFlight = 0;
  maxInFlight = 0;
  /** By the path without its query, ids written as `{id}`. */
  readonly byPath: Record<string, number> = {};
  readonly byStatus: Record<number, number> = {};
}
