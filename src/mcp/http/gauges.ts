import { Counter, Gauge, type Registry } from 'prom-client';
import type { App } from '../app/app.ts';

/** What the metrics say of the server itself, as it is now. */
export interface ServerState {
  queue(): { waiting: number; active: number; refused: number };
  subscriptions(): number;
}

/** A value that is counted elsewhere, and read when somebody looks. */
interface GaugeDefinition {
  name: string;
  help: string;
  /** Undefined while there is nothing to tell. */
  read(of: { app: App; state: ServerState }): number | undefined | Promise<number>;
}

const counters: readonly GaugeDefinition[] = [
  {
    name: 'upstream_retries_total',
    help: 'Attempts to ask the platform made again after a failure',
    read: ({ app }) => app.services.client.stats().retries,
  },
  {
    name: 'cache_hits_total',
    help: 'Answers that came from the cache',
    read: ({ app }) => app.services.client.stats().cacheHits,
  },
  {
    name: 'coalesced_total',
    help: 'Answers shared with a request that was already under way',
    read: ({ app }) => app.services.client.stats().coalesced,
  },
  {
    name: 'refused_total',
    help: 'Requests of clients refused because too many were waiting',
    read: ({ state }) => state.queue().refused,
  },
];

const gauges: readonly GaugeDefinition[] = [
  {
    name: 'budget_limit',
    help: 'Requests that the key may make in a window; absent while the platform reports none',
    read: ({ app }) => app.services.client.budget()?.limit,
  },
  {
    name: 'budget_remaining',
    help: 'Requests left in this window',
    read: ({ app }) => app.services.client.budget()?.remaining,
  },
  {
    name: 'budget_waiting',
    help: 'Requests to the platform that wait for rate budget or a connection',
    read: ({ app }) => app.services.client.stats().waiting,
  },
  {
    name: 'fleet_shared',
    help: '1 while this replica shares its budget through Redis, 0 while it is alone with a share; absent without Redis',
    read: ({ app }) => app.fleet && Number(app.fleet.status().state === 'shared'),
  },
  {
    name: 'fleet_replicas',
    help: 'Replicas on the key as far as known, this one included',
    read: ({ app }) => app.fleet?.status().replicas,
  },
  {
    name: 'upstream_in_flight',
    help: 'Requests to the platform under way',
    read: ({ app }) => app.services.client.stats().inFlight,
  },
  {
    name: 'queue_active',
    help: 'Requests of clients being served',
    read: ({ state }) => state.queue().active,
  },
  {
    name: 'queue_waiting',
    help: 'Requests of clients waiting to be served',
    read: ({ state }) => state.queue().waiting,
  },
  {
    name: 'kept_results',
    help: 'Answers kept for read_rows and summarize_rows',
    read: async ({ app }) => (await app.services.results.ids()).length,
  },
  {
    name: 'sessions',
    help: 'Clients that hold a subscription open',
    read: ({ state }) => state.subscriptions(),
  },
];

/** Metrics of what is counted by those who do it: read whenever Prometheus asks. */
export function registerGauges(app: App, state: ServerState, registry: Registry): void {
  const registers = [registry];
  const of = { app, state };
  for (const { name, help, read } of counters)
    new Counter({
      name: `commerce_mcp_${name}`,
      help,
      registers,
      async collect() {
        const value = await read(of);
        this.reset();
        this.inc(value ?? 0);
      },
    });
  for (const { name, help, read } of gauges)
    new Gauge({
      name: `commerce_mcp_${name}`,
      help,
      registers,
      async collect() {
        const value = await read(of);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  registerClientCounters(app, registers);
}

function registerClientCounters({ services }: App, registers: Registry[]): void {
  const stats = () => services.client.stats();
  new Counter({
    name: 'commerce_mcp_upstream_requests_total',
    help: 'Requests to the platform by endpoint and status; status 0 when no answer came',
    labelNames: ['endpoint', 'status'],
    registers,
    collect() {
      this.reset();
      for (const [endpoint, statuses] of Object.entries(stats().requests))
        for (const [status, count] of Object.entries(statuses))
          this.inc({ endpoint, status }, count);
    },
  });
  new Counter({
    name: 'commerce_mcp_token_exchanges_total',
    help: 'Exchanges of the API key for a token by outcome',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'ok' }, stats().exchanges);
      this.inc({ outcome: 'failed' }, stats().failedExchanges);
    },
  });
}
