import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OrderLines } from '../../../analysis/lines/order-lines.ts';
import type { StatementRuntime } from '../../../analysis/tables/run-statements.ts';
import { discover } from '../../../client/auth/token.ts';
import type { Client, ExchangeCheck } from '../../../client/client.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { type Config, ConfigError } from '../../../config/config.ts';
import { withDeadline } from '../../../core/deadline.ts';
import { CommerceError, type ErrorCode, reasonIn } from '../../../core/errors.ts';
import { assertWritable } from '../../../core/files.ts';
import type { Log } from '../../../core/log.ts';
import { countNoun, quote } from '../../../core/text.ts';
import { isServerArgument } from '../../../endpoints/define.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { listedParameters, pathKey, readParameters } from '../../../endpoints/openapi.ts';
import { createApp } from '../../../mcp/app/app.ts';
import { createLog } from '../../../mcp/telemetry/log.ts';
import { engineProblem } from '../../../query/installation.ts';
import { openAccount } from '../../account.ts';
import type { CommandLine } from '../../command-line.ts';
import { ownCommand } from '../../program.ts';
import { personReader } from '../../terminal/catalogue/reader.ts';
import { findAccess } from './access.ts';

const toPerson = personReader(() => true);

/** What a check found, for people. */
export interface Check {
  name: string;
  /** A `note` leaves everything working. */
  verdict: 'ok' | 'note' | 'FAILED';
  detail: string;
  /** What to do about it. */
  remedy?: string;
  /** Of the error that made it fail. */
  code?: ErrorCode;
}

/** What the checks of an account look at, and what they learn of it. */
interface Subject {
  config: Config;
  client: Client;
  statements: StatementRuntime;
  exchanged?: ExchangeCheck;
}

interface CheckDefinition {
  name: string;
  /** Whether all checks that follow need it. */
  isPrerequisite?: true;
  /** Gives what is well, with a remedy what is to be noted, and throws what is wrong. */
  run(subject: Subject): Promise<Found> | Found;
  /** What to do about an error, unless its code says it better. */
  remedy: string;
}

type Found = string | { detail: string; remedy: string };

const reach =
  'Check the address (COMMERCE_BASE_URL, COMMERCE_AUTH_URL): spelling, port, https or http; and that this machine reaches it in COMMERCE_TIMEOUT_SECONDS: network, VPN, firewall. A proxy is not used; NODE_EXTRA_CA_CERTS names a certificate authority of your own.';
const oneKey = 'Does another integration use this key? One key serves one integration.';

const remedies: Partial<Record<ErrorCode, string>> = {
  key_refused:
    'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, without quotation marks or spaces, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.',
  unauthorized:
    'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.',
  forbidden: 'Ask an account administrator what the role of this API key may see.',
  rate_limited: `Wait as long as that and run it again. ${oneKey}`,
  unreachable: reach,
  timeout: reach,
  redirected: 'Configure the address that it redirects to, if that is it.',
  upstream_failed: 'The platform has trouble: run this again in a few minutes.',
};

const authorization =
  "Check COMMERCE_AUTH_URL: it has to be the account's own authorization server, which is not the address of the API.";
const api = 'Check COMMERCE_BASE_URL: it has to be the platform API.';

/** What Redis means by the codes with which it refuses a connection. */
const redisRefusals: Readonly<Record<string, string>> = {
  WRONGPASS: 'answers, and refuses the user or the password',
  NOAUTH: 'answers, and asks for a password, of which there is none in the address',
  NOPERM: 'answers, and this user may not do what a shared budget needs',
};

