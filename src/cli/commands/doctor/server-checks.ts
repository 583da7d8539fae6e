import { existsSync, rmSync } from 'node:fs';
import { OrderLines } from '../../../analysis/lines/order-lines.ts';
import {
  type Config,
  ConfigError,
  needsAuthentication,
  problemLines,
} from '../../../config/config.ts';
import { isLoopback } from '../../../config/values.ts';
import { withDeadline } from '../../../core/deadline.ts';
import { assertWritable } from '../../../core/files.ts';
import { isRecord } from '../../../core/json.ts';
import type { Log, LogFacts } from '../../../core/message.ts';
import { quote } from '../../../core/text.ts';
import { accessProblems } from '../../../mcp/http/access.ts';
import { openTokens } from '../../../mcp/http/auth/tokens.ts';
import { openKeeper, signInRedisOf } from '../../../mcp/http/sign-in/keeper.ts';
import { checkAuditFile } from '../../../mcp/telemetry/log.ts';
import { engineProblem } from '../../../query/installation.ts';
import {
  type CheckDefinition,
  type CheckedAccount,
  type Finding,
  failed,
  note,
  ok,
} from './check.ts';

const signInRemedy =
  'Clients have to reach this server at COMMERCE_PUBLIC_URL (name, certificate, proxy), and it has to write to COMMERCE_SIGN_IN_DIR, or to a Redis with `appendonly yes` that evicts only what expires. Until then nobody can sign in, or sign-ins are lost; everything else works.';

export const serverChecks: Readonly<Record<string, CheckDefinition>> = {
  http: {
    remedy:
      'http does not start with these settings; all other commands do. If it runs as a service, run doctor with the settings of that service (docs/http.md#as-a-service-systemd).',
    run: checkServing,
  },
  redis: {
    remedy:
      'Check COMMERCE_REDIS_URL: host, port, user and password, and rediss:// where it speaks TLS. Until then each replica goes on with a share of the budget.',
    run: checkRedis,
  },
  'query engine': {
    remedy:
      'Install the package again on this machine, with its optional parts: its native part has to be built for this system. Until then query fails and everything else works.',
    async run({ app: { statements } }) {
      const lacks = engineProblem();
      if (lacks !== undefined) return note(lacks.text);
      const engine = await statements.engine();
      const { rows } = await engine.run({
        sql: 'SELECT version() AS version',
        caller: 'doctor',
        provider: { tables: new Map(), nowMs: Date.now(), load: async () => [] },
        maxRows: 1,
        signal: new AbortController().signal,
      });
      return ok(`DuckDB ${rows[0]?.version} answers in a process of its own`);
    },
  },
  'order lines': {
    remedy:
      'COMMERCE_KEEP_DIR has to be a folder of the user that runs this (mode 700). Until then no lines are kept, and everything else works.',
    run: checkKeptLines,
  },
  'signing in': { remedy: signInRemedy, run: checkSignIn },
};

/** Finds settings that `http` refuses, and tokens that open nothing. */
async function checkServing({ config, directory }: CheckedAccount): Promise<Finding> {
  try {
    checkAudit(config.auditFile);
    return await checkCallers(config, directory);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed(problemLines(error.problems).join('; '));
  }
}

async function checkCallers(config: Config, directory: CheckedAccount['directory']) {
  const problems = accessProblems(config, directory);
  if (!needsAuthentication(config) && isLoopback(config.httpHost)) {
    if (problems.length === 0) return ok('is served to this machine alone, without authentication');
    // Without a default account, each account serves its own client over stdio.
    if (problems.every(({ problem }) => problem.code === 'no_default_account'))
      return ok('no caller has a token: each account is for its own client, over stdio');
  }
  if (problems.length > 0) throw new ConfigError(problems);
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
  await openTokens(config, log, directory);
  const idle =
    'http starts all the same, and these tokens open nothing: add the account to its file, or write a new entry (commerce-mcp token new NAME).';
  if (unopened.length > 0)
    return note(`tokens are of accounts that the file does not have: ${unopened.join(', ')}`, idle);
  if (ended.length > 0) return note(`tokens whose last day is past: ${ended.join(', ')}`, idle);
  return ok('callers have to show who they are');
}

