import { discover, discoveryUrl } from '../../../client/auth/token-exchange.ts';
import { type Client, createClient, type ExchangeCheck } from '../../../client/client.ts';
import { withDeadline } from '../../../client/transport/deadline.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, ConfigError } from '../../../config.ts';
import { CommerceError, PlatformError } from '../../../core/errors.ts';
import { quote } from '../../../core/text.ts';
import { endpoints } from '../../../endpoints/index.ts';
import type { QueryEngine } from '../../../query/engine.ts';
import { type OpenSettings, openAccount } from '../../open-app.ts';
import { ownCommand } from '../../program.ts';
import { judgeAccess } from './access.ts';
import { judgeConfiguration, unknownVariables } from './configuration.ts';
import { judgeDrift } from './drift.ts';
import { judgeBudget, judgeClock } from './judge.ts';
import { ofApi, ofAuthorization, ofEngine, ofRedis } from './remedies.ts';
import type { Check, Finding, Verdict } from './report.ts';

/** What the checks look at, and what they learn of it. */
interface Subject {
  config: Config;
  client: Client;
  queryEngine: QueryEngine | undefined;
  exchanged?: ExchangeCheck;
  /** Whether nothing of the platform API answered. */
  isSilent?: boolean;
}

interface CheckDefinition {
  name: string;
  /** The check that has to succeed before. */
  needs?: string;
  /** An error that it throws makes it fail. */
  run(subject: Subject): Promise<Finding> | Finding;
  /** What to do about that error. */
  remedy(error: unknown, config: Config): string;
}

/** The checks of an account, in their order. */
const checks: readonly CheckDefinition[] = [
  { name: 'discovery', run: findTokenEndpoint, remedy: ofAuthorization },
  { name: 'exchange', needs: 'discovery', run: exchangeKey, remedy: ofAuthorization },
  { name: 'role and capabilities', needs: 'exchange', run: askAccess, remedy: ofApi },
  {
    name: 'clock skew',
    needs: 'exchange',
    run: ({ exchanged }) => judgeClock(exchanged?.clockSkewSeconds),
    remedy: ofApi,
  },
  { name: 'rate budget', needs: 'exchange', run: lookAtBudget, remedy: ofApi },
  { name: 'drift', run: compareDescription, remedy: ofApi },
  { name: 'redis', run: askRedis, remedy: ofRedis },
  { name: 'query engine', run: askEngine, remedy: ofEngine },
];

/** Somebody waits for the verdict: each request and each wait gets no more than this. */
const patienceMs = 10_000;

/** Runs every check in order, each finding as soon as it is there; no finding carries a secret. */
export async function* examine(settings: OpenSettings): AsyncGenerator<Check> {
  const { env, sandbox: isSandbox, queryEngine } = settings;
  const opened = await openAccount(settings).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (opened instanceof ConfigError) {
    yield { name: 'configuration', ...judgeMisconfiguration(opened, env) };
    for (const { name } of checks)
      yield { name, verdict: 'not run', detail: 'the configuration cannot be used' };
    return;
  }
  const { config } = opened;
  const conceal = concealer([
    ...[config.clientSecret, env.COMMERCE_CLIENT_SECRET],
    config.redisUrl && decodeURIComponent(new URL(config.redisUrl).password),
  ]);
  const client = createClient({
    ...config,
    timeoutMs: Math.min(config.timeoutMs, patienceMs),
    maxWaitMs: Math.min(config.maxWaitMs, patienceMs),
  });
  const subject = { config, client, queryEngine };
  const done = new Map<string, Verdict>();
  try {
    yield conceal({ name: 'configuration', ...judgeConfiguration(config, { env, isSandbox }) });
    for (const definition of checks) {
      const { needs = '' } = definition;
      const isRunnable = needs === '' || done.get(needs) === 'ok';
      const check: Check = isRunnable
        ? await runCheck(definition, subject)
        : { name: definition.name, verdict: 'not run', detail: `it needs ${needs}` };
      done.set(check.name, check.verdict);
      yield conceal(check);
    }
  } finally {
    await client.close();
    await opened.close();
  }
}

async function runCheck({ name, run, remedy }: CheckDefinition, subject: Subject): Promise<Check> {
  try {
    return { name, ...(await run(subject)) };
  } catch (error) {
    if (isOutOfReach(error)) subject.isSilent = true;
    return {
      ...{ name, verdict: 'failed', remedy: remedy(error, subject.config) },
      detail: error instanceof Error ? error.message : String(error),
      code: error instanceof CommerceError ? error.code : undefined,
    };
  }
}

/** The finding about a configuration that cannot be used; it names settings, never their values. */
function judgeMisconfiguration({ problems }: ConfigError, env: OpenSettings['env']): Finding {
  const isMissing = problems.some(({ missing }) => missing);
  return {
    verdict: 'failed',
    detail: problems.map(({ name, problem }) => `${name} ${problem}`).join('; '),
    remedy: [
      `Set them in the environment; for a client, ${ownCommand()} connect asks for them and writes its entry.`,
      ...(isMissing ? [`No account yet? Try ${ownCommand()} demo, or add --sandbox.`] : []),
      ...unknownVariables(env),
    ].join(' '),
  };
}

