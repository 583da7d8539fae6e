import { discover, discoveryUrl } from '../../../client/auth/token-exchange.ts';
import { type Client, createClient } from '../../../client/client.ts';
import { withDeadline } from '../../../client/transport/deadline.ts';
import { type Runtime, realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, ConfigError } from '../../../config.ts';
import { PlatformError } from '../../../core/errors.ts';
import { findDrift } from '../../../endpoints/drift.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { type Account, type OpenSettings, openAccount } from '../../open-app.ts';
import { judgeAccess } from './access.ts';
import { judgeBudget } from './budget.ts';
import type { Check, CheckName, Finding } from './check.ts';
import { judgeClock } from './clock.ts';
import { judgeConfiguration, judgeMisconfiguration } from './configuration.ts';
import { judgeDrift } from './drift.ts';
import { examineEngine } from './engine.ts';
import { concealer } from './mask.ts';
import { judgeRedis, passwordOf } from './redis.ts';
import { isOutOfReach, type Place, proxyAdvice, remedyFor } from './remedy.ts';

/** Somebody waits for the verdict: each request and each wait gets no more than this. */
const patienceMs = 10_000;

/**
 * Runs every check in order, each finding as soon as it is there; no finding carries a secret.
 *
 * @param askEngine tells whether the query engine answers
 */
export async function* examine(
  settings: OpenSettings,
  askEngine: typeof examineEngine = examineEngine,
): AsyncGenerator<Check> {
  const opened = await openAccount(settings).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  const { env, sandbox: isSandbox, queryEngine } = settings;
  if (opened instanceof ConfigError) {
    const conceal = concealer([env.COMMERCE_CLIENT_SECRET]);
    yield concealed('configuration', judgeMisconfiguration(opened, { env }), conceal);
    for (const name of afterConfiguration) yield notRun(name, 'the configuration cannot be used');
    return;
  }
  const { config } = opened;
  const conceal = concealer([
    config.clientSecret,
    env.COMMERCE_CLIENT_SECRET,
    passwordOf(config.redisUrl),
  ]);
  try {
    yield concealed('configuration', judgeConfiguration(config, { env, isSandbox }), conceal);
    for await (const { name, ...finding } of examineAccount(opened))
      yield concealed(name, withProxy(finding, env), conceal);
    yield concealed('query engine', await askEngine(config, { given: queryEngine }), conceal);
  } finally {
    await opened.close();
  }
}

const afterConfiguration = [
  'discovery',
  'exchange',
  'role and capabilities',
  'clock skew',
  'rate budget',
  'drift',
  'redis',
  'query engine',
] as const;

async function* examineAccount({ config: given }: Account): AsyncGenerator<Check> {
  const config = {
    ...given,
    timeoutMs: Math.min(given.timeoutMs, patienceMs),
    maxWaitMs: Math.min(given.maxWaitMs, patienceMs),
  };
  const runtime = realRuntime();
  const client = createClient(config, runtime);
  try {
    const discovery = await findTokenEndpoint(config, runtime);
    yield { name: 'discovery', ...discovery };
    let platform: Reach = 'not asked';
    if (discovery.verdict === 'failed') {
      yield notRun('exchange', 'the token endpoint is not known');
      yield* withoutToken();
    } else platform = yield* examineKey(client, config);
    yield platform === 'silent'
      ? notRun('drift', 'nothing of the platform answers')
      : { name: 'drift', ...(await compareDescription(client, config, platform)) };
  } finally {
    await client.close();
  }
  yield { name: 'redis', ...(await examineRedis(given.redisUrl)) };
}

/** Redis is asked by a module that is loaded only where there is one. */
async function examineRedis(url: string | undefined): Promise<Finding> {
  if (url === undefined) return judgeRedis(undefined, undefined);
  const { askRedis } = await import('../../../client/fleet/redis.ts');
  return judgeRedis(url, await askRedis(url).catch(asError));
}

/** Whether the platform API has answered anything yet. */
type Reach = 'not asked' | 'answered' | 'silent';

