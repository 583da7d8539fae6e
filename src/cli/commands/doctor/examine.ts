import { discover, discoveryUrl } from '../../../client/auth/token-exchange.ts';
import { type Client, createClient, type ExchangeCheck } from '../../../client/client.ts';
import { withDeadline } from '../../../client/transport/deadline.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, ConfigError } from '../../../config.ts';
import { CommerceError, type ErrorCode, PlatformError } from '../../../core/errors.ts';
import { quote } from '../../../core/text.ts';
import { endpoints } from '../../../endpoints/index.ts';
import type { SqlEngine } from '../../../query/engine.ts';
import type { AccountLine } from '../../command-line.ts';
import { openAccount } from '../../open-app.ts';
import { judgeAccess } from './access.ts';
import { judgeConfiguration, judgeMisconfiguration } from './configuration.ts';
import { judgeDrift } from './drift.ts';
import type { Check, Finding } from './report.ts';

/** What the checks look at, and what they learn of it. */
interface Subject {
  config: Config;
  client: Client;
  queryEngine: SqlEngine | undefined;
  exchanged?: ExchangeCheck;
  /** Whether nothing of the platform API answered. */
  isSilent?: boolean;
}

interface CheckDefinition {
  name: string;
  /** The check that has to succeed before. */
  needs?: string;
  /** Whether there is something to check; without it there always is. */
  isWanted?(config: Config): boolean;
  /** An error that it throws makes it fail. */
  run(subject: Subject): Promise<Finding> | Finding;
  /** What to do about that error; of an address of the platform the error decides. */
  remedy: string | ((config: Config) => Address);
}

/** An address of the platform, in the words of a remedy. */
interface Address {
  setting: string;
  /** What has to answer there. */
  what: string;
}

const authorization = ({ authUrl }: Config): Address => ({
  setting: `COMMERCE_AUTH_URL (${authUrl})`,
  what: "the account's own authorization server, which is not the address of the API",
});

const api = ({ baseUrl }: Config): Address => ({
  setting: `COMMERCE_BASE_URL (${baseUrl})`,
  what: 'the platform API',
});

/** The checks of an account, in their order. */
const checks: readonly CheckDefinition[] = [
  { name: 'discovery', run: findTokenEndpoint, remedy: authorization },
  { name: 'exchange', needs: 'discovery', run: exchangeKey, remedy: authorization },
  { name: 'role and capabilities', needs: 'exchange', run: askAccess, remedy: api },
  { name: 'clock skew', needs: 'exchange', run: compareClocks, remedy: api },
  { name: 'rate budget', needs: 'exchange', run: readBudget, remedy: api },
  { name: 'drift', run: compareDescription, remedy: api },
  {
    name: 'redis',
    run: askRedis,
    remedy:
      'Check COMMERCE_REDIS_URL: host, port, user and password, and rediss:// where it speaks TLS. Until then each replica goes on with a share of the budget.',
  },
  {
    name: 'query engine',
    run: askEngine,
    remedy:
      'Install the package again on this machine: its native part has to be of this system. Until then query fails and everything else works.',
  },
  {
    name: 'definitions',
    isWanted: ({ definitions }) => definitions !== undefined,
    run: readDefinitions,
    remedy: 'Mend the files that are named; the other definitions work without them.',
  },
];

/** Longest a request or a wait may take here, in milliseconds: a person waits for the verdict. */
const patienceMs = 10_000;

