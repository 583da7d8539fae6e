import type { Client } from '../../client/client.ts';
import type { Fleet, FleetStatus } from '../../client/fleet/fleet.ts';
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
  /** Who shares the budget; undefined where nobody does. */
  fleet?: Pick<Fleet, 'status'>;
  /** A clock in milliseconds that never jumps. */
  elapsed: () => number;
}

/** How long a finding stands. */
const freshMs = 5000;

/** How long an answer that was asked for alone stands: it costs a request of the budget. */
const askedFreshMs = 30_000;

/** Longest that a check may take: whoever asks does not wait forever either. */
const withinMs = 3000;

/**
 * Knows from the calls that pass whether the platform answers them. Only when none has passed lately
 * it asks for itself, the cheapest call that there is: the description of a platform may be there
 * while every call fails.
 */
export function createReadiness({
  client,
  activity,
  tokensProblem,
  fleet,
  elapsed,
}: ReadinessSettings): () => Promise<Readiness> {
  const never = Number.NEGATIVE_INFINITY;
  let tokenUntilMs = never;
  let answeredMs = never;
  let askedMs = never;
  let failed = { atMs: never, status: 0 };
  let found: { readiness: Promise<Readiness>; atMs: number } | undefined;

  activity.onEvent((event) => {
    if (event.event === 'exchange')
      tokenUntilMs = event.failed ? never : elapsed() + (event.expiresInSeconds ?? 0) * 1000;
    if (event.event !== 'request' || !event.endpoint.includes('/api/')) return;
    const { status } = event;
    if (isAnswer(status)) answeredMs = elapsed();
    else failed = { atMs: elapsed(), status };
  });

  async function lookAtPlatform(): Promise<string> {
    const now = elapsed();
    if (now - answeredMs < freshMs) return 'ok';
    if (now - failed.atMs < freshMs) return sayFailure(failed.status);
    if (now - askedMs < askedFreshMs && failed.atMs < askedMs) return 'ok';
    const endpoint = `GET ${getMe.path}`;
    const ask = (signal: AbortSignal) => client.get(getMe.path, { endpoint, signal });
    const finding = await findingOf(ask, isRefusal);
    askedMs = finding === 'ok' ? elapsed() : never;
    return finding;
  }

  async function look(): Promise<Readiness> {
    const [token, platform] = await Promise.all([
      tokenUntilMs > elapsed() ? 'ok' : findingOf(() => client.checkExchange()),
      lookAtPlatform(),
    ]);
    const tokensFile = await tokensProblem?.();
    const checks = {
      token,
      platform,
      ...(tokensFile !== undefined && { tokens_file: tokensFile }),
      ...(fleet && { fleet: fleetFinding(fleet.status()) }),
    };
    return { isReady: token === 'ok' && platform === 'ok', checks };
  }

  return () => {
    const now = elapsed();
    if (found === undefined || now - found.atMs >= freshMs)
      found = { readiness: look(), atMs: now };
    return found.readiness;
  };
}

function fleetFinding({ state, replicas }: FleetStatus): string {
  if (state === 'shared') return 'ok';
  return `Redis is away: paces itself as one of ${replicas}`;
}

const findings: Partial<Record<ErrorCode, string>> = {
  key_refused: 'the API key is refused: a person must issue a new one',
  exchange_failed: 'the authorization server answers with an error',
  unreachable: 'cannot be reached',
  cancelled: 'gives no answer in time',
  timeout: 'gives no answer in time',
};

async function findingOf(
  ask: (signal: AbortSignal) => Promise<unknown>,
  isFine: (error: unknown) => boolean = () => false,
): Promise<string> {
  const late = AbortSignal.timeout(withinMs);
  const lateness = new Promise<never>((_, reject) => {
    const isLate = new CommerceError('timeout', 'no answer in time');
    late.addEventListener('abort', () => reject(isLate), { once: true });
  });
  try {
    await Promise.race([ask(late), lateness]);
    return 'ok';
  } catch (error) {
    if (isFine(error)) return 'ok';
    const code = error instanceof CommerceError ? error.code : 'upstream_failed';
    return findings[code] ?? 'answers with an error';
  }
}

/** A refusal is an answer too; silence, failures of the platform itself and a token refused are not. */
function isAnswer(status: number): boolean {
  return status > 0 && status < 500 && status !== 401;
}

function isRefusal(error: unknown): boolean {
  if (hasCode(error, 'too_large') || hasCode(error, 'rate_limited')) return true;
  return error instanceof PlatformError && isAnswer(error.status ?? 0);
}

function sayFailure(status: number): string {
  return findings[status === 0 ? 'unreachable' : 'upstream_failed'] ?? 'answers with an error';
}
