import { type ErrorCode, PlatformError, type Problem } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { Origin } from './body.ts';

/** An answer that was no success, read whole. */
export interface Refusal {
  text: string;
  header(name: string): string | undefined;
  /** Milliseconds from `Retry-After`. */
  retryAfterMs?: number | undefined;
}

/** The typed error for an answer that was no success, its problem document kept. */
export function refusalError(origin: Origin, refusal: Refusal): PlatformError {
  const { endpoint, status, attempt } = origin;
  const problem = readProblem(refusal);
  const said = problem.detail ?? problem.title ?? (refusal.text.trim() === '' ? '' : refusal.text);
  const trace = problem.traceId === undefined ? '' : ` (trace_id ${quote(problem.traceId, 64)})`;
  const shown = said === '' ? 'no reason given' : quote(said, 300);
  return new PlatformError(codeOf(status), `${endpoint} answered ${status}: ${shown}${trace}`, {
    endpoint,
    status,
    problem,
    attempts: attempt,
    retryAfterMs: refusal.retryAfterMs,
  });
}

/** A redirect is never followed: the token and the secret go to their own origins alone. */
export function redirectError(origin: Origin, location: string | undefined): PlatformError {
  const target = location !== undefined && URL.canParse(location) ? new URL(location).origin : '';
  return new PlatformError(
    'redirected',
    `${origin.endpoint} answered ${origin.status}, a redirect${target === '' ? '' : ` to ${quote(target)}`}, which is not followed; check the configured address.`,
    { endpoint: origin.endpoint, status: origin.status, attempts: origin.attempt },
  );
}

/** No status line arrived: what is known about why, without the library's own error. */
export function connectionError(
  error: unknown,
  at: { endpoint: string; attempt: number; origin: string },
): PlatformError {
  const reason = isRecord(error) && typeof error.code === 'string' ? error.code : '';
  const text = reasons[reason] ?? 'the connection failed';
  const shown = reason === '' ? text : `${text} (${quote(reason, 40)})`;
  return new PlatformError('unreachable', `${at.endpoint}: ${shown} at ${at.origin}.`, {
    endpoint: at.endpoint,
    attempts: at.attempt,
  });
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing answers',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the name cannot be resolved',
  EAI_AGAIN: 'the name cannot be resolved just now',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
};

function codeOf(status: number): ErrorCode {
  if (status === 400) return 'bad_request';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return 'upstream_failed';
}

/** The members that came, whatever the content type says; `X-Request-Id` stands in for trace_id. */
function readProblem({ text, header }: Refusal): Problem {
  const body = parseJson(text);
  const document = isRecord(body) ? body : {};
  const member = (name: string) => {
    const value = document[name];
    return typeof value === 'string' && value !== '' ? value.slice(0, 2000) : undefined;
  };
  const found = {
    type: member('type'),
    title: member('title'),
    detail: member('detail'),
    traceId: member('trace_id') ?? header('x-request-id')?.slice(0, 200),
    hint: member('hint'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
