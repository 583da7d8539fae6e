import { CommerceError, PlatformError } from '../../core/errors.ts';
import { noTokenInTime, type Tokens } from '../auth/token.ts';
import type { Token } from '../auth/token-exchange.ts';
import { parseBudget } from '../rate-limit/headers.ts';
import type { RequestQueue, Settle, Urgency } from '../rate-limit/queue.ts';
import { masked, noList, type Origin, readJson, readText, rowsOf } from '../transport/body.ts';
import { parseRetryAfter } from '../transport/http.ts';
import { connectionError, redirectError, refusalError } from '../transport/http-errors.ts';
import { type Runtime, sleep, withDeadline } from '../transport/runtime.ts';

/** One GET to be answered, however many attempts it takes. */
export interface GetRequest {
  url: URL;
  /** Such as `GET /api/order/{id}`. */
  endpoint: string;
  urgency: Urgency;
  signal: AbortSignal;
  caller?: string | undefined;
  /** The answer has to hold a list of rows: without one it is malformed. */
  holdsRows?: boolean | undefined;
  /** Without a token, and so outside the rate budget; a failed attempt is the end. */
  isAnonymous?: boolean;
  /** Longest body. @default that of the settings */
  maxBodyBytes?: number;
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

/** What calls need around them. */
export interface RequestParts {
  settings: {
    /** Longest one attempt may take, token and whole body included. */
    timeoutMs: number;
    /** Longest all waiting of a call may take, for the budget, for a place and between attempts. */
    maxWaitMs: number;
    maxBodyBytes: number;
    userAgent: string;
  };
  runtime: Runtime;
  tokens: Tokens;
  queue: RequestQueue;
}

interface Attempt {
  /** Counted from 1. */
  number: number;
  /** The token that it was made with. */
  token?: Token;
}

/**
 * The answer to one GET, retried where that can help, within `maxWaitMs` plus four times `timeoutMs`.
 * @throws CommerceError of any code but `bad_input` and `bad_config`
 */
export async function answer(request: GetRequest, parts: RequestParts): Promise<Reading> {
  const { settings, runtime, tokens } = parts;
  const { endpoint, urgency, signal } = request;
  const endsAtMs = runtime.elapsed() + settings.maxWaitMs + (maxRetries + 1) * settings.timeoutMs;
  let waitLeftMs = settings.maxWaitMs;
  let failures = 0;
  let refusedToken: Token | undefined;
  let refusal: PlatformError | undefined;
  for (let number = 1; ; number++) {
    const attempt: Attempt = { number };
    try {
      return await takeTurn(attempt);
    } catch (error) {
      if (!(error instanceof PlatformError) || leftMs() <= 0) throw error;
      if (error.code === 'rate_limited') {
        if (error.status !== 429 || request.isAnonymous) throw withRefusal(error, refusal);
        // The limiter has seen it too: the queue holds the next attempt until the budget returns.
        refusal = error;
      } else if (error.code === 'unauthorized' && attempt.token && !refusedToken) {
        // Another token is tried once; a second refusal says something against the key.
        refusedToken = attempt.token;
      } else {
        await pause(error, ++failures, number);
      }
    }
  }

  /** What is left of the call's whole time; a page of a long read has its own deadline. */
  function leftMs(): number {
    return urgency.waitUntilMs ? Number.POSITIVE_INFINITY : endsAtMs - runtime.elapsed();
  }

  /** Ends work that belongs to one attempt when its time is over. */
  function within<T>(late: () => PlatformError, work: (ending: AbortSignal) => Promise<T>) {
    const ms = Math.min(settings.timeoutMs, leftMs());
    return withDeadline({ ms, signal, alarm: runtime.alarm, late }, work);
  }

  async function takeTurn(attempt: Attempt): Promise<Reading> {
    const once = (settle: Settle) =>
      within(
        () => timeout(endpoint, attempt.number, settings.timeoutMs),
        (ending) => attemptOnce(request, parts, attempt, settle, ending),
      );
    if (request.isAnonymous) return once(() => {});
    // An exchange, where one is due, comes before the permit: the budget is for what leaves at once.
    signal.throwIfAborted();
    const token = refusedToken ? tokens.replace(refusedToken) : tokens.current();
    if (token instanceof Promise) {
      const late = () => noTokenInTime(settings.timeoutMs, attempt.number);
      await within(late, () => token);
    }
    const enteredMs = runtime.elapsed();
    const untilMs = enteredMs + Math.min(waitLeftMs, leftMs());
    const isRepeat = attempt.number > 1;
    const queued = { endpoint, urgency, caller: request.caller, isRepeat, untilMs, signal };
    return parts.queue.run(queued, (settle) => {
      const waitedMs = runtime.elapsed() - enteredMs;
      waitLeftMs -= waitedMs;
      if (waitedMs >= 1) runtime.log({ event: 'wait', endpoint, waitedMs });
      return once(settle);
    });
  }

  /** Waits before another attempt, or throws the failure when none can help. */
  async function pause(error: PlatformError, failed: number, attempt: number): Promise<void> {
    const delayMs = nextDelay(error, failed, runtime.random());
    const now = runtime.elapsed();
    const untilMs = urgency.waitUntilMs?.() ?? now + Math.min(waitLeftMs, leftMs());
    if (request.isAnonymous || delayMs === undefined || now + delayMs > untilMs) throw error;
    runtime.log({ event: 'retry', endpoint, attempt, delayMs, code: error.code });
    waitLeftMs -= delayMs;
    await sleep(runtime.alarm, delayMs, signal);
  }
}

async function attemptOnce(
  request: GetRequest,
  { settings, runtime, tokens }: RequestParts,
  attempt: Attempt,
  settle: Settle,
  signal: AbortSignal,
): Promise<Reading> {
  const { endpoint, url } = request;
  if (!request.isAnonymous) attempt.token = await tokens.current();
  signal.throwIfAborted();
  const sentAtMs = runtime.elapsed();
  let status = 0;
  let traceId: string | undefined;
  try {
    const headers = {
      accept: 'application/json, application/problem+json',
      'user-agent': settings.userAgent,
      ...(attempt.token && { authorization: `Bearer ${attempt.token.value}` }),
    };
    const reply = await runtime.send({ url, method: 'GET', headers, signal });
    status = reply.status;
    traceId = reply.header('x-request-id');
    const readAtMs = runtime.now();
    const retryAfterMs = parseRetryAfter(reply.header('retry-after'), readAtMs);
    const report = parseBudget(reply.header);
    const retrying = retryAfterMs === undefined ? {} : { retryAfterMs };
    settle({ kind: 'answered', status, ...(report && { report }), ...retrying });
    const origin: Origin = { endpoint, attempts: attempt.number, status };
    const { maxBodyBytes = settings.maxBodyBytes } = request;
    const text = await readText(reply.body, maxBodyBytes, origin, signal);
    if (status >= 300 && status < 400) throw redirectError(origin, reply.header('location'));
    const secrets = attempt.token ? [attempt.token.value] : [];
    if (status < 200 || status >= 300) {
      throw refusalError(origin, masked(text, secrets), reply.header, retryAfterMs);
    }
    const body = readJson(text, reply.header('content-type'), origin, secrets);
    if (request.holdsRows && rowsOf(body) === undefined) throw noList(endpoint, attempt.number);
    return { body, readAtMs, size: text.length, ...(traceId === undefined ? {} : { traceId }) };
  } catch (error) {
    // The platform may have counted a request that it never answered.
    settle({ kind: 'lost' });
    if (signal.aborted) throw signal.reason;
    if (error instanceof CommerceError) throw error;
    throw connectionError(error, { endpoint, attempts: attempt.number, origin: url.origin });
  } finally {
    const durationMs = runtime.elapsed() - sentAtMs;
    const { number } = attempt;
    runtime.log({ event: 'request', endpoint, status, durationMs, attempt: number, traceId });
  }
}

function timeout(endpoint: string, attempts: number, ms: number): PlatformError {
  const text = `${endpoint}: no whole answer within ${ms / 1000} s.`;
  return new PlatformError('timeout', text, { endpoint, attempts });
}

/** The end of waiting for the budget, with what the platform itself said when it refused. */
function withRefusal(spent: PlatformError, refusal: PlatformError | undefined): PlatformError {
  if (refusal === undefined) return spent;
  const { status, problem, attempts } = refusal;
  const { endpoint, retryAfterMs } = spent;
  const details = { endpoint, status, problem, attempts, retryAfterMs };
  return new PlatformError('rate_limited', spent.message, details);
}

type Failure = Pick<PlatformError, 'code' | 'status' | 'retryAfterMs'>;

/** At most this many attempts beyond the first. */
export const maxRetries = 3;

/**
 * Milliseconds to wait before the next attempt, or undefined when another one cannot help.
 * Waits grow threefold, with jitter, and `Retry-After` is honoured where it asks for more.
 * A 429 is not for this: the budget knows when to go on.
 * @param attempt attempts made so far, the first one included
 * @param chance 0 to below 1
 */
export function nextDelay(failure: Failure, attempt: number, chance: number): number | undefined {
  if (attempt > maxRetries || !isTransient(failure)) return undefined;
  const backoffMs = 300 * 3 ** (attempt - 1) * (0.5 + chance / 2);
  return Math.max(Math.round(backoffMs), failure.retryAfterMs ?? 0);
}

function isTransient({ code, status }: Failure): boolean {
  switch (code) {
    case 'unreachable':
    case 'timeout':
    case 'malformed_answer':
      return true;
    case 'upstream_failed':
      return status !== undefined && [500, 502, 503, 504].includes(status);
    case 'exchange_failed':
      return status !== undefined && (status === 429 || status >= 500);
    default:
      return false;
  }
}
