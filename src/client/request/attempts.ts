import { unlessAborted, withDeadline } from '../../core/deadline.ts';
import { CommerceError, PlatformError } from '../../core/errors.ts';
import { isMessageOf } from '../../core/message.ts';
import type { LoopTurns } from '../../core/process/loop-turns.ts';
import type { Token, Tokens } from '../auth/token.ts';
import { clientMessages } from '../messages.ts';
import type { QueuedRequest, RequestQueue, Settle } from '../rate-limit/queue.ts';
import {
  connectionError,
  noList,
  parseBudget,
  readAnswer,
  readJson,
  refusalError,
  retryAfterOf,
  rowsOf,
  traceIdOf,
} from '../transport/http.ts';
import type { ClientSettings, Runtime } from '../transport/runtime.ts';

export interface GetRequest extends QueuedRequest {
  url: URL;
  /** Rows that are asked for. */
  limit?: number | undefined;
  /** An answer without a list of rows is malformed. */
  holdsRows?: boolean | undefined;
  /** Longest body in bytes. @default 8,000,000 */
  maxBodyBytes?: number;
}

export interface Reading {
  body: unknown;
  /** Epoch milliseconds when the answer began to arrive. */
  readAtMs: number;
  /** Length of the body in characters. */
  size: number;
}

export interface RequestParts {
  settings: ClientSettings;
  runtime: Runtime;
  tokens: Tokens;
  queue: RequestQueue;
  /** Turns at parsing large answers. */
  parsing: LoopTurns;
  closing: AbortSignal;
}

/** Numbered from 1. An attempt without a token is outside the rate budget. */
interface Attempt {
  number: number;
  token?: Token | Promise<Token>;
  settle?: Settle;
}

/**
 * The answer to a GET, retried where that can help. No wait and no attempt begins after the end of its urgency.
 * @throws CommerceError any code but `bad_input` and `bad_config`
 */
export async function answerWithRetries(
  request: GetRequest,
  parts: RequestParts,
): Promise<Reading> {
  const { runtime, queue, tokens } = parts;
  const { endpoint, urgency, signal } = request;
  let failures = 0;
  let refusedToken: Token | undefined;
  let refusal: PlatformError | undefined;
  for (let number = 1; ; number++) {
    let attempt: Attempt | undefined;
    try {
      // A due exchange precedes the permit, which is for requests that leave at once.
      const exchanging = refusedToken ? tokens.replace(refusedToken) : tokens.current();
      if (exchanging instanceof Promise) await unlessAborted(exchanging, signal);
      return await queue.run({ ...request, refusal, isRepeat: number > 1 }, (settle) => {
        attempt = { number, settle, token: tokens.current() };
        return answerOnce(request, parts, attempt);
      });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code === 'rate_limited') {
        if (error.reason.code !== 'refused') throw error;
        // The budget knows of the refusal, so the queue holds the next attempt.
        refusal = error;
      } else if (error.code === 'unauthorized' && attempt && !refusedToken) {
        // Another token is tried once; a second refusal is due to the key.
        refusedToken = await attempt.token;
      } else {
        const delayMs = nextDelay(error, ++failures, runtime.random());
        const isLate = runtime.elapsed() + (delayMs ?? 0) > urgency.waitUntilMs();
        if (delayMs === undefined || isLate || urgency.isTriedOnce) throw error;
        runtime.log({ event: 'retry', endpoint, attempt: number, delayMs, code: error.code });
        await sleep(runtime.alarm, delayMs, signal);
      }
    }
  }
}

