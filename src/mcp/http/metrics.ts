import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { App } from '../app/app.ts';
import { registerGauges, type ServerState } from './gauges.ts';

/** The metrics of one server, each with a name that begins with `commerce_mcp_`. */
export interface Metrics {
  /** Counts a response of the HTTP server. */
  countResponse(status: number): void;
  /** The text that Prometheus reads, and its content type. */
  render(): Promise<{ text: string; contentType: string }>;
}

/** Most callers that are told apart by name: subjects of tokens may be as many as there are users. */
const maxCallers = 200;

/** Measures an application from now on. */
export function createMetrics(app: App, state: ServerState): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'commerce_mcp_' });
  measureCalls(app, registry);
  measureRequests(app, registry);
  registerGauges(app, state, registry);
  const responses = new Counter({
    name: 'commerce_mcp_http_responses_total',
    help: 'Responses of the HTTP server by status',
    labelNames: ['status'],
    registers,
  });
  return {
    countResponse: (status) => responses.inc({ status }),
    render: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

function measureCalls({ activity }: App, registry: Registry): void {
  const registers = [registry];
  const names = new Set<string>();
  const calls = new Counter({
    name: 'commerce_mcp_calls_total',
    help: 'Calls of tools and reads of resources by tool, caller and outcome',
    labelNames: ['tool', 'caller', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'commerce_mcp_call_duration_seconds',
    help: 'How long calls took, waiting for rate budget included',
    labelNames: ['tool'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
    registers,
  });
  activity.onCall(({ tool, caller = '', outcome, durationMs }) => {
    if (names.size < maxCallers) names.add(caller);
    calls.inc({ tool, caller: names.has(caller) ? caller : 'other', outcome });
    durations.observe({ tool }, durationMs / 1000);
  });
}

/** What the client of the platform does. */
function measureRequests({ activity }: App, registry: Registry): void {
  const registers = [registry];
  const durations = new Histogram({
    name: 'commerce_mcp_upstream_request_duration_seconds',
    help: 'How long requests to the platform took, without waiting',
    labelNames: ['endpoint'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const waits = new Histogram({
    name: 'commerce_mcp_budget_wait_seconds',
    help: 'How long requests to the platform waited for rate budget or a connection',
    buckets: [0.01, 0.1, 1, 5, 15, 30, 60],
    registers,
  });
  const requests = new Counter({
    name: 'commerce_mcp_upstream_requests_total',
    help: 'Requests to the platform by endpoint and status; status 0 when no answer came',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const retries = new Counter({
    name: 'commerce_mcp_upstream_retries_total',
    help: 'Attempts to ask the platform made again after a failure',
    registers,
  });
  const exchanges = new Counter({
    name: 'commerce_mcp_token_exchanges_total',
    help: 'Exchanges of the API key for a token by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const cacheHits = new Counter({
    name: 'commerce_mcp_cache_hits_total',
    help: 'Answers that came from the cache',
    registers,
  });
  const coalesced = new Counter({
    name: 'commerce_mcp_coalesced_total',
    help: 'Answers shared with a request that was already under way',
    registers,
  });
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
