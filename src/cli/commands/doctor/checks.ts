import { existsSync } from 'node:fs';
import { checkBriefs } from '../../../analysis/briefs/answer-brief.ts';
import { OrderLines } from '../../../analysis/lines/order-lines.ts';
import type { StatementRuntime } from '../../../analysis/tables/run-statements.ts';
import { discover } from '../../../client/auth/token.ts';
import type { Client, ExchangeCheck } from '../../../client/client.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, needsAuthentication, unknownVariables } from '../../../config/config.ts';
import { ConfigError } from '../../../config/problem.ts';
import { isLoopback } from '../../../config/values.ts';
import { withDeadline } from '../../../core/deadline.ts';
import { CommerceError, type ErrorCode, reasonIn } from '../../../core/errors.ts';
import { assertWritable } from '../../../core/files.ts';
import { isRecord } from '../../../core/json.ts';
import type { Log } from '../../../core/message.ts';
import { isServerArgument } from '../../../endpoints/define.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { listedParameters, pathKey, readParameters } from '../../../endpoints/openapi.ts';
import type { AccountDirectory } from '../../../mcp/app/accounts.ts';
import { type App, createApp } from '../../../mcp/app/app.ts';
import { accessProblems } from '../../../mcp/http/access.ts';
import { openTokens } from '../../../mcp/http/auth/tokens.ts';
import { openKeeper } from '../../../mcp/http/sign-in/keeper.ts';
import { createLog } from '../../../mcp/telemetry/log.ts';
import { engineProblem } from '../../../query/installation.ts';
import { accountsFromFile, accountsPath, openAccount } from '../../account.ts';
import type { CommandLine } from '../../command-line.ts';
import type { Said } from '../../terminal/catalogue/catalogue.ts';
import { type Remedy, remedies } from '../../terminal/catalogue/checks.ts';
import { findAccess } from './access.ts';

/** What a check found. */
export interface Check {
  name: string;
  /** A `note` leaves everything working. */
  verdict: 'ok' | 'note' | 'FAILED';
  detail: Said;
  /** What to do about it. */
  remedies?: readonly Said[];
  /** Of the error that made it fail. */
  code?: ErrorCode;
}

/** What the checks of an account look at, and what they learn of it. */
interface Subject {
  config: Config;
  client: Client;
  statements: StatementRuntime;
  app: App;
  exchanged?: ExchangeCheck;
  /** The accounts of the file, where there is one. */
  directory: Pick<AccountDirectory, 'list'> | undefined;
}

interface CheckDefinition {
  name: Remedy;
  /** Whether all checks that follow need it. */
  isPrerequisite?: true;
  /** What throws has failed, as has what it finds. */
  run(subject: Subject): Promise<Found> | Found;
}

type Found = Omit<Check, 'name' | 'code'>;

function ok(detail: Said): Found {
  return { verdict: 'ok', detail };
}

function note(detail: Said, ...remedies: readonly Said[]): Found {
  return { verdict: 'note', detail, remedies };
}

function failed(detail: Said, of: Remedy): Found {
  return { verdict: 'FAILED', detail, remedies: [{ code: 'remedy', of }] };
}

