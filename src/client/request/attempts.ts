import { CommerceError, PlatformError } from '../../core/errors.ts';
import { noTokenInTime, renewal, type Tokens } from '../auth/token.ts';
import type { Token } from '../auth/token-exchange.ts';
import type { Settlement } from '../rate-limit/budget-state.ts';
import { parseBudget } from '../rate-limit/headers.ts';
import type { RequestQueue } from '../rate-limit/queue.ts';
import type { Urgency } from '../rate-limit/queued-request.ts';
import { masked, type Origin, readJson, readText } from '../transport/body.ts';
import { withDeadline } from '../transport/deadline.ts';
import { connectionError, redirectError, refusalError } from '../transport/http-errors.ts';
import { parseRetryAfter } from '../transport/retry-after.ts';
import { noList, rowsOf } from '../transport/rows.ts';
import type { Runtime } from '../transport/runtime.ts';
import { maxRetries, nextDelay } from './retry.ts';

/** One GET to be answered, however many attempts it takes. */
export interface GetRequest {
  url: URL;
  /** Such as `GET /api/order/{id}`. */
  endpoint: string;
  urgency: Urgency;
  signal: AbortSignal;
  /** Whether the answer has to hold a list of rows: one without is as malformed as cut-off JSON. */
  holdsRows?: boolean | undefined;
  /** Without a token, and so outside the rate budget (section 8.4). */
  isAnonymous?: boolean;
  /** A failed attempt is the end: whoever asks has a schedule of their own. */
  isTriedOnce?: boolean;
}

/** What the platform answered. */
export interface Reading {
  /** A JSON object or array. */
  body: unknown;
  /** Epoch milliseconds at which the answer began to arrive. */
  readAtMs: number;
  /** `X-Request-Id` of the answer. */
  traceId?: string;
  /** Length of the body in characters. */
  size: number;
}

export interface RequestSettings {
  /** Longest one attempt may take, token and whole body included. */
  timeoutMs: number;
  /** Longest all waiting of a call may take, for the budget, for a place and between attempts. */
  maxWaitMs: number;
  maxBodyBytes: number;
  userAgent: string;
}

/** What calls need around them. */
export interface RequestParts {
  settings: RequestSettings;
  runtime: Runtime;
  tokens: Tokens;
  queue: RequestQueue;
}

/**
 * The answer to one GET: retried where that can help (section 7), within `maxWaitMs` plus four
 * times `timeoutMs`.
 * @throws CommerceError of any code but `bad_input` and `bad_config`
 */
export async function answer(request: GetRequest, parts: RequestParts): Promise<Reading> {
  const { settings, runtime, tokens } = parts;
  const endsAtMs = runtime.elapsed() + settings.maxWaitMs + (maxRetries + 1) * settings.timeoutMs;
  let waitLeftMs = settings.maxWaitMs;
  let failures = 0;
  let ended = 0;
  let refusedToken: Token | undefined;
  let refusal: PlatformError | undefined;
  for (let attempt = 1; ; attempt++) {
    const tried: Tried = { attempt };
    try {
      return await takeTurn(tried);
    } catch (error) {
      if (!(error instanceof PlatformError) || leftMs() <= 0) throw error;
      if (error.code === 'rate_limited') {
        if (error.status !== 429 || request.isAnonymous)
          throw refusal ? told(error, refusal) : error;
        // The limiter has seen it too: the queue holds the next attempt back until the budget returns.
        refusal = error;
      } else if (error.code === 'unauthorized' && tried.token && mayRepeat(tried.token)) {
        refusedToken = tried.token;
      } else {
        await rest(error, ++failures, attempt);
      }
    }
  }

  /** A refused token is replaced once; one that ended on its way tells nothing against the key. */
  function mayRepeat(token: Token): boolean {
    const isOver = renewal(token, runtime.elapsed(), runtime.now()) === 'expired';
    return refusedToken === undefined || (isOver && ++ended <= maxRetries);
  }

  /** What is left of the call's whole time; a drain's page has none but its patience. */
  function leftMs(): number {
    return request.urgency.patientUntilMs ? Number.POSITIVE_INFINITY : endsAtMs - runtime.elapsed();
  }

  async function takeTurn(tried: Tried): Promise<Reading> {
    const { endpoint, urgency, signal } = request;
    const limits = () => ({
      ms: Math.min(settings.timeoutMs, leftMs()),
      signal,
      alarm: runtime.alarm,
      late: () => timeout(endpoint, tried.attempt, settings.timeoutMs),
    });
    if (request.isAnonymous) {
      return withDeadline(limits(), (ending) =>
        attemptOnce(request, parts, tried, () => {}, ending),
      );
    }
    // An exchange, where one is due, comes before the permit: the budget is for what leaves at once.
    signal.throwIfAborted();
    const token = refusedToken ? tokens.replace(refusedToken) : tokens.current();
    if (token instanceof Promise) {
      const late = () => noTokenInTime(settings.timeoutMs, tried.attempt);
      await withDeadline({ ...limits(), late }, () => token);
    }
    const enteredAtMs = runtime.elapsed();
    const queued = {
      endpoint,
      urgency,
      isRepeat: tried.attempt > 1,
      untilMs: enteredAtMs + Math.min(waitLeftMs, leftMs()),
      signal,
    };
    return parts.queue.run(queued, (settle) => {
      const waitedMs = runtime.elapsed() - enteredAtMs;
      waitLeftMs -= waitedMs;
      if (waitedMs >= 1) runtime.log({ event: 'wait', endpoint, waitedMs });
      return withDeadline(limits(), (ending) => attemptOnce(request, parts, tried, settle, ending));
    });
  }

  /** Waits before another attempt, or gives the failure back when none can help. */
  async function rest(error: PlatformError, failed: number, attempt: number): Promise<void> {
    const delayMs = nextDelay(error, failed, runtime.random());
    const now = runtime.elapsed();
    const untilMs = request.urgency.patientUntilMs?.() ?? now + Math.min(waitLeftMs, leftMs());
    if (request.isTriedOnce || delayMs === undefined || now + delayMs > untilMs) throw error;
    const { endpoint } = request;
    runtime.log({ event: 'retry', endpoint, attempt, delayMs, code: error.code });
    waitLeftMs -= delayMs;
    await runtime.sleep(delayMs, request.signal);
  }
}

