import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorCode } from '../../core/errors.ts';
import type { FairQueue } from '../../core/fair-queue.ts';
import type { AppProvider } from '../app/accounts.ts';
import type { App } from '../app/app.ts';
import type { Watched } from './readiness.ts';
import { type RefusalLine, refusalReasons } from './refusals.ts';

const prefix = 'commerce_mcp_';

/** Most callers with a label of their own: tokens may have as many subjects as there are users. */
const maxCallers = 200;

interface Counted extends Watched {
  places: FairQueue;
  isTroubled(app: App): boolean;
}

/** @returns the counters of the HTTP server, and the registry of Prometheus */
export function createMetrics(counted: Counted) {
  const { apps } = counted;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  const make = metricsOf(registry, apps.directory !== undefined);
  measureActivity(apps, make);
  createGauges(counted, make);
  const responses = make.counter('http_responses_total', 'Responses by status', ['status'], []);
  const about = 'Attempts to sign in, by outcome';
  const signIns = make.counter('sign_ins_total', about, ['outcome'], []);
  // Set to 0, so that an alarm sees the first increase.
  signIns.inc({ outcome: 'keys_differ' }, 0);
  const refusals = make.counter('refusals_total', 'Requests not served, by reason', ['reason']);
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return {
    registry,
    responses,
    signIns,
    countRefusal: ({ reason, account }: Pick<RefusalLine, 'reason' | 'account'>) =>
      refusals.inc({ reason, ...accountLabel({ account }) }),
  };
}

function accountLabel({ account }: { account?: string | undefined }): { account?: string } {
  return account === undefined ? {} : { account };
}

/** @param hasAccounts gives each metric a label for the account */
function metricsOf(registry: Registry, hasAccounts: boolean) {
  const byAccount = hasAccounts ? ['account'] : [];
  const optionsOf = (name: string, help: string, labels: string[] = [], scope = byAccount) => ({
    name: prefix + name,
    help,
    registers: [registry],
    labelNames: [...labels, ...scope],
  });
  type Options = Parameters<typeof optionsOf>;
  return {
    counter: (...options: Options) => new Counter(optionsOf(...options)),
    seconds: (buckets: number[], ...options: Options) =>
      new Histogram({ ...optionsOf(...options), buckets }),
    gauge: (read: (gauge: Gauge) => void | Promise<void>, ...options: Options) =>
      new Gauge({
        ...optionsOf(...options),
        async collect() {
          this.reset();
          // The library reports 0 for an unset gauge without labels.
          this.remove({});
          await read(this);
        },
      }),
  };
}

type Makers = ReturnType<typeof metricsOf>;

