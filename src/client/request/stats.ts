import type { ClientEvent } from '../transport/events.ts';

/** Counters since the client was made; `waiting` and `inFlight` are of now. */
export interface Stats {
  /** Requests by endpoint template and status; status 0 means that none arrived. */
  requests: Record<string, Record<number, number>>;
  retries: number;
  exchanges: number;
  failedExchanges: number;
  cacheHits: number;
  coalesced: number;
  waiting: number;
  inFlight: number;
}

/** Counts events as they pass. */
export function countEvents(): {
  count(event: ClientEvent): void;
  read(): Omit<Stats, 'waiting' | 'inFlight'>;
} {
  const totals = { retries: 0, exchanges: 0, failedExchanges: 0, cacheHits: 0, coalesced: 0 };
  const requests = new Map<string, Record<number, number>>();
  return {
    count(event) {
      if (event.event === 'request') {
        const byStatus = requests.get(event.endpoint) ?? {};
        byStatus[event.status] = (byStatus[event.status] ?? 0) + 1;
        requests.set(event.endpoint, byStatus);
      } else if (event.event === 'retry') totals.retries++;
      else if (event.event === 'exchange') {
        if (event.failed) totals.failedExchanges++;
        else totals.exchanges++;
      } else if (event.event === 'shared') {
        if (event.from === 'cache') totals.cacheHits++;
        else totals.coalesced++;
      }
    },
    read: () => ({
      ...totals,
      requests: Object.fromEntries(
        [...requests].map(([endpoint, counts]) => [endpoint, { ...counts }]),
      ),
    }),
  };
}
