import { existsSync } from 'node:fs';
import { checkBriefs } from '../../../analysis/briefs/brief.ts';
import { capabilitiesOf, lackingOf } from '../../../analysis/errors/explain.ts';
import { OrderLines } from '../../../analysis/lines/order-lines.ts';
import { ReferenceLists } from '../../../analysis/reference/reference.ts';
import { discover } from '../../../client/auth/token.ts';
import type { Client, ExchangeCheck } from '../../../client/client.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, ConfigError, needsAuthentication } from '../../../config/config.ts';
import { isLoopback } from '../../../config/values.ts';
import { amsterdamDay } from '../../../core/calendar.ts';
import { withDeadline } from '../../../core/deadline.ts';
import { type ErrorCode, hasCode, PlatformError, reasonIn } from '../../../core/errors.ts';
import { assertWritable } from '../../../core/files.ts';
import { groupBy, isRecord, type JsonObject } from '../../../core/json.ts';
import type { Log, LogFacts } from '../../../core/message.ts';
import { endpointName, isServerArgument } from '../../../endpoints/define.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { listedParameters, pathKey, readParameters } from '../../../endpoints/openapi.ts';
import { getMe } from '../../../endpoints/reference.ts';
import { getDailyClose } from '../../../endpoints/reports.ts';
import type { AccountDirectory } from '../../../mcp/app/accounts.ts';
import type { App } from '../../../mcp/app/app.ts';
import { accessProblems } from '../../../mcp/http/access.ts';
import { openTokens } from '../../../mcp/http/auth/tokens.ts';
import { openKeeper, signInRedisOf } from '../../../mcp/http/sign-in/keeper.ts';
import { engineProblem } from '../../../query/installation.ts';
import type { Said } from '../../terminal/catalogue/catalogue.ts';
import type { Remedy } from '../../terminal/catalogue/checks.ts';

/** What a check found. */
export interface Check {
  name: string;
  /** A `note` leaves everything working. */
  verdict: 'ok' | 'note' | 'FAILED';
  detail: Said;
  /** What to do about it: where it failed, at least what its name says. */
  remedies?: readonly Said[];
  /** Of the error that made it fail. */
  code?: ErrorCode | undefined;
}

/** What the checks of an account look at, and what they learn of it. */
export interface CheckedAccount {
  config: Config;
  app: App;
  client: Client;
  exchanged?: ExchangeCheck;
  /** Whether the platform itself has answered, whatever it said. */
  isReached?: boolean;
  /** The accounts of the file, where there is one. */
  directory: Pick<AccountDirectory, 'list'> | undefined;
}

export type Found = Omit<Check, 'name' | 'code'>;

export function ok(detail: Said): Found {
  return { verdict: 'ok', detail };
}

export function note(detail: Said, ...remedies: readonly Said[]): Found {
  return { verdict: 'note', detail, remedies };
}

export function remedy(name: Remedy): Said {
  return { code: 'remedy', name };
}

export function failed(detail: Said): Found {
  return { verdict: 'FAILED', detail };
}

/** The checks of an account, in their order: of this machine, then of the key and the platform. What throws has failed. */
export const checks: Readonly<
  Partial<Record<Remedy, (subject: CheckedAccount) => Promise<Found> | Found>>
