import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FairQueue } from '../../core/fair-queue.ts';
import type { AppSource } from '../app/accounts.ts';
import type { App } from '../app/app.ts';
import type { Issuer } from './auth/oauth.ts';
import type { TokenSource } from './auth/tokens.ts';
import { type RefusalLine, refusalReasons } from './refusals.ts';

const prefix = 'commerce_mcp_';

/** Most callers with a label of their own: subjects of tokens may be as many as there are users. */
const maxCallers = 200;

/** What is read whenever Prometheus asks. */
interface Counted {
  places: FairQueue;
  tokens: TokenSource;
  issuer: Issuer | undefined;
}

/** What the HTTP server counts itself, and the registry that Prometheus reads. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Measures what is served from now on; the name of each metric begins with `commerce_mcp_`. */
export function createMetrics(apps: AppSource, counted: Counted) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  const make = into(registry, apps.directory !== undefined);
  const measureApp = [measureCalls(make), measureRequests(make)];
  apps.onOpen((app) => {
    for (const measure of measureApp) measure(app, accountLabel(app));
  });
  measureNow(apps, counted, make);
  const responses = make.counter('http_responses_total', 'Responses by status', ['status'], false);
  const about = 'Requests not served, by reason';
  const refusals = make.counter('refusals_total', about, ['reason']);
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return {
    ...{ registry, responses },
    countRefusal: ({ reason, account }: Pick<RefusalLine, 'reason' | 'account'>) =>
      refusals.inc({ reason, ...accountLabel({ account }) }),
  };
}

/** The label that tells several accounts apart. */
function accountLabel({ account }: { account?: string | undefined }): { account?: string } {
  return account === undefined ? {} : { account };
}

/** Makes metrics of a registry. @param hasAccounts gives each a label for the account */
function into(registry: Registry, hasAccounts: boolean) {
  const registers = [registry];
  const labelled = (names: string[]) => [...names, ...(hasAccounts ? ['account'] : [])];
  return {
    counter: (name: string, help: string, names: string[] = [], isOfAccount = true) =>
      new Counter({
        ...{ name: prefix + name, help, registers },
        labelNames: isOfAccount ? labelled(names) : names,
      }),
    /** A histogram of seconds. */
    histogram: (name: string, help: string, buckets: number[], names: string[] = []) =>
      new Histogram({ name: prefix + name, help, buckets, labelNames: labelled(names), registers }),
    /** What is read whenever Prometheus asks. */
    gauge: (
      name: string,
      help: string,
      read: (gauge: Gauge) => void | Promise<void>,
      names = labelled([]),
    ) =>
      new Gauge({
        ...{ name: prefix + name, help, labelNames: names, registers },
        async collect() {
          this.reset();
          // Without labels it would be 0 where nothing is known.
          this.remove({});
          await read(this);
        },
      }),
  };
}

type Makers = ReturnType<typeof into>;

/** What begins to measure an application. */
type Measure = (app: App, of: { account?: string }) => void;

function measureCalls({ counter, histogram }: Makers): Measure {
  const names = new Set<string>();
  const labels = ['tool', 'caller', 'outcome'];
  const calls = counter('calls_total', 'Calls of tools and reads of resources', labels);
  const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180];
  const about = 'How long calls took, waiting for rate budget included';
  const durations = histogram('call_duration_seconds', about, buckets, ['tool']);
  return ({ activity }, of) =>
    activity.onCall(({ tool, caller = '', outcome, durationMs }) => {
      if (names.size < maxCallers) names.add(caller);
      calls.inc({ tool, caller: names.has(caller) ? caller : 'other', outcome, ...of });
      durations.observe({ tool, ...of }, durationMs / 1000);
    });
}

/** What the client of the platform does. */
function measureRequests({ counter, histogram }: Makers): Measure {
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

  return ({ activity }, of) => {
    for (const outcome of ['ok', 'failed']) exchanges.inc({ outcome, ...of }, 0);
    activity.onEvent((event) => {
      switch (event.event) {
        case 'request':
          durations.observe({ endpoint: event.endpoint, ...of }, event.durationMs / 1000);
          return requests.inc({ endpoint: event.endpoint, status: event.status, ...of });
        case 'wait':
          return waits.observe(of, event.waitedMs / 1000);
        case 'retry':
          return retries.inc(of);
        case 'exchange':
          return exchanges.inc({ outcome: event.failed ? 'failed' : 'ok', ...of });
        case 'shared':
          return (event.from === 'cache' ? cacheHits : coalesced).inc(of);
      }
    });
  };
}

type Gauges = Record<string, [help: string, read: (app: App) => number | undefined]>;

/** Of each application, and read whenever Prometheus asks; undefined is left out. */
const gauges: Gauges = {
  budget_limit: [
    'Requests of the key in a window',
    ({ services }) => services.client.budget()?.limit,
  ],
  budget_remaining: [
    'Requests left in this window',
    ({ services }) => services.client.budget()?.remaining,
  ],
  budget_waiting: [
    'Requests that wait for budget or a connection',
    ({ services }) => services.client.load().waiting,
  ],
  fleet_shared: [
    '1 while this replica shares its budget through Redis, 0 while it is alone with a share',
    ({ fleet }) => fleet && Number(fleet.status().state === 'shared'),
  ],
  fleet_full: [
    '1 while Redis has no room for answers and kept results',
    ({ fleet }) => fleet && Number(fleet.isFull()),
  ],
  fleet_replicas: [
    'Replicas on the key, this one included',
    ({ fleet }) => fleet?.status().replicas,
  ],
  upstream_in_flight: [
    'Requests to the platform under way',
    ({ services }) => services.client.load().inFlight,
  ],
  kept_results: ['Answers kept for read_rows and query', ({ results }) => results.count()],
};

/** What is counted elsewhere. */
function measureNow(apps: AppSource, { places, tokens, issuer }: Counted, { gauge }: Makers): void {
  for (const [name, [help, read]] of Object.entries(gauges))
    gauge(name, help, (it) => {
      for (const app of apps.apps()) {
        const value = read(app);
        if (value !== undefined) it.set(accountLabel(app), value);
      }
    });
  const ofAll = (name: string, help: string, read: () => number | Promise<number>) =>
    gauge(name, help, async (it) => it.set(await read()), []);
  const troubleOf = ({ problem }: { problem?: string | undefined } = {}) =>
    Number(problem !== undefined);
  ofAll('queue_active', 'Requests of clients being served', () => places.active);
  ofAll('queue_waiting', 'Requests of clients waiting to be served', () => places.waiting.length);
  ofAll('tokens_file_broken', '1 while the tokens file cannot be used', async () =>
    troubleOf(await tokens()),
  );
  const { directory } = apps;
  const about = '1 while the accounts file cannot be used';
  ofAll('accounts_file_broken', about, () => troubleOf(directory));
  ofAll('issuer_away', '1 while the OAuth issuer gives no keys', () =>
    Number(issuer?.isAway() ?? 0),
  );
  if (directory !== undefined)
    ofAll('accounts_open', 'Accounts that are open', () => apps.apps().length);
}
