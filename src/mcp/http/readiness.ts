import type { Client } from '../../client/client.ts';
import type { Fleet } from '../../client/fleet/fleet.ts';
import { clientMessages } from '../../client/messages.ts';
import { withDeadline } from '../../core/deadline.ts';
import { CommerceError, type ErrorCode } from '../../core/errors.ts';
import { endpointName } from '../../endpoints/define.ts';
import { getMe } from '../../endpoints/reference.ts';
import type { AccountDirectory, AppProvider } from '../app/accounts.ts';
import type { App } from '../app/app.ts';
import type { Activity } from '../telemetry/call-tracking.ts';
import type { Issuer } from './auth/oauth.ts';
import type { TokenSource } from './auth/tokens.ts';
import type { SignIn } from './sign-in/sign-in.ts';

/** The state of the two parts that calls need: `ok` or a problem that does not describe the account. */
interface Readiness {
  token: string;
  platform: string;
}

export interface Watched {
  apps: AppProvider;
  tokens: TokenSource;
  issuer: Issuer | undefined;
  signIn: SignIn | undefined;
}

/** Answers `/readyz`. Only the operator is told the names of accounts. */
export function openReadiness({ apps, tokens, issuer, signIn }: Watched) {
  const { directory } = apps;
  const checks = new WeakMap<App, ReturnType<typeof createReadiness>>();
  apps.onOpen((app) => {
    const noteTrouble = (state: Readiness) =>
      app.log.warn({ ...state }, 'calls of the platform fail');
    checks.set(app, createReadiness(app.services.client, app.activity, noteTrouble));
  });

  /** Whether the last calls of an application failed, without asking the platform. */
  function isTroubled(app: App): boolean {
    const state = checks.get(app)?.last();
    return state !== undefined && !isReady(state);
  }

  function checkAccounts({ list }: AccountDirectory, isForOperator: boolean) {
    const openApps = apps.apps();
    const accounts = { open: openApps.length, in_trouble: openApps.filter(isTroubled).length };
    if (!isForOperator) return { accounts };
    const states = new Map(openApps.map((app) => [app.account, checks.get(app)?.last()]));
    const names = [...list.accounts.keys()];
    const account = Object.fromEntries(names.map((name) => [name, states.get(name) ?? 'closed']));
    return { accounts, account };
  }

  return {
    isTroubled,
    async answer(isForOperator: boolean) {
      const { problem: tokensFile } = await tokens();
      const [app] = apps.apps();
      const auditProblem = apps.log.auditProblem();
      const signInTrouble = await signIn?.trouble();
      // A server of several accounts does not probe the platform.
      const probed = directory ? undefined : await (app && checks.get(app)?.());
      const states = {
        ...(directory ? checkAccounts(directory, isForOperator) : probed),
        ...(tokensFile !== undefined && { tokens_file: tokensFile }),
        ...(directory?.problem !== undefined && { accounts_file: directory.problem }),
        ...(issuer?.isAway() && {
          issuer: 'cannot be reached: the tokens it granted cannot be checked',
        }),
        ...(auditProblem !== undefined && {
          audit: `cannot be written (${auditProblem}): its lines wait, and are lost beyond a megabyte`,
        }),
        ...(signInTrouble && { sign_in: signInTroubles[signInTrouble] }),
        // A replica without Redis still answers calls, so it is ready.
        ...(app?.fleet && { fleet: describeFleet(app.fleet) }),
      };
      const answers = directory !== undefined || (probed !== undefined && isReady(probed));
      const canServe = answers && signInTrouble !== 'keys_differ';
      return { status: canServe ? ('ready' as const) : ('not ready' as const), checks: states };
    },
  };
}

const signInTroubles = {
  broken: 'nobody can sign in: the log says why',
  keys_differ: 'another replica signs with a key that this one did not have',
};

function isReady({ token, platform }: Readiness): boolean {
  return token === 'ok' && platform === 'ok';
}

function describeFleet(fleet: Fleet): string {
  const { state, replicas } = fleet.budget.status;
  if (state === 'alone') return `Redis is away: paces itself as one of ${replicas}`;
  return fleet.redis.isFull() ? 'Redis is full: kept results are not shared' : 'ok';
}

/** Time for which the outcome of a call counts, and that of a probe, which costs a request of the budget. */
const freshMs = 5000;
const askedFreshMs = 30_000;

/** Time between two logs of a lasting failure. */
const quietMs = 60_000;

/** Longest wait for the platform: load balancers wait no longer. */
const timeoutMs = 3000;

/**
 * Learns from calls whether the platform answers. Without a recent call it probes the cheapest endpoint, which needs
 * a token too. `last` asks nothing.
 */
export function createReadiness(
  client: Pick<Client, 'get'>,
  activity: Activity,
  noteTrouble: (state: Readiness) => void = () => {},
  elapsed = () => performance.now(),
) {
  let state: Readiness = { token: 'ok', platform: 'ok' };
  let untilMs = 0;
  let quietUntilMs = 0;

  function learn(readiness: Readiness, forMs = freshMs): void {
    state = readiness;
    untilMs = elapsed() + forMs;
    if (isReady(readiness) || elapsed() < quietUntilMs) return;
    quietUntilMs = elapsed() + quietMs;
    noteTrouble(readiness);
  }

  activity.on('platform', (event) => {
    if (event.event === 'exchange' && event.failed)
      learn({ token: describeFailure(event.failed), platform: 'not asked' });
    if (event.event !== 'request' || !event.endpoint.includes('/api/')) return;
    const { status } = event;
    // A refusal shows a working platform; silence, 5xx and a refused token do not.
    const isAnswered = status > 0 && status < 500 && status !== 401;
    const failure = describeFailure(status > 0 ? undefined : 'unreachable');
    learn({ token: 'ok', platform: isAnswered ? 'ok' : failure });
  });

  const check = async () => {
    if (elapsed() < untilMs) return state;
    try {
      const endpoint = endpointName(getMe);
      const reason = clientMessages.answer_late({ endpoint, seconds: timeoutMs / 1000 });
      const late = () => new CommerceError('timeout', reason);
      await withDeadline({ ms: timeoutMs, late }, (signal) =>
        client.get(getMe.path, { endpoint, signal }),
      );
      learn({ token: 'ok', platform: 'ok' }, askedFreshMs);
    } catch (error) {
      // Events of this request may have told the failure already.
      if (elapsed() < untilMs) return state;
      const code = error instanceof CommerceError ? error.code : undefined;
      learn({ token: 'ok', platform: code === 'rate_limited' ? 'ok' : describeFailure(code) });
    }
    return state;
  };
  return Object.assign(check, { last: () => state });
}

function describeFailure(code: ErrorCode | undefined): string {
  if (code === 'key_refused') return 'the API key is refused: a person must issue a new one';
  if (code === 'unreachable') return 'cannot be reached';
  if (code === 'timeout' || code === 'cancelled') return 'gives no answer in time';
  return 'answers with an error';
}