type Settle = (ended: Settlement) => void;

interface Tried {
  attempt: number;
  /** The token that the attempt was made with. */
  token?: Token;
}

async function attemptOnce(
  request: GetRequest,
  { settings, runtime, tokens }: RequestParts,
  tried: Tried,
  settle: Settle,
  signal: AbortSignal,
): Promise<Reading> {
  const { endpoint, url } = request;
  if (!request.isAnonymous) tried.token = await tokens.current();
  signal.throwIfAborted();
  const sentAtMs = runtime.elapsed();
  let status = 0;
  let traceId: string | undefined;
  try {
    const headers = {
      accept: 'application/json, application/problem+json',
      'user-agent': settings.userAgent,
      ...(tried.token ? { authorization: `Bearer ${tried.token.value}` } : {}),
    };
    const reply = await runtime.send({ url, method: 'GET', headers, signal });
    status = reply.status;
    traceId = reply.header('x-request-id');
    const readAtMs = runtime.now();
    const retryAfterMs = parseRetryAfter(reply.header('retry-after'), readAtMs);
    const report = parseBudget(reply.header);
    settle({
      kind: 'answered',
      status,
      ...(report ? { report } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    const origin: Origin = { endpoint, attempt: tried.attempt, status };
    const text = await readText(reply.body, settings.maxBodyBytes, origin, signal);
    if (status >= 300 && status < 400) throw redirectError(origin, reply.header('location'));
    const secrets = tried.token ? [tried.token.value] : [];
    if (status < 200 || status >= 300) {
      const shown = masked(text, secrets);
      throw refusalError(origin, { text: shown, header: reply.header, retryAfterMs });
    }
    const body = readJson(text, reply.header('content-type'), origin, secrets);
    if (request.holdsRows && rowsOf(body) === undefined) throw noList(endpoint, tried.attempt);
    return { body, readAtMs, size: text.length, ...(traceId === undefined ? {} : { traceId }) };
  } catch (error) {
    // The platform may have counted a request that it never answered.
    settle({ kind: 'lost' });
    if (signal.aborted) throw signal.reason;
    if (error instanceof CommerceError) throw error;
    throw connectionError(error, { endpoint, attempt: tried.attempt, origin: url.origin });
  } finally {
    const durationMs = runtime.elapsed() - sentAtMs;
    const { attempt } = tried;
    runtime.log({ event: 'request', endpoint, status, durationMs, attempt, traceId });
  }
}

function timeout(endpoint: string, attempts: number, ms: number): PlatformError {
  return new PlatformError('timeout', `${endpoint}: no whole answer within ${ms / 1000} s.`, {
    endpoint,
    attempts,
  });
}

/** The end of waiting for the budget, with what the platform itself said when it refused. */
function told(spent: PlatformError, refusal: PlatformError): PlatformError {
  return new PlatformError('rate_limited', spent.message, {
    endpoint: spent.endpoint,
    status: refusal.status,
    problem: refusal.problem,
    attempts: refusal.attempts,
    retryAfterMs: spent.retryAfterMs,
  });
}
