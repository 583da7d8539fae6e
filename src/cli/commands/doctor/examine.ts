import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { discover } from '../../../client/auth/token-exchange.ts';
import { type Client, createClient, type ExchangeCheck } from '../../../client/client.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, ConfigError } from '../../../config.ts';
import { CommerceError, type ErrorCode } from '../../../core/errors.ts';
import { quote } from '../../../core/text.ts';
import { endpoints } from '../../../endpoints/index.ts';
import type { SqlEngine } from '../../../query/engine.ts';
import type { AccountLine } from '../../command-line.ts';
import { openAccount } from '../../open-app.ts';
import { ownCommand } from '../../program.ts';
import { judgeAccess } from './access.ts';
import { judgeConfiguration } from './configuration.ts';
import { judgeDrift } from './drift.ts';
import type { Check, Finding } from './report.ts';

/** What the checks look at, and what they learn of it. */
interface Subject {
  config: Config;
  client: Client;
  queryEngine: SqlEngine | undefined;
  exchanged?: ExchangeCheck;
}

interface CheckDefinition {
  name: string;
  /** The check that has to succeed before. */
  needs?: string;
  /** Whether there is something to check; without it there always is. */
  isWanted?(config: Config): boolean;
  /** An error that it throws makes it fail. */
  run(subject: Subject): Promise<Finding> | Finding;
  /** What to do about that error; of an error of the platform its code decides. */
  remedy: string | ((config: Config) => string);
}

const authorization = ({ authUrl }: Config) =>
  `Check COMMERCE_AUTH_URL (${authUrl}): it has to be the account's own authorization server, which is not the address of the API.`;

const api = ({ baseUrl }: Config) =>
  `Check COMMERCE_BASE_URL (${baseUrl}): it has to be the platform API.`;

/** What to do by the code of an error, in place of the check's own remedy. */
const refusals: Partial<Record<ErrorCode, string>> = {
  key_refused:
    'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.',
  unauthorized:
    'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.',
  forbidden: 'Ask an account administrator what the role of this API key may see.',
  rate_limited:
    'Wait as long as that and run it again. Does another integration use this key? One key serves one integration.',
};

const reach =
  'Port, https or http and spelling have to be right, and this machine has to reach it: network, VPN, firewall.';

/** What else may be wrong with an address, or on the way to it. */
const ways: Partial<Record<ErrorCode, string>> = {
  unreachable: `${reach} A proxy is not used; NODE_EXTRA_CA_CERTS names a certificate authority of your own.`,
  timeout: `${reach} A slow line: raise COMMERCE_TIMEOUT_SECONDS.`,
  redirected: 'Give the address that it redirects to, if that is it.',
};
const trouble = 'If it is, it has trouble: run this again in a few minutes.';

