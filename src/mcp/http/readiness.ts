import type { Client } from '../../client/client.ts';
import type { Fleet } from '../../client/fleet/fleet.ts';
import type { FleetStatus } from '../../client/fleet/shared-limiter.ts';
import { CommerceError, type ErrorCode, hasCode, PlatformError } from '../../core/errors.ts';
import type { Activity } from '../telemetry/call-tracking.ts';

/** Whether calls can be answered, and what is missing; nothing of it describes the account. */
export interface Readiness {
  isReady: boolean;
  /** `fleet` where replicas share a budget: being alone is worth knowing, but calls are answered. */
  checks: { token: string; platform: string; fleet?: string };
}

export interface ReadinessSettings {
  client: Pick<Client, 'checkExchange' | 'openapi'>;
  activity: Pick<Activity, 'onEvent'>;
  /** Who shares the budget; undefined where nobody does. */
  fleet?: Pick<Fleet, 'status'>;
  /** A clock in milliseconds that never jumps. */
  elapsed: () => number;
}

/** How long a finding stands. */
const freshMs = 5000;

/** Longest that a check may take: whoever asks does not wait forever either. */
const withinMs = 3000;

/**
 * Knows from the calls that pass whether the platform can be asked, and asks for itself only when
 * nothing has passed lately: without the token, so that no rate budget is spent on it.
 */
export function createReadiness({
  client,
  activity,
  fleet,
  elapsed,
}: ReadinessSettings): () => Promise<Readiness> {
  let tokenUntilMs = Number.NEGATIVE_INFINITY;
  let answeredMs = Number.NEGATIVE_INFINITY;
  let found: { readiness: Promise<Readiness>; atMs: number } | undefined;

  activity.onEvent((event) => {
    if (event.event === 'exchange')
      tokenUntilMs = event.failed
        ? Number.NEGATIVE_INFINITY
        : elapsed() + (event.expiresInSeconds ?? 0) * 1000;
    if (event.event === 'request' && event.status > 0 && event.status < 500) answeredMs = elapsed();
  });

  async function look(): Promise<Readiness> {
    const [token, platform] = await Promise.all([
      tokenUntilMs > elapsed() ? 'ok' : findingOf(() => client.checkExchange()),
      elapsed() - answeredMs < freshMs
        ? 'ok'
        : findingOf((signal) => client.openapi({ signal }), isAnswer),
    ]);
    const isReady = token === 'ok' && platform === 'ok';
    const checks = { token, platform, ...(fleet && { fleet: fleetFinding(fleet.status()) }) };
    return { isReady, checks };
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

/** A refusal is an answer too; only silence and failures of the platform itself are not. */
function isAnswer(error: unknown): boolean {
  if (hasCode(error, 'too_large')) return true;
  return error instanceof PlatformError && error.status !== undefined && error.status < 500;
}