/** @throws {ConfigError} for an audit file that cannot be written */
function checkAudit(path: string | undefined): void {
  if (path === undefined) return;
  const isNew = !existsSync(path);
  checkAuditFile(path);
  // The file would belong to the user who runs doctor, not to that of the server.
  if (isNew) rmSync(path);
}

const refusals: Readonly<Record<string, string>> = {
  WRONGPASS: 'answers, and refuses the user or the password',
  NOAUTH: 'answers, and asks for a password, and the address has none',
  NOPERM: 'answers, and this user may not do what a shared budget needs',
};

async function checkRedis({ config: { redisUrl } }: CheckedAccount): Promise<Finding> {
  if (redisUrl === undefined)
    return ok('none is configured: this process has the budget to itself');
  const { askRedis } = await import('../../../client/fleet/redis.ts');
  const { host } = new URL(redisUrl);
  try {
    await askRedis(redisUrl);
    return ok(`${host} answers: replicas on this key share one budget`);
  } catch (error) {
    const text = String(error);
    const [refusal] = /\b(WRONGPASS|NOAUTH|NOPERM)\b/.exec(text) ?? [];
    if (refusal) return failed(`${host} ${refusals[refusal]} (${refusal})`);
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return failed(`${host} does not answer as a Redis${code}: ${quote(text, 160)}`);
  }
}

async function checkSignIn({ config }: CheckedAccount): Promise<Finding> {
  const { signIn, publicUrl = '', timeoutMs: ms } = config;
  if (signIn !== 'true') return ok('nobody signs in: COMMERCE_SIGN_IN is not on');
  const keeper = await openKeeper(config);
  await keeper.put('Probe', 'doctor', {}, 60).finally(keeper.close);
  const url = `${publicUrl}/.well-known/oauth-authorization-server`;
  const ask = async (signal: AbortSignal) => (await fetch(url, { signal })).json();
  const metadata: unknown = await withDeadline({ ms }, ask).catch(() => undefined);
  const isHere = isRecord(metadata) && metadata.issuer === publicUrl;
  if (!isHere) return failed(`${url} does not lead to this server`);
  const redisUrl = signInRedisOf(config);
  const loss = redisUrl && (await checkPersistence(redisUrl));
  return loss || ok(`${publicUrl} leads to this server`);
}

/** Finds settings by which Redis loses sign-ins, at a restart or to make room. */
async function checkPersistence(redisUrl: string): Promise<Finding | undefined> {
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
    if (wrong.length === 0) return undefined;
    return failed(`${host} keeps sign-ins and may lose them: ${wrong.join(', ')}`);
  } catch {
    return note(
      `${host} keeps sign-ins and does not tell its settings: it needs appendonly yes, maxmemory-policy noeviction or volatile-lru`,
    );
  } finally {
    redis.close();
  }
}

async function checkKeptLines({ config, client }: CheckedAccount): Promise<Finding> {
  const { keepDir } = config;
  if (keepDir === undefined) return ok('none are kept: COMMERCE_KEEP_DIR names no folder');
  await assertWritable(keepDir);
  if (!existsSync(keepDir)) return ok(`${keepDir} does not exist yet; kept lines create it`);
  const problems: string[] = [];
  const log: Pick<Log, 'warn'> = { warn: ({ problem }) => problems.push(String(problem)) };
  const lines = new OrderLines({ ...config, client, keepDir, log });
  try {
    const summary = await lines.summary();
    if (problems.length > 0) return failed(problems.join('; '));
    return ok(`lines of ${summary}, in ${keepDir}`);
  } finally {
    await lines.close();
  }
}