/** The checks of an account, in their order. */
const checks: readonly CheckDefinition[] = [
  {
    name: 'discovery',
    remedy: authorization,
    async run({ config }) {
      const url = await discover(config, realRuntime(), AbortSignal.timeout(config.timeoutMs));
      return { verdict: 'ok', detail: `tokens come from ${url.href}` };
    },
  },
  {
    name: 'exchange',
    needs: 'discovery',
    remedy: authorization,
    async run(subject) {
      subject.exchanged = await subject.client.checkExchange();
      const { expiresInSeconds } = subject.exchanged;
      const detail = `the key gives a token for ${expiresInSeconds} s; it is renewed in time`;
      return { verdict: 'ok', detail };
    },
  },
  {
    name: 'role and capabilities',
    needs: 'exchange',
    remedy: api,
    async run({ client, config }) {
      const { body } = await client.get('/api/me');
      const offered = endpoints.filter(({ toolset }) => config.toolsets.includes(toolset));
      return judgeAccess(body, offered);
    },
  },
  {
    name: 'clock skew',
    needs: 'exchange',
    remedy: api,
    run({ exchanged }) {
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
    },
  },
  {
    name: 'rate budget',
    needs: 'exchange',
    remedy: api,
    run({ client }) {
      const budget = client.budget();
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
    },
  },
  {
    name: 'drift',
    remedy: api,
    async run({ client }) {
      const openapi = await client.openapi().catch((error: unknown) => String(error));
      if (typeof openapi !== 'string') return judgeDrift(endpoints, openapi);
      // A description that cannot be had breaks nothing.
      return {
        verdict: 'warning',
        detail: `openapi.json could not be read, so nothing was compared: ${openapi}`,
        remedy: 'Nothing breaks: the documented parameters serve.',
      };
    },
  },
  {
    name: 'redis',
    remedy:
      'Check COMMERCE_REDIS_URL: host, port, user and password, and rediss:// where it speaks TLS. Until then each replica goes on with a share of the budget.',
    async run({ config: { redisUrl } }) {
      if (redisUrl === undefined)
        return {
          verdict: 'ok',
          detail: 'none is configured: this process has the budget to itself',
        };
      const { host } = new URL(redisUrl);
      const { askRedis } = await import('../../../client/fleet/redis.ts');
      await askRedis(redisUrl).catch((error: unknown) => {
        const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
        throw new Error(`${host} does not answer as a Redis${code}: ${quote(String(error), 160)}`);
      });
      return { verdict: 'ok', detail: `${host} answers: replicas on this key share one budget` };
    },
  },
  {
    name: 'query engine',
    remedy:
      'Install the package again on this machine, with its optional parts: its native part has to be of this system. Until then query fails and everything else works.',
    async run({ config, queryEngine }) {
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
        const [{ version } = {}] = rows;
        return { verdict: 'ok', detail: `DuckDB ${version} answers in a process of its own` };
      } finally {
        if (queryEngine === undefined) await engine.close();
      }
    },
  },
  {
    name: 'definitions',
    isWanted: ({ definitions }) => definitions !== undefined,
    remedy: 'Mend the files that are named; the other definitions work without them.',
    async run({ config, queryEngine }) {
      const { StatementRoom } = await import('../../../mcp/app/statements.ts');
      const statements = new StatementRoom(config, undefined, queryEngine);
      try {
        const problems = await statements.problems();
        if (problems.length === 0)
          return { verdict: 'ok', detail: `all of ${config.definitions} work` };
        const said = problems.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
        throw new Error(said.join('\n'));
      } finally {
        await statements.close();
      }
    },
  },
  {
    name: 'order lines',
    needs: 'exchange',
    isWanted: ({ keepDir, fill }) => keepDir !== undefined || fill !== undefined,
    remedy: ({ keepDir = '' }) =>
      keepDir === ''
        ? 'Set COMMERCE_KEEP_DIR to a folder of its own, or leave COMMERCE_FILL out.'
        : `Let this user write ${keepDir}; until then nothing is kept, and everything else works.`,
    /** What is kept of order lines, and of which days between the first and the last it is not. */
    async run({ config, client }) {
      const { keepDir, fill } = config;
      if (keepDir === undefined)
        throw new Error(`COMMERCE_FILL is ${fill}, and no folder keeps the lines`);
      await mkdir(keepDir, { recursive: true, mode: 0o700 });
      await access(keepDir, constants.W_OK | constants.X_OK);
      const { OrderLines, sayFilled } = await import('../../../analysis/lines/order-lines.ts');
      const lines = new OrderLines({ ...config, client, keepDir, onProblem: () => {} });
      const { orders, bytes, filled } = await (await lines.open()).summary();
      const size = `${(bytes / 1_000_000).toFixed(1)} of ${config.keepMb} MB`;
      const kept = `lines of ${orders.toLocaleString('en-US')} orders, ${sayFilled(filled)}, ${size}`;
      if (filled?.missing === 0) return { verdict: 'ok', detail: kept };
      const detail = orders === 0 ? `none are kept yet in ${keepDir}` : kept;
      return {
        verdict: 'warning',
        detail,
        remedy: `${ownCommand()} fill last_30_days reads them.`,
      };
    },
  },
];

/** Longest a request or a wait may take here, in milliseconds: a person waits for the verdict. */
const patienceMs = 10_000;

/** Runs every check in order, each finding as soon as it is there. */
export async function* examine(line: AccountLine): AsyncGenerator<Check> {
  const opened = await openAccount(line).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  const given = opened instanceof ConfigError ? opened : opened.config;
  yield { name: 'configuration', ...judgeConfiguration(given, line) };
  if (opened instanceof ConfigError) {
    const detail = 'the configuration cannot be used';
    for (const { name, isWanted } of checks)
      if (!isWanted) yield { name, verdict: 'not run', detail };
    return;
  }
  const config = {
    ...opened.config,
    timeoutMs: Math.min(opened.config.timeoutMs, patienceMs),
    maxWaitMs: Math.min(opened.config.maxWaitMs, patienceMs),
  };
  const client = createClient(config);
  const subject: Subject = { config, client, queryEngine: line.queryEngine };
  const passed = new Set<string>();
  try {
    for (const definition of checks.filter(({ isWanted }) => isWanted?.(config) ?? true)) {
      const { name, needs } = definition;
      const isPossible = needs === undefined || passed.has(needs);
      const check: Check = isPossible
        ? await runCheck(definition, subject)
        : { name, verdict: 'not run', detail: `it needs ${needs}` };
      if (check.verdict === 'ok') passed.add(name);
      yield check;
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
    const { name: kind, message: detail } = error instanceof Error ? error : new Error(`${error}`);
    const late = kind === 'TimeoutError' ? 'timeout' : undefined;
    const code = error instanceof CommerceError ? error.code : late;
    const own = typeof remedy === 'string' ? remedy : remedy(subject.config);
    const advice = code && (refusals[code] ?? `${own} ${ways[code] ?? trouble}`);
    return { name, verdict: 'failed', detail, remedy: advice ?? own, code };
  }
}