/** One attempt, from the token to the end of the body. @throws CommerceError as {@link answerWithRetries} */
export function answerOnce(
  request: GetRequest,
  { settings, runtime, parsing }: RequestParts,
  { number, token: exchanging, settle = () => {} }: Attempt = { number: 1 },
): Promise<Reading> {
  const { endpoint, url, maxBodyBytes = 8_000_000, signal } = request;
  const ms = settings.timeoutMs;
  const late = () =>
    new PlatformError('timeout', clientMessages.answer_late({ endpoint, seconds: ms / 1000 }));
  return withDeadline({ ms, signal, alarm: runtime.alarm, late }, async (ending) => {
    const token = await exchanging;
    ending.throwIfAborted();
    const sentAtMs = runtime.elapsed();
    let status = 0;
    let traceId: string | undefined;
    try {
      const headers = {
        ...runtime.headers(),
        accept: 'application/json, application/problem+json',
        'user-agent': settings.userAgent ?? 'commerce-mcp',
        ...(token && { authorization: `Bearer ${token.value}` }),
      };
      const reply = await runtime.send({
        url,
        method: 'GET',
        headers,
        maxBytes: maxBodyBytes,
        signal: ending,
      });
      status = reply.status;
      const secrets = token && [token.value];
      traceId = traceIdOf(reply.header('x-request-id'), secrets);
      const readAtMs = runtime.now();
      const report = parseBudget(reply.header);
      settle({ kind: 'answered', status, report, retryAfterMs: retryAfterOf(reply) });
      const read = await readAnswer(reply, endpoint, maxBodyBytes, ending);
      const answer = { ...read, ...(secrets && { secrets }) };
      if (status < 200 || status >= 300) throw refusalError(answer);
      const parse = () => readJson(answer, request.limit);
      const turn = { caller: request.caller?.id, group: settings.account, signal: ending };
      const isLarge = answer.text.length > largeAnswer;
      const body = isLarge ? await parsing.take(turn, parse) : parse();
      if (request.holdsRows && rowsOf(body) === undefined) throw noList(endpoint);
      return { body, readAtMs, size: answer.text.length };
    } catch (error) {
      // The platform may have counted a request that it never answered.
      settle({ kind: 'lost' });
      if (ending.aborted) throw ending.reason;
      if (error instanceof CommerceError) throw error;
      throw connectionError(error, endpoint, url);
    } finally {
      const durationMs = runtime.elapsed() - sentAtMs;
      runtime.log({ event: 'request', endpoint, status, durationMs, attempt: number, traceId });
    }
  });
}

/** Answers longer than this, in characters, are parsed one at a time. */
const largeAnswer = 500_000;

async function sleep(alarm: Runtime['alarm'], ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const slept = new Promise<void>((resolve) => {
    stop = alarm(ms, resolve);
  });
  await unlessAborted(slept, signal).finally(stop);
}

const maxRetries = 3;

/**
 * Milliseconds before the next attempt, or undefined if another one cannot help. Waits grow threefold with jitter,
 * and `Retry-After` may prolong them. A 429 is left to the budget.
 * @param failures failed attempts so far
 * @param chance from 0 to below 1
 */
export function nextDelay(
  failure: Pick<PlatformError, 'code' | 'reason' | 'status' | 'retryAfterMs'>,
  failures: number,
  chance: number,
): number | undefined {
  const { code, reason, status = 0, retryAfterMs = 0 } = failure;
  const isKnown = isMessageOf(clientMessages, reason) && reason.code === 'not_connected';
  if (isKnown && isLasting(reason)) return undefined;
  const isTransient =
    ['unreachable', 'timeout', 'malformed_answer'].includes(code) ||
    (code === 'upstream_failed' && [500, 502, 503, 504].includes(status)) ||
    (code === 'exchange_failed' && (status === 429 || status >= 500));
  if (failures > maxRetries || !isTransient) return undefined;
  const backoffMs = 300 * 3 ** (failures - 1) * (0.5 + chance / 2);
  return Math.max(Math.round(backoffMs), retryAfterMs);
}

type NotConnected = ReturnType<typeof clientMessages.not_connected>;

/** Ports, certificates and proxies refuse until a person changes something. */
function isLasting({ fault, cause }: NotConnected): boolean {
  return ['certificate', 'no_tls'].includes(fault) || (fault === 'proxy' && /^4/.test(cause));
}
