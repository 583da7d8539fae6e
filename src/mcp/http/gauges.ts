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
    read: ({ app }) => app.services.client.load().waiting,
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
    read: ({ app }) => app.services.client.load().inFlight,
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
    help: 'Answers kept for read_rows and query',
    read: ({ app }) => app.results.count(),
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
}