> = {
  http: findServing,
  redis: ({ config: { redisUrl } }) => findRedis(redisUrl),
  async 'query engine'({ app: { statements } }) {
    const lacks = engineProblem();
    if (lacks !== undefined) return note(lacks, remedy('query engine'));
    const engine = await statements.engine();
    const { rows } = await engine.run({
      sql: 'SELECT version() AS version',
      caller: 'doctor',
      provider: { tables: new Map(), nowMs: Date.now(), load: async () => [] },
      maxRows: 1,
      signal: new AbortController().signal,
    });
    return ok({ code: 'engine_answers', version: rows[0]?.version });
  },
  async discovery({ config }) {
    const { href: url } = await withDeadline({ ms: config.timeoutMs }, (signal) =>
      discover(config, realRuntime({}, config), signal),
    );
    return ok({ code: 'tokens_come_from', url });
  },
  async exchange(subject) {
    subject.exchanged = await subject.client.checkExchange();
    return ok({ code: 'key_gives_token', seconds: subject.exchanged.expiresInSeconds });
  },
  async 'role and capabilities'(subject) {
    const { client } = subject;
    const { body: me } = await client.get(getMe.path).catch((error: unknown) => {
      subject.isReached = error instanceof PlatformError && error.status !== undefined;
      throw error;
    });
    subject.isReached = true;
    const lacks = [...lackingIn(me), ...(await findBinding(client))];
    return lacks.length === 0 ? ok(roleOf(me)) : note(roleOf(me), ...lacks);
  },
  'order lines': findKeptLines,
  async 'signing in'({ config }) {
    const { signIn, publicUrl = '', timeoutMs: ms } = config;
    if (signIn !== 'true') return ok({ code: 'sign_in_off' });
    const keeper = await openKeeper(config);
    await keeper.put('Probe', 'doctor', {}, 60).finally(keeper.close);
    const url = `${publicUrl}/.well-known/oauth-authorization-server`;
    const ask = async (signal: AbortSignal) => (await fetch(url, { signal })).json();
    const found: unknown = await withDeadline({ ms }, ask).catch(() => undefined);
    const isHere = isRecord(found) && found.issuer === publicUrl;
    if (!isHere) return failed({ code: 'leads_elsewhere', url });
    const redisUrl = signInRedisOf(config);
    return (redisUrl && (await findForgetting(redisUrl))) || ok({ code: 'leads_here', publicUrl });
  },
  'clock skew'({ exchanged, isReached }) {
    const { clockSkewSeconds: skewSeconds } = exchanged ?? {};
    if (!isReached || skewSeconds === undefined) return note({ code: 'no_clock' });
    if (Math.abs(skewSeconds) <= 60) return ok({ code: 'clock_in_step' });
    return failed({ code: 'clock_differs', skewSeconds });
  },
  'rate budget'({ client, isReached }) {
    if (!isReached) return note({ code: 'budget_unknown' });
    const budget = client.budget();
    return ok(budget ? { code: 'budget_left', ...budget } : { code: 'no_budget_told' });
  },
  async drift({ client }) {
    try {
      return findDrift(await client.openapi());
    } catch (error) {
      const detail = { code: 'drift_unknown', reason: reasonIn(error) } as const;
      return note(detail, remedy('drift_unknown'));
    }
  },
  async definitions({ config: { definitions: folder }, app }) {
    if (folder === undefined) return ok({ code: 'no_definitions' });
    if (engineProblem() !== undefined) return ok({ code: 'definitions_unread', folder });
    const { services, catalogue, statements } = app;
    const { tables, problems: ofTables } = await statements.definitions(true);
    const briefs = new Map([...app.briefs()].filter(([, it]) => it.startsWith(folder)));
    const asking = { services, tools: catalogue.list(), call: { nowMs: services.now() } };
    const problems = [...ofTables, ...(await checkBriefs(briefs, asking))];
    if (problems.length > 0) return failed({ code: 'definitions_broken', folder, problems });
    const names = [...tables.keys(), ...briefs.keys()];
    const found = { code: 'definitions_work', folder, names } as const;
    return names.length > 0 ? ok(found) : note(found, remedy('no_definitions'));
  },
};

/** What `http` would refuse to start with, and tokens that open nothing. */
async function findServing({ config, directory }: CheckedAccount): Promise<Found> {
  const problems = accessProblems(config, directory);
  if (!needsAuthentication(config) && isLoopback(config.httpHost)) {
    if (problems.length === 0) return ok({ code: 'served_to_this_machine' });
    // Accounts without a default and without callers are for stdio, one by one.
    if (problems.every(({ problem }) => problem.code === 'no_default_account'))
      return ok({ code: 'served_to_nobody' });
  }
  const unopened: string[] = [];
  const ended: string[] = [];
  const log = {
    info() {},
    error() {},
    audit() {},
    warn({ caller, until, account }: LogFacts) {
      if (until === undefined) unopened.push(String(account));
      else ended.push(`${caller} (${until})`);
    },
  };
  try {
    if (problems.length > 0) throw new ConfigError(problems);
    await openTokens(config, log, directory);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed({ code: 'configuration_wrong', problems: error.problems });
  }
  if (unopened.length > 0)
    return note({ code: 'tokens_of_no_account', accounts: unopened }, remedy('idle_tokens'));
  if (ended.length > 0) return note({ code: 'tokens_ended', ended }, remedy('idle_tokens'));
  return ok({ code: 'served_with_authentication' });
}

async function findRedis(redisUrl: string | undefined): Promise<Found> {
  if (redisUrl === undefined) return ok({ code: 'no_redis' });
  const { askRedis } = await import('../../../client/fleet/redis.ts');
  const { host } = new URL(redisUrl);
  try {
    await askRedis(redisUrl);
    return ok({ code: 'redis_answers', host });
  } catch (error) {
    const text = String(error);
    const [refusal] = /\b(WRONGPASS|NOAUTH|NOPERM)\b/.exec(text) ?? [];
    if (refusal) return failed({ code: 'redis_refuses', host, refusal });
    const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
    return failed({ code: 'redis_silent', host, text, error: errno });
  }
}