async function* examineKey(client: Client, config: Config): AsyncGenerator<Check, Reach> {
  const exchanged = await client.checkExchange().catch(asError);
  if (exchanged instanceof Error) {
    yield { name: 'exchange', ...failure(exchanged, authorization(config)) };
    yield* withoutToken();
    return 'not asked';
  }
  const { expiresInSeconds, clockSkewSeconds } = exchanged;
  const detail = `the key gives a token for ${expiresInSeconds} s; it is renewed in time`;
  yield { name: 'exchange', verdict: 'ok', detail };
  const me = await client.get('/api/me').catch(asError);
  const offered = endpoints.filter(({ toolset }) => config.toolsets.includes(toolset));
  yield {
    name: 'role and capabilities',
    ...(me instanceof Error ? failure(me, api(config)) : judgeAccess(me.body, offered)),
  };
  yield { name: 'clock skew', ...judgeClock(clockSkewSeconds) };
  const budget = client.budget();
  yield me instanceof Error && budget === undefined
    ? notRun('rate budget', 'the platform gave no answer that could report it')
    : { name: 'rate budget', ...judgeBudget(budget) };
  return isOutOfReach(me) ? 'silent' : 'answered';
}

function* withoutToken(): Generator<Check> {
  const reason = 'there is no access token';
  yield notRun('role and capabilities', reason);
  yield notRun('clock skew', 'the time comes with an access token, and there is none');
  yield notRun('rate budget', reason);
}

async function findTokenEndpoint(config: Config, runtime: Runtime): Promise<Finding> {
  const late = () =>
    new PlatformError('timeout', `No answer within ${config.timeoutMs / 1000} s.`, {
      endpoint: discoveryUrl(config.authUrl).pathname,
    });
  const limits = {
    ms: config.timeoutMs,
    signal: new AbortController().signal,
    alarm: runtime.alarm,
    late,
  };
  try {
    const url = await withDeadline(limits, (signal) => discover(config, runtime, signal));
    return { verdict: 'ok', detail: `tokens come from ${url.href}` };
  } catch (error) {
    return failure(asError(error), authorization(config));
  }
}

/** A description that cannot be had breaks nothing, unless nothing answers there at all. */
async function compareDescription(
  client: Client,
  config: Config,
  platform: Reach,
): Promise<Finding> {
  const openapi = await client.openapi().catch(asError);
  if (!(openapi instanceof Error))
    return judgeDrift(findDrift(endpoints, openapi), endpoints.length);
  if (platform === 'not asked' && isOutOfReach(openapi)) return failure(openapi, api(config));
  return {
    verdict: 'warning',
    detail: `openapi.json could not be read, so nothing was compared: ${openapi.message}`,
    remedy: 'Nothing breaks: the documented parameters serve.',
  };
}

function failure(error: Error, place: Place): Finding {
  return {
    verdict: 'failed',
    detail: error.message,
    remedy: remedyFor(error, place),
    cause: error,
  };
}

/** A failure that a proxy may have to do with says so too. */
function withProxy(finding: Finding, env: OpenSettings['env']): Finding {
  const advice = proxyAdvice(finding.cause, env);
  return { ...finding, remedy: [finding.remedy, ...advice].filter(Boolean).join(' ') || undefined };
}

function authorization({ authUrl }: Config): Place {
  return { what: 'the authorization server', variable: 'COMMERCE_AUTH_URL', address: authUrl };
}

function api({ baseUrl }: Config): Place {
  return { what: 'the platform API', variable: 'COMMERCE_BASE_URL', address: baseUrl };
}

function notRun(name: CheckName, detail: string): Check {
  return { name, verdict: 'not run', detail };
}

function concealed(name: CheckName, finding: Finding, conceal: (text: string) => string): Check {
  const { verdict, detail, remedy } = finding;
  return {
    name,
    verdict,
    detail: conceal(detail),
    ...(remedy !== undefined && { remedy: conceal(remedy) }),
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