/** The checks of an account, in their order: of this machine, then of the key and the platform. */
const checks: readonly CheckDefinition[] = [
  {
    name: 'redis',
    remedy:
      'Check COMMERCE_REDIS_URL: host, port, user and password, and rediss:// where it speaks TLS. Until then each replica goes on with a share of the budget.',
    async run({ config: { redisUrl } }) {
      if (redisUrl === undefined)
        return 'none is configured: this process has the budget to itself';
      const { askRedis } = await import('../../../client/fleet/redis.ts');
      const { host } = new URL(redisUrl);
      await askRedis(redisUrl).catch((error: unknown) => {
        const [, refusal] = /\b(WRONGPASS|NOAUTH|NOPERM)\b/.exec(String(error)) ?? [];
        if (refusal) throw new Error(`${host} ${redisRefusals[refusal]} (${refusal})`);
        const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
        throw new Error(`${host} does not answer as a Redis${code}: ${quote(String(error), 160)}`);
      });
      return `${host} answers: replicas on this key share one budget`;
    },
  },
  {
    name: 'query engine',
    remedy:
      'Install the package again on this machine, with its optional parts: its native part has to be of this system. Until then query fails and everything else works.',
    async run({ statements }) {
      const lacks = engineProblem();
      if (lacks !== undefined) return { detail: toPerson.say(lacks), remedy: this.remedy };
      const engine = await statements.engine();
      const { rows } = await engine.run({
        sql: 'SELECT version() AS version',
        caller: 'doctor',
        provider: {
          tables: new Map(),
          nowMs: Date.now(),
          load: async () => [],
        },
        maxRows: 1,
        signal: new AbortController().signal,
      });
      return `DuckDB ${rows[0]?.version} answers in a process of its own`;
    },
  },
  {
    name: 'discovery',
    isPrerequisite: true,
    remedy: authorization,
    async run({ config }) {
      const url = await withDeadline({ ms: config.timeoutMs }, (signal) =>
        discover(config, realRuntime(), signal),
      );
      return `tokens come from ${url.href}`;
    },
  },
  {
    name: 'exchange',
    isPrerequisite: true,
    remedy: authorization,
    async run(subject) {
      subject.exchanged = await subject.client.checkExchange();
      return `the key gives a token for ${subject.exchanged.expiresInSeconds} s; it is renewed in time`;
    },
  },
  {
    name: 'role and capabilities',
    remedy: api,
    run: ({ client }) => findAccess(client),
  },
  {
    name: 'order lines',
    remedy:
      'COMMERCE_KEEP_DIR has to be a folder of the user that runs this (mode 700). Until then no lines are kept, and everything else works.',
    run: findKeptLines,
  },
  {
    name: 'clock skew',
    remedy: 'today, yesterday and as_of follow this clock: set it from the network (NTP).',
    run({ exchanged }) {
      const skew = exchanged?.clockSkewSeconds;
      if (skew === undefined) return 'the authorization server does not tell the time';
      if (Math.abs(skew) <= 60) return 'in step with the platform, within a minute';
      const minutes = countNoun(Math.round(Math.abs(skew) / 60), 'minute');
      const side = skew > 0 ? 'behind' : 'ahead of';
      throw new Error(`this machine's clock is ${minutes} ${side} the platform's`);
    },
  },
  {
    name: 'rate budget',
    remedy: api,
    run({ client }) {
      const budget = client.budget();
      if (budget === undefined)
        return 'the platform reported none, so requests are paced carefully until an answer does';
      const { limit, remaining, windowSeconds, resetsInSeconds } = budget;
      return `${remaining} of ${limit} requests left in this window of ${windowSeconds} s; the next begins in ${resetsInSeconds} s`;
    },
  },
  {
    name: 'drift',
    remedy: 'Look for a newer version of commerce-mcp; until then, do without what is gone.',
    async run({ client }) {
      const openapi = await client.openapi().catch((error: unknown) => String(error));
      if (typeof openapi !== 'string') return sayDrift(openapi);
      const detail = `openapi.json could not be read, so nothing was compared: ${openapi}`;
      return { detail, remedy: 'Nothing breaks: the documented parameters serve.' };
    },
  },
  {
    name: 'definitions',
    remedy: 'Mend what is named; all other definitions work.',
    async run({ config: { definitions: folder }, statements }) {
      if (folder === undefined) return 'none are configured';
      if (engineProblem() !== undefined) return `${folder} is not read without the query engine`;
      const { tables, problems } = await statements.definitions(true);
      const lines = problems.map(({ file, line, reason }) => {
        const place = file === undefined ? [] : [join(folder, file), ...(line ? [line] : [])];
        return [...place, ` ${toPerson.say(reason)}`].join(':').trim();
      });
      if (lines.length > 0) throw new Error(lines.join('\n'));
      if (tables.size > 0) return `${[...tables.keys()].join(', ')} of ${folder} work`;
      const remedy = 'Views go to views/NAME.sql in it, tables to tables/NAME.csv.';
      return { detail: `${folder} holds no view and no table`, remedy };
    },
  },
];