async function findTokenEndpoint({ config }: Subject): Promise<Finding> {
  const runtime = realRuntime();
  const ms = Math.min(config.timeoutMs, patienceMs);
  const { pathname: endpoint } = discoveryUrl(config.authUrl);
  const late = () => new PlatformError('timeout', `No answer within ${ms / 1000} s.`, { endpoint });
  const { signal } = new AbortController();
  const { url } = await withDeadline({ ms, signal, alarm: runtime.alarm, late }, (ending) =>
    discover(config, runtime, ending),
  );
  return { verdict: 'ok', detail: `tokens come from ${url.href}` };
}

async function exchangeKey(subject: Subject): Promise<Finding> {
  subject.exchanged = await subject.client.checkExchange();
  const { expiresInSeconds } = subject.exchanged;
  const detail = `the key gives a token for ${expiresInSeconds} s; it is renewed in time`;
  return { verdict: 'ok', detail };
}

async function askAccess({ client, config }: Subject): Promise<Finding> {
  const { body } = await client.get('/api/me');
  const offered = endpoints.filter(({ toolset }) => config.toolsets.includes(toolset));
  return judgeAccess(body, offered);
}

function lookAtBudget({ client, isSilent }: Subject): Finding {
  const budget = client.budget();
  if (isSilent && budget === undefined)
    return { verdict: 'not run', detail: 'the platform gave no answer that could report it' };
  return judgeBudget(budget);
}

/** A description that cannot be had breaks nothing, unless nothing answers there at all. */
async function compareDescription({ client, exchanged, isSilent }: Subject): Promise<Finding> {
  if (isSilent && exchanged) return { verdict: 'not run', detail: 'the platform does not answer' };
  try {
    return judgeDrift(endpoints, await client.openapi());
  } catch (error) {
    if (!exchanged && isOutOfReach(error)) throw error;
    return {
      verdict: 'warning',
      detail: `openapi.json could not be read, so nothing was compared: ${error instanceof Error ? error.message : error}`,
      remedy: 'Nothing breaks: the documented parameters serve.',
    };
  }
}

async function askRedis({ config: { redisUrl } }: Subject): Promise<Finding> {
  if (redisUrl === undefined)
    return { verdict: 'ok', detail: 'none is configured: this process has the budget to itself' };
  const { host } = new URL(redisUrl);
  const redis = await import('../../../client/fleet/redis.ts');
  await redis.askRedis(redisUrl).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? `${String(error.code)} ` : '';
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${host} does not answer as a Redis: ${quote(`${code}${reason}`, 160)}`);
  });
  return { verdict: 'ok', detail: `${host} answers: replicas on this key share one budget` };
}

/** Whether statements can run here: the engine's parts are there, and it answers one. */
async function askEngine({ config, queryEngine }: Subject): Promise<Finding> {
  const { engineProblem } = await import('../../../query/pool/installation.ts');
  const lacks = engineProblem();
  if (lacks !== undefined)
    return {
      verdict: 'warning',
      detail: `${lacks} The tool query is not offered; everything else works.`,
      remedy:
        'For query, install again with optional parts (without --omit=optional), on a platform that DuckDB is built for.',
    };
  const { createQueryEngine } = await import('../../../query/engine.ts');
  const engine =
    queryEngine ??
    createQueryEngine({ seconds: config.queryMs / 1000, memoryMb: config.queryMemoryMb });
  try {
    const { rows } = await engine.run({
      sql: 'SELECT version() AS version',
      caller: 'doctor',
      provider: { names: () => [], table: () => undefined, load: async () => [] },
      maxRows: 1,
      signal: new AbortController().signal,
    });
    return { verdict: 'ok', detail: `DuckDB ${rows[0]?.version} answers in a process of its own` };
  } finally {
    if (queryEngine === undefined) await engine.close();
  }
}

/** Whether nothing of the platform was there to answer. */
function isOutOfReach(error: unknown): boolean {
  return (
    error instanceof CommerceError && ['unreachable', 'timeout', 'redirected'].includes(error.code)
  );
}

/** Covers secrets in a check, as they are and as forms and addresses carry them. */
export function concealer(secrets: readonly (string | undefined)[]): (check: Check) => Check {
  const forms = secrets
    .flatMap((secret) => (secret ? [secret, secret.trim(), encodeURIComponent(secret)] : []))
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length);
  const cover = (text: string) => forms.reduce((it, form) => it.replaceAll(form, '[secret]'), text);
  return ({ detail, remedy, ...check }) => ({
    ...check,
    detail: cover(detail),
    remedy: remedy && cover(remedy),
  });
}
