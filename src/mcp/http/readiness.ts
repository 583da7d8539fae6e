import type { Client } from '../../client/client.ts';
import type { Fleet } from '../../client/fleet/fleet.ts';
import { CommerceError, type ErrorCode, hasCode, PlatformError } from '../../core/errors.ts';
import { getMe } from '../../endpoints/reference.ts';
import type { Activity } from '../telemetry/call-tracking.ts';

/** Whether calls can be answered, and what is missing; nothing of it describes the account. */
export interface Readiness {
  isReady: boolean;
  /** `fleet` where replicas share a budget: being alone is worth knowing, but calls are answered. */
  checks: { token: string; platform: string; tokens_file?: string; fleet?: string };
}

export interface ReadinessSettings {
  client: Pick<Client, 'checkExchange' | 'get'>;
  activity: Pick<Activity, 'onEvent'>;
  /** What is wrong with the callers' tokens; undefined while all is well. */
  tokensProblem?: () => Promise<string | undefined>;
  /** Who shares the budget; undefined for a replica alone. */
  fleet?: Pick<Fleet, 'status'>;
  /** A clock in milliseconds that never jumps. */
  elapsed: () => number;
}

/** How long a finding stands. */
const freshMs = 5000;

/** How long an answer stands that was asked for alone: it costs a request of the budget. */
const askedFreshMs = 30_000;

/** Longest that a check may take: a load balancer does not wait forever either. */
const withinMs = 3000;

/**
 * Knows from the calls that pass whether the platform answers them. Only when none has passed lately
 * it asks for itself, the cheapest call that there is: the description of a platform may be there
 * while every call fails.
 */
export function createReadiness(settings: ReadinessSettings): () => Promise<Readiness> {
  const { client, activity, tokensProblem, fleet, elapsed } = settings;
  let tokenUntilMs = 0;
  let platform = { finding: '', untilMs: 0 };
  let found: { readiness: Promise<Readiness>; atMs: number } | undefined;

  activity.onEvent((event) => {
    if (event.event === 'exchange')
      tokenUntilMs = event.failed ? 0 : elapsed() + (event.expiresInSeconds ?? 0) * 1000;
    if (event.event !== 'request' || !event.endpoint.includes('/api/')) return;
    const finding = findingOf(event.status === 0 ? 'unreachable' : undefined, event.status);
    platform = { finding, untilMs: elapsed() + freshMs };
  });

  async function lookAtPlatform(): Promise<string> {
    if (elapsed() < platform.untilMs) return platform.finding;
    const endpoint = `GET ${getMe.path}`;
    const finding = await ask((signal) => client.get(getMe.path, { endpoint, signal }));
    platform = { finding, untilMs: finding === 'ok' ? elapsed() + askedFreshMs : 0 };
    return finding;
  }

  async function look(): Promise<Readiness> {
    const [token, answers, tokensFile] = await Promise.all([
      elapsed() < tokenUntilMs ? 'ok' : ask(() => client.checkExchange()),
      lookAtPlatform(),
      tokensProblem?.(),
    ]);
    const { state, replicas } = fleet?.status() ?? {};
    const alone = `Redis is away: paces itself as one of ${replicas}`;
    const checks = {
      token,
      platform: answers,
      ...(tokensFile !== undefined && { tokens_file: tokensFile }),
      ...(fleet && { fleet: state === 'shared' ? 'ok' : alone }),
    };
    return { isReady: token === 'ok' && answers === 'ok', checks };
  }

  return () => {
    const now = elapsed();
    if (found === undefined || now - found.atMs >= freshMs)
      found = { readiness: look(), atMs: now };
    return found.readiness;
  };
}

async function ask(run: (signal: AbortSignal) => Promise<unknown>): Promise<string> {
  const late = AbortSignal.timeout(withinMs);
  try {
    await Promise.race([
      run(late),
      new Promise((_, reject) => {
        const fail = () => reject(new CommerceError('timeout', 'no answer in time'));
        late.addEventListener('abort', fail, { once: true });
      }),
    ]);
    return 'ok';
  } catch (error) {
    if (hasCode(error, 'too_large') || hasCode(error, 'rate_limited')) return 'ok';
    const status = error instanceof PlatformError ? error.status : undefined;
    return findingOf(error instanceof CommerceError ? error.code : undefined, status);
  }
}

const findings: Partial<Record<ErrorCode, string>> = {
  key_refused: 'the API key is refused: a person must issue a new one',
  exchange_failed: 'the authorization server answers with an error',
  unreachable: 'cannot be reached',
  cancelled: 'gives no answer in time',
  timeout: 'gives no answer in time',
};

/** A refusal is an answer too; silence, failures of the platform itself and a token refused are not. */
function findingOf(code: ErrorCode | undefined, status = 0): string {
  if (status > 0 && status < 500 && status !== 401) return 'ok';
  return (code && findings[code]) ?? 'answers with an error';
}