/** Whether a Redis loses who is signed in: as it starts again, or to make room. */
async function findForgetting(redisUrl: string): Promise<Found | undefined> {
  const { openRedis } = await import('../../../client/fleet/redis.ts');
  const { host } = new URL(redisUrl);
  const redis = openRedis(redisUrl);
  const read = async (name: string) => {
    const reply = await redis.call('CONFIG', 'GET', name);
    return Array.isArray(reply) ? `${name} ${String(reply[1]) || '""'}` : '';
  };
  try {
    await redis.settled;
    const appends = await read('appendonly');
    const policy = await read('maxmemory-policy');
    const wrong = [
      ...(appends.endsWith('yes') ? [] : [appends, await read('save')]),
      ...(policy.includes('allkeys') ? [policy] : []),
    ];
    return wrong.length > 0 ? failed({ code: 'sign_ins_forgotten', host, wrong }) : undefined;
  } catch {
    const wanted = ['appendonly yes', 'maxmemory-policy noeviction or volatile-lru'];
    return note({ code: 'sign_ins_unknown', host, wanted }, remedy('signing in'));
  } finally {
    redis.close();
  }
}

/** What the catalogue asks for and openapi.json does not list; it has failed where an endpoint is gone. */
function findDrift(openapi: unknown): Found {
  const listed = listedParameters(openapi);
  const gone = endpoints.flatMap((endpoint) => {
    const { path, pathId, hasOpenParameters, input } = endpoint;
    const parameters = listed.get(pathKey(path));
    if (parameters === undefined) return [path];
    const known = new Set(readParameters(parameters).map(({ name }) => name));
    const sent = Object.keys(input.shape).filter((name) => !isServerArgument(endpoint, name));
    const lost = sent.filter((name) => name !== pathId && !known.has(name));
    return hasOpenParameters ? [] : lost.map((name) => `${path}?${name}`);
  });
  if (gone.length === 0) return ok({ code: 'no_drift', endpoints: endpoints.length });
  if (gone.some((it) => !it.includes('?'))) return failed({ code: 'drift', gone });
  return note({ code: 'drift', gone }, remedy('drift_of_parameters'));
}

/** Most fields of GET /api/me are not documented (docs/platform.md#me). */
function roleOf(me: unknown): Said {
  const { account, authorization } = recordOf(me);
  const { title, role } = recordOf(authorization);
  return {
    code: 'role_of_key',
    role: String(title ?? role),
    account: String(recordOf(account).name),
    capabilities: [...(capabilitiesOf(me) ?? [])],
  };
}

function lackingIn(me: unknown): Said[] {
  const held = capabilitiesOf(me);
  const lacking = endpoints.flatMap((endpoint) => {
    const missing = lackingOf(endpoint, held).join(' and ');
    return missing === '' ? [] : { tool: endpoint.tool, missing };
  });
  return [...groupBy(lacking, ({ missing }) => missing)].map(([missing, group]) => {
    return { code: 'role_lacks', missing, tools: group.map(({ tool }) => tool) };
  });
}

/** Whether reports need a location is found by asking for one: no field says it (docs/platform.md#report-scope). */
async function findBinding(client: Client): Promise<Said[]> {
  const query = { date: amsterdamDay(Date.now()) };
  try {
    await client.get(getDailyClose.path, { endpoint: endpointName(getDailyClose), query });
    return [];
  } catch (error) {
    // What else may be wrong with a report is no matter of access.
    if (!hasCode(error, 'forbidden')) return [];
  }
  const lists = new ReferenceLists({ client, now: Date.now });
  const locations = await lists.listForDisplay('location').catch(() => undefined);
  if (locations?.length === 0) return [{ code: 'role_sees_no_location' }];
  return [{ code: 'reports_need_location', locations }];
}

function recordOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

async function findKeptLines({ config, client }: CheckedAccount): Promise<Found> {
  const { keepDir } = config;
  if (keepDir === undefined) return ok({ code: 'no_lines_kept' });
  await assertWritable(keepDir);
  if (!existsSync(keepDir)) return ok({ code: 'keep_dir_is_new', folder: keepDir });
  const problems: string[] = [];
  const log: Pick<Log, 'warn'> = { warn: ({ problem }) => problems.push(String(problem)) };
  const lines = new OrderLines({ ...config, client, keepDir, log });
  try {
    const kept = await lines.summary();
    if (problems.length === 0) return ok({ code: 'lines_in', folder: keepDir, kept });
    return failed({ code: 'lines_broken', problems });
  } finally {
    await lines.close();
  }
}