/** Runs the checks in order, each finding as soon as it is there, up to one that the others rest on. */
export async function* examine(line: CommandLine): AsyncGenerator<Check> {
  const account = await openAccount(line).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  yield judgeConfiguration(account, line.switches.has('sandbox'));
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
  const subject = { config, client: app.services.client, statements: app.statements };
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
  const { name, remedy } = definition;
  try {
    const found = await definition.run(subject);
    if (typeof found === 'string') return { name, verdict: 'ok', detail: found };
    return { name, verdict: 'note', ...found };
  } catch (error) {
    const code = error instanceof CommerceError ? error.code : undefined;
    const advice = {
      detail: personReader(() => true).say(reasonIn(error)),
      remedy: (code && remedies[code]) ?? remedy,
    };
    return { name, verdict: 'FAILED', ...advice, ...(code && { code }) };
  }
}

function judgeConfiguration(opened: { config: Config } | ConfigError, isSandbox: boolean): Check {
  const name = 'configuration';
  if (opened instanceof ConfigError) {
    const detail = opened.message.replaceAll('\n', '; ');
    const remedy = `Set them in the environment; for a client, ${ownCommand()} connect asks for them and writes its entry. No account yet? Try ${ownCommand()} demo, or add --sandbox.`;
    return { name, verdict: 'FAILED', detail, remedy };
  }
  const { baseUrl, authUrl, clientId, toolsets } = opened.config;
  // Up to the beginning of the key's own id; a value of another form may be a secret.
  const shown = clientId.slice(0, clientId.includes('.') ? clientId.indexOf('.') + 3 : 2);
  const account = isSandbox
    ? 'the embedded sandbox; settings of a real account are set aside'
    : `API ${baseUrl}, authorization ${authUrl}, key ${shown}…, secret given`;
  return { name, verdict: 'ok', detail: `${account}; toolsets ${toolsets.join(', ')}` };
}

/** What the catalogue asks for and openapi.json does not list; throws where an endpoint is gone. */
function sayDrift(openapi: unknown): Found {
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
  if (gone.length === 0) return `openapi.json lists all that ${endpoints.length} endpoints ask for`;
  const detail = `not listed any more: ${gone.join(', ')}`;
  if (gone.some((it) => !it.includes('?'))) throw new Error(detail);
  return { detail, remedy: 'The platform may pass over what it does not list: check its figures.' };
}

/** What is kept of order lines, and where. @throws {Error} for a folder that cannot be written */
async function findKeptLines({ config, client }: Subject): Promise<string> {
  const { keepDir } = config;
  if (keepDir === undefined) return 'none are kept: COMMERCE_KEEP_DIR names no folder';
  await assertWritable(keepDir);
  if (!existsSync(keepDir)) return `${keepDir} is not there yet; what is read makes it`;
  const problems: unknown[] = [];
  const log: Pick<Log, 'warn'> = { warn: ({ problem }) => problems.push(problem) };
  const lines = new OrderLines({ ...config, client, keepDir, log });
  try {
    const kept = personReader(() => true).say(await lines.summary());
    if (problems.length > 0) throw new Error(problems.join('; '));
    return `lines of ${kept}, in ${keepDir}`;
  } finally {
    await lines.close();
  }
}