/** Runs every check in order, each finding as soon as it is there; no finding carries a secret. */
export async function* examine(line: AccountLine): AsyncGenerator<Check> {
  const { env, queryEngine } = line;
  const opened = await openAccount(line).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (opened instanceof ConfigError) {
    yield { name: 'configuration', ...judgeMisconfiguration(opened, env) };
    const detail = 'the configuration cannot be used';
    for (const { name, isWanted } of checks)
      if (!isWanted) yield { name, verdict: 'not run', detail };
    return;
  }
  const { timeoutMs, maxWaitMs, clientSecret, redisUrl } = opened.config;
  const config = {
    ...opened.config,
    timeoutMs: Math.min(timeoutMs, patienceMs),
    maxWaitMs: Math.min(maxWaitMs, patienceMs),
  };
  const password = redisUrl && decodeURIComponent(new URL(redisUrl).password);
  const conceal = concealer([clientSecret, env.COMMERCE_CLIENT_SECRET, password]);
  const client = createClient(config);
  const subject: Subject = { config, client, queryEngine };
  const passed = new Set<string>();
  try {
    yield conceal({ name: 'configuration', ...judgeConfiguration(config, line) });
    for (const definition of checks.filter(({ isWanted }) => isWanted?.(config) ?? true)) {
      const { name, needs = name } = definition;
      const isPossible = needs === name || passed.has(needs);
      const check = isPossible
        ? await runCheck(definition, subject)
        : ({ name, verdict: 'not run', detail: `it needs ${needs}` } as const);
      if (check.verdict === 'ok') passed.add(name);
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
    const code = error instanceof CommerceError ? error.code : undefined;
    if (isOutOfReach(error)) subject.isSilent = true;
    const detail = error instanceof Error ? error.message : String(error);
    const advice = typeof remedy === 'string' ? remedy : adviceOn(code, remedy(subject.config));
    return { name, verdict: 'failed', detail, remedy: advice, code };
  }
}

async function findTokenEndpoint({ config }: Subject): Promise<Finding> {
  const runtime = realRuntime();
  const { timeoutMs: ms, authUrl } = config;
  const { pathname: endpoint } = discoveryUrl(authUrl);
  const late = () => new PlatformError('timeout', `No answer within ${ms / 1000} s.`, { endpoint });
  const limits = { ms, signal: new AbortController().signal, alarm: runtime.alarm, late };
  const url = await withDeadline(limits, (signal) => discover(config, runtime, signal));
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

function compareClocks({ exchanged }: Subject): Finding {
  const skew = exchanged?.clockSkewSeconds;
  if (skew === undefined)
    return { verdict: 'warning', detail: 'the authorization server does not tell the time' };
  const off = Math.abs(skew);
  // The `Date` header has whole seconds and travels.
  if (off <= 5) return { verdict: 'ok', detail: 'in step with the platform, within 5 s' };
  const amount = off < 120 ? `${off} s` : `${Math.round(off / 60)} minutes`;
  return {
    verdict: off <= 60 ? 'warning' : 'failed',
    detail: `this machine's clock is ${amount} ${skew > 0 ? 'behind' : 'ahead of'} the platform's`,
    remedy: 'today, yesterday and as_of follow this clock: set it from the network (NTP).',
  };
}

function readBudget({ client, isSilent }: Subject): Finding {
  const budget = client.budget();
  if (budget === undefined && isSilent)
    return { verdict: 'not run', detail: 'the platform gave no answer that could report it' };
  if (budget === undefined)
    return {
      verdict: 'warning',
      detail: 'the platform reported no budget, which does not mean that none is left',
      remedy: 'Nothing to do: requests are paced carefully until an answer reports one.',
    };
  const { limit, remaining, windowSeconds, resetsInSeconds, policy } = budget;
  const ceilings = policy.map(({ name, quota }) => `${quote(name, 20)} ${quota}`).join(', ');
  const left = `${remaining} of ${limit} requests left in this window of ${windowSeconds} s`;
  const detail = `${left}; the next begins in ${resetsInSeconds} s${ceilings && `; ceilings: ${ceilings}`}`;
  // This process has sent few requests: another one has used the rest.
  if (remaining >= limit / 10) return { verdict: 'ok', detail };
  const remedy = `Calls will wait up to ${resetsInSeconds} s. Does another integration use this key? One key serves one integration.`;
  return { verdict: 'warning', detail, remedy };
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
      detail: `openapi.json could not be read, so nothing was compared: ${String(error)}`,
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
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`${host} does not answer as a Redis${code}: ${quote(String(error), 160)}`);
  });
  return { verdict: 'ok', detail: `${host} answers: replicas on this key share one budget` };
}