function measureActivity(apps: AppProvider, { counter, seconds }: Makers): void {
  const callLabels = ['tool', 'caller', 'outcome'];
  const calls = counter('calls_total', 'Calls of tools and reads of resources', callLabels);
  const callerHelp = 'Requests to the platform by the caller whose calls caused them';
  const callerRequests = counter('upstream_requests_by_caller_total', callerHelp, ['caller']);
  const callSeconds = seconds(
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
    'call_duration_seconds',
    'How long calls took, waiting for rate budget included',
    ['tool'],
  );
  const requests = counter(
    'upstream_requests_total',
    'Requests to the platform by endpoint and status; status 0 when no answer came',
    ['endpoint', 'status'],
  );
  const requestSeconds = seconds(
    [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    'upstream_request_duration_seconds',
    'How long requests to the platform took, without waiting',
    ['endpoint'],
  );
  const waitSeconds = seconds(
    [0.01, 0.1, 1, 5, 15, 30, 60],
    'budget_wait_seconds',
    'How long requests to the platform waited for rate budget or a connection',
  );
  const retries = counter('upstream_retries_total', 'Requests to the platform that were repeated');
  const exchanges = counter('token_exchanges_total', 'Exchanges of the API key', ['outcome']);
  const cacheHits = counter('cache_hits_total', 'Answers that came from the cache');
  const coalesced = counter('coalesced_total', 'Answers shared with a request under way');
  const callers = new Set<string>();

  apps.onOpen((app) => {
    const account = accountLabel(app);
    for (const outcome of ['ok', 'refused', 'failed']) exchanges.inc({ outcome, ...account }, 0);
    app.activity.on('call', ({ tool, caller: name = '', outcome, durationMs, ...call }) => {
      if (callers.size < maxCallers) callers.add(name);
      const caller = callers.has(name) ? name : 'other';
      calls.inc({ tool, caller, outcome, ...account });
      callerRequests.inc({ caller, ...account }, call.upstreamRequests);
      callSeconds.observe({ tool, ...account }, durationMs / 1000);
    });
    app.activity.on('platform', (event) => {
      switch (event.event) {
        case 'request':
          requestSeconds.observe({ endpoint: event.endpoint, ...account }, event.durationMs / 1000);
          return requests.inc({ endpoint: event.endpoint, status: event.status, ...account });
        case 'wait':
          return waitSeconds.observe(account, event.waitedMs / 1000);
        case 'retry':
          return retries.inc(account);
        case 'exchange':
          return exchanges.inc({ outcome: exchangeOutcome(event.failed), ...account });
        case 'shared':
          return (event.from === 'cache' ? cacheHits : coalesced).inc(account);
      }
    });
  });
}

/** A refused key, unlike other failures, has to be replaced by a person. */
function exchangeOutcome(failed: ErrorCode | undefined): 'ok' | 'refused' | 'failed' {
  if (failed === undefined) return 'ok';
  return failed === 'key_refused' ? 'refused' : 'failed';
}

type Parts = Pick<App, 'fleet' | 'results'> & Pick<App['services'], 'client'>;
type Readings<From> = Record<string, [help: string, read: (from: From) => number | undefined]>;

/** Gauges of each application. An undefined value is left out. */
const gauges: Readings<Parts> = {
  budget_limit: ['Requests of the key in a window', ({ client }) => client.budget()?.limit],
  budget_remaining: ['Requests left in this window', ({ client }) => client.budget()?.remaining],
  budget_waiting: [
    'Requests that wait for budget or a connection',
    ({ client }) => client.load().waiting,
  ],
  fleet_shared: [
    '1 while this replica shares its budget through Redis, 0 while it is alone with a share',
    ({ fleet }) => fleet && Number(fleet.budget.status.state === 'shared'),
  ],
  fleet_full: [
    '1 while Redis has no room for answers and kept results',
    ({ fleet }) => fleet && Number(fleet.redis.isFull()),
  ],
  fleet_replicas: [
    'Replicas on the key, this one included',
    ({ fleet }) => fleet?.budget.status.replicas,
  ],
  upstream_in_flight: [
    'Requests to the platform under way',
    ({ client }) => client.load().inFlight,
  ],
  kept_results: ['Answers kept for read_rows and query', ({ results }) => results.count()],
};

function createGauges(
  { apps, places, tokens, issuer, isTroubled, signIn }: Counted,
  { gauge: makeGauge }: Makers,
): void {
  const readApps = (read: (parts: Parts) => number | undefined) => (gauge: Gauge) => {
    for (const app of apps.apps()) {
      const value = read({ ...app, client: app.services.client });
      if (value !== undefined) gauge.set(accountLabel(app), value);
    }
  };
  const readTrouble = (gauge: Gauge) => {
    for (const app of apps.apps()) gauge.set(accountLabel(app), Number(isTroubled(app)));
  };
  makeGauge(readTrouble, 'in_trouble', '1 while calls fail because of the token or the platform');
  for (const [name, [help, read]] of Object.entries(gauges)) makeGauge(readApps(read), name, help);
  const processGauges: Record<string, [help: string, read: () => unknown]> = {
    queue_active: ['Requests of clients being served', () => places.active],
    queue_waiting: ['Requests of clients waiting to be served', () => places.waiting.length],
    tokens_file_broken: [
      '1 while the tokens file cannot be used',
      async () => (await tokens()).problem !== undefined,
    ],
    sign_in_broken: [
      '1 while sign-in is on, and nobody can sign in',
      async () => (await signIn?.trouble()) === 'broken',
    ],
    accounts_file_broken: [
      '1 while the accounts file cannot be used',
      () => apps.directory?.problem !== undefined,
    ],
    audit_broken: [
      '1 while the audit cannot be written',
      () => apps.log.auditProblem() !== undefined,
    ],
    issuer_away: ['1 while the OAuth issuer gives no keys', () => issuer?.isAway() ?? false],
    ...(apps.directory && { accounts_open: ['Accounts that are open', () => apps.apps().length] }),
  };
  for (const [name, [help, read]] of Object.entries(processGauges))
    makeGauge(async (gauge) => gauge.set(Number(await read())), name, help, [], []);
}