/** The checks of an account, in their order: of this machine, then of the key and the platform. */
const checks: readonly CheckDefinition[] = [
  { name: 'http', run: findServing },
  { name: 'redis', run: ({ config: { redisUrl } }) => findRedis(redisUrl) },
  {
    name: 'query engine',
    async run({ statements }) {
      const lacks = engineProblem();
      if (lacks !== undefined) return note(lacks, { code: 'remedy', of: this.name });
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
  },
  {
    name: 'discovery',
    isPrerequisite: true,
    async run({ config }) {
      const { href: url } = await withDeadline({ ms: config.timeoutMs }, (signal) =>
        discover(config, realRuntime(), signal),
      );
      return ok({ code: 'tokens_come_from', url });
    },
  },
  {
    name: 'exchange',
    isPrerequisite: true,
    async run(subject) {
      subject.exchanged = await subject.client.checkExchange();
      return ok({ code: 'key_gives_token', seconds: subject.exchanged.expiresInSeconds });
    },
  },
  {
    name: 'role and capabilities',
    async run({ client }) {
      const { role, lacks } = await findAccess(client);
      return lacks.length === 0 ? ok(role) : note(role, ...lacks);
    },
  },
  { name: 'order lines', run: findKeptLines },
  {
    name: 'signing in',
    async run({ config }) {
      const { signIn, publicUrl = '', timeoutMs: ms } = config;
      if (signIn !== 'true') return ok({ code: 'sign_in_off' });
      const keeper = await openKeeper(config);
      await keeper.put('Probe', 'doctor', {}, 60).finally(keeper.close);
      const url = `${publicUrl}/.well-known/oauth-authorization-server`;
      const ask = async (signal: AbortSignal) => (await fetch(url, { signal })).json();
      const found: unknown = await withDeadline({ ms }, ask).catch(() => undefined);
      const isHere = isRecord(found) && found.issuer === publicUrl;
      return isHere
        ? ok({ code: 'leads_here', publicUrl })
        : failed({ code: 'leads_elsewhere', url }, this.name);
    },
  },
  {
    name: 'clock skew',
    run({ exchanged }) {
      const { clockSkewSeconds: skewSeconds } = exchanged ?? {};
      if (skewSeconds === undefined) return ok({ code: 'no_clock' });
      if (Math.abs(skewSeconds) <= 60) return ok({ code: 'clock_in_step' });
      return failed({ code: 'clock_differs', skewSeconds }, this.name);
    },
  },
  {
    name: 'rate budget',
    run({ client }) {
      const budget = client.budget();
      return ok(budget ? { code: 'budget_left', ...budget } : { code: 'no_budget_told' });
    },
  },
  {
    name: 'drift',
    async run({ client }) {
      try {
        return findDrift(await client.openapi());
      } catch (error) {
        const detail = { code: 'drift_unknown', reason: reasonIn(error) } as const;
        return note(detail, { code: 'remedy', of: 'drift_unknown' });
      }
    },
  },
  {
    name: 'definitions',
    async run({ config: { definitions: folder }, statements, app }) {
      if (folder === undefined) return ok({ code: 'no_definitions' });
      if (engineProblem() !== undefined) return ok({ code: 'definitions_unread', folder });
      const { tables, problems: ofTables } = await statements.definitions(true);
      const briefs = new Map([...app.briefs()].filter(([, it]) => it.startsWith(folder)));
      const { services, catalogue } = app;
      const asking = { services, tools: catalogue.list(), call: { nowMs: services.now() } };
      const problems = [...ofTables, ...(await checkBriefs(briefs, asking))];
      if (problems.length > 0)
        return failed({ code: 'definitions_broken', folder, problems }, this.name);
      const names = [...tables.keys(), ...briefs.keys()];
      const found = { code: 'definitions_work', folder, names } as const;
      return names.length > 0 ? ok(found) : note(found, { code: 'remedy', of: 'no_definitions' });
    },
  },
];

/** Runs the checks in order, each finding as soon as it is there, up to one that the others rest on. */
export async function* examine(line: CommandLine): AsyncGenerator<Check> {
  const account = await openAccount(line).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  yield judgeConfiguration(account, line);
  if (account instanceof ConfigError) return;
  const { timeoutMs, maxWaitMs } = account.config;
  // A person waits for the verdict.
  const atMost = { timeoutMs: Math.min(timeoutMs, 10_000), maxWaitMs: Math.min(maxWaitMs, 10_000) };
  const config = { ...account.config, ...atMost };
  // What a server would be: it knows of the account what this one does.
  const app = await createApp({
    source: account.source,
    log: createLog('silent'),
    // Its check asks Redis itself: nobody is joined for it.
    config: { ...config, redisUrl: undefined },
    ...(line.queryEngine && { queryEngine: line.queryEngine }),
  });
  const path = line.switches.has('sandbox') ? undefined : accountsPath(line);
  const directory = path === undefined ? undefined : { list: await accountsFromFile(line, path) };
  const subject = {
    directory,
    config,
    app,
    client: app.services.client,
    statements: app.statements,
  };
  try {
    for (const definition of checks) {
      const check = await runCheck(definition, subject);
      yield check;
      if (check.verdict === 'FAILED' && definition.isPrerequisite) return;
    }
  } finally {
    await app.close();
    await account.close();
  }
}

async function runCheck(definition: CheckDefinition, subject: Subject): Promise<Check> {
  const { name } = definition;
  try {
    return { name, ...(await definition.run(subject)) };
  } catch (error) {
    const code = error instanceof CommerceError ? error.code : undefined;
    const of = code !== undefined && code in remedies ? (code as Remedy) : name;
    return { name, ...failed(reasonIn(error), of), ...(code && { code }) };
  }
}

function judgeConfiguration(
  opened: { config: Config } | ConfigError,
  { env, switches }: CommandLine,
): Check {
  const isSandbox = switches.has('sandbox');
  const unknown = unknownVariables(env).map((it) => ({ code: 'unknown_variable', ...it }) as const);
  const name = 'configuration';
  if (opened instanceof ConfigError) {
    const { problems } = opened;
    const remedies: readonly Said[] = [{ code: 'remedy', of: name }, ...unknown];
    return { name, verdict: 'FAILED', detail: { code: 'configuration_wrong', problems }, remedies };
  }
  const { baseUrl, authUrl, clientId: id, toolsets } = opened.config;
  // Up to the beginning of the key's own id; a value of another form may be a secret.
  const clientId = id.slice(0, id.includes('.') ? id.indexOf('.') + 3 : 2);
  const account = { baseUrl, authUrl, clientId, toolsets, isSandbox };
  const found = { code: 'configuration_ok', ...account } as const;
  return { name, ...(unknown.length > 0 ? note(found, ...unknown) : ok(found)) };
}

/** What `http` would refuse to start with, found as it finds it; a token of no account, which opens nothing. */
async function findServing({ config, directory }: Subject): Promise<Found> {
  const problems = accessProblems(config, directory);
  if (!needsAuthentication(config) && isLoopback(config.httpHost)) {
    if (problems.length === 0) return ok({ code: 'served_to_this_machine' });
    // Accounts without a default and without callers are for stdio, one by one.
    if (problems.every(({ problem }) => problem.code === 'no_default_account'))
      return ok({ code: 'served_to_nobody' });
  }
  const unopened: string[] = [];
  const log = {
    info() {},
    error() {},
    audit() {},
    warn: ({ account }: object & { account?: unknown }) => unopened.push(String(account)),
  };
  try {
    if (problems.length > 0) throw new ConfigError(problems);
    await openTokens(config, log, directory);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed({ code: 'configuration_wrong', problems: error.problems }, 'http');
  }
  if (unopened.length === 0) return ok({ code: 'served_with_authentication' });
  return note({ code: 'tokens_of_no_account', accounts: unopened }, { code: 'remedy', of: 'http' });
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
    if (refusal) return failed({ code: 'redis_refuses', host, refusal }, 'redis');
    const errno = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return failed({ code: 'redis_silent', host, text, error: errno }, 'redis');
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
  if (gone.some((it) => !it.includes('?'))) return failed({ code: 'drift', gone }, 'drift');
  return note({ code: 'drift', gone }, { code: 'remedy', of: 'drift_of_parameters' });
}

async function findKeptLines({ config, client }: Subject): Promise<Found> {
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
    return failed({ code: 'lines_broken', problems }, 'order lines');
  } finally {
    await lines.close();
  }
}