/** Whether every file of the business's own definitions works. */
async function readDefinitions({ config, queryEngine }: Subject): Promise<Finding> {
  const { loadStatements } = await import('../../../mcp/app/loaded-statements.ts');
  const statements = loadStatements(config, undefined, queryEngine);
  try {
    const problems = await statements.problems();
    if (problems.length === 0)
      return { verdict: 'ok', detail: `all of ${config.definitions} work` };
    const said = problems.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
    return { verdict: 'failed', detail: said.join('\n'), remedy: 'Mend these files.' };
  } finally {
    await statements.close();
  }
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
  const { QueryEngine } = await import('../../../query/engine.ts');
  const limits = { seconds: config.queryMs / 1000, memoryMb: config.queryMemoryMb };
  const engine = queryEngine ?? new QueryEngine(limits);
  try {
    const { rows } = await engine.run({
      sql: 'SELECT version() AS version',
      caller: 'doctor',
      provider: { tables: new Map(), nowMs: Date.now(), load: async () => [] },
      maxRows: 1,
      signal: new AbortController().signal,
    });
    return { verdict: 'ok', detail: `DuckDB ${rows[0]?.version} answers in a process of its own` };
  } finally {
    if (queryEngine === undefined) await engine.close();
  }
}

/** What to do about an error at an address of the platform. */
function adviceOn(code: ErrorCode | undefined, { setting, what }: Address): string {
  if (code === undefined) return 'Run it again; if it fails again, report it.';
  const otherwise = `Check ${setting}: what answers there may not be ${what}, or is a proxy.`;
  return remedies[code]?.({ setting, what }) ?? otherwise;
}

const remedies: Partial<Record<ErrorCode, (address: Address) => string>> = {
  unreachable: ({ setting }) =>
    `Check ${setting} for typing errors, its port and https or http, and that this machine reaches it: network, VPN, firewall. A proxy is not used. Set NODE_EXTRA_CA_CERTS for a certificate authority of your own.`,
  timeout: ({ setting }) =>
    `Check ${setting}, and whether network, VPN or firewall hold it up. A slow line: raise COMMERCE_TIMEOUT_SECONDS.`,
  redirected: ({ setting, what }) =>
    `Check ${setting}: give the address that it redirects to, if that is ${what}.`,
  key_refused: () =>
    'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.',
  unauthorized: () =>
    'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.',
  forbidden: () => 'Ask an account administrator what the role of this API key may see.',
  rate_limited: () =>
    'Wait as long as that and run it again. Does another integration use this key? One key serves one integration.',
  upstream_failed: ({ setting, what }) =>
    `Run it again in a few minutes; if it stays, give the platform's support the trace_id. Check ${setting}: it has to be ${what}.`,
  exchange_failed: ({ setting, what }) =>
    `Check ${setting}: it has to be ${what}. If it is, that server has trouble: run it again in a few minutes.`,
};

/** Whether nothing of the platform was there to answer. */
function isOutOfReach(error: unknown): boolean {
  const code = error instanceof CommerceError ? error.code : '';
  return code === 'unreachable' || code === 'timeout' || code === 'redirected';
}

/** Covers secrets in a check, as they are and as forms and addresses carry them. */
export function concealer(secrets: readonly (string | undefined)[]): (check: Check) => Check {
  const forms = secrets
    .flatMap((secret) => (secret ? [secret, secret.trim(), encodeURIComponent(secret)] : []))
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length);
  const cover = (text: string) => forms.reduce((it, form) => it.replaceAll(form, '[secret]'), text);
  return ({ detail, remedy, ...check }) => ({
    ...{ ...check, detail: cover(detail), remedy: remedy && cover(remedy) },
  });
}
