import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FairQueue } from '../../core/fair-queue.ts';
import type { App } from '../app/app.ts';
import { refusalReasons } from './refusals.ts';

const prefix = 'commerce_mcp_';

/** Most callers with a label of their own: subjects of tokens may be as many as there are users. */
const maxCallers = 200;

/** What the HTTP server counts itself, and the registry that Prometheus reads. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Measures an application from now on; the name of each metric begins with `commerce_mcp_`. */
export function createMetrics(app: App, places: FairQueue) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  const make = into(registry);
  measureCalls(app, make);
  measureRequests(app, make);
  measureNow(app, places, registry);
  const responses = make.counter('http_responses_total', 'Responses by status', ['status']);
  const about = 'Requests not served, by reason';
  const refusals = make.counter('refusals_total', about, ['reason']);
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return { registry, responses, refusals };
}

/** Makes metrics of a registry. */
function into(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name: prefix + name, help, labelNames, registers }),
    /** A histogram of seconds. */
    histogram: (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
      new Histogram({ name: prefix + name, help, buckets, labelNames, registers }),
  };
}

type Makers = ReturnType<typeof into>;

function measureCalls({ activity }: App, { counter, histogram }: Makers): void {
  const names = new Set<string>();
  const labels = ['tool', 'caller', 'outcome'];
  const calls = counter('calls_total', 'Calls of tools and reads of resources', labels);
  const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180];
  const about = 'How long calls took, waiting for rate budget included';
  const durations = histogram('call_duration_seconds', about, buckets, ['tool']);
  activity.onCall(({ tool, caller = '', outcome, durationMs }) => {
    if (names.size < maxCallers) names.add(caller);
    calls.inc({ tool, caller: names.has(caller) ? caller : 'other', outcome });
    durations.observe({ tool }, durationMs / 1000);
  });
}

/** What the client of the platform does. */
function measureRequests({ activity }: App, { counter, histogram }: Makers): void {
  const durations = histogram(
    'upstream_request_duration_seconds',
    'How long requests to the platform took, without waiting',
    [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ['endpoint'],
  );
  const waits = histogram(
    'budget_wait_seconds',
    'How long requests to the platform waited for rate budget or a connection',
    [0.01, 0.1, 1, 5, 15, 30, 60],
  );
  const requests = counter(
    'upstream_requests_total',
    'Requests to the platform by endpoint and status; status 0 when no answer came',
    ['endpoint', 'status'],
  );
  const retries = counter('upstream_retries_total', 'Requests to the platform made once more');
  const exchanges = counter('token_exchanges_total', 'Exchanges of the API key', ['outcome']);
  const cacheHits = counter('cache_hits_total', 'Answers that came from the cache');
  const coalesced = counter('coalesced_total', 'Answers shared with a request under way');
  for (const outcome of ['ok', 'failed']) exchanges.inc({ outcome }, 0);

  activity.onEvent((event) => {
    switch (event.event) {
      case 'request':
        durations.observe({ endpoint: event.endpoint }, event.durationMs / 1000);
        return requests.inc({ endpoint: event.endpoint, status: event.status });
      case 'wait':
        return waits.observe(event.waitedMs / 1000);
      case 'retry':
        return retries.inc();
      case 'exchange':
        return exchanges.inc({ outcome: event.failed ? 'failed' : 'ok' });
      case 'shared':
        return (event.from === 'cache' ? cacheHits : coalesced).inc();
    }
  });
}

type Gauges = Record<string, [help: string, read: () => number | undefined | Promise<number>]>;

/** What is counted elsewhere, and read whenever Prometheus asks; undefined is left out. */
function measureNow(app: App, places: FairQueue, registry: Registry): void {
  const { client } = app.services;
  const fleet = () => app.fleet?.status();
  const gauges: Gauges = {
    budget_limit: ['Requests of the key in a window', () => client.budget()?.limit],
    budget_remaining: ['Requests left in this window', () => client.budget()?.remaining],
    budget_waiting: ['Requests that wait for budget or a connection', () => client.load().waiting],
    fleet_shared: [
      '1 while this replica shares its budget through Redis, 0 while it is alone with a share',
      () => app.fleet && Number(fleet()?.state === 'shared'),
    ],
    fleet_replicas: ['Replicas on the key, this one included', () => fleet()?.replicas],
    upstream_in_flight: ['Requests to the platform under way', () => client.load().inFlight],
    queue_active: ['Requests of clients being served', () => places.active],
    queue_waiting: ['Requests of clients waiting to be served', () => places.waiting.length],
    kept_results: ['Answers kept for read_rows and query', () => app.results.count()],
  };
  for (const [name, [help, read]] of Object.entries(gauges))
    new Gauge({
      name: prefix + name,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
}
