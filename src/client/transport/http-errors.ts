import { type ErrorCode, PlatformError, type Problem } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { type HttpReply, type Origin, retryAfterOf } from './http.ts';

/** The typed error for an answer that was no success, its problem document kept. */
export function refusalError(origin: Origin, text: string, reply: HttpReply): PlatformError {
  const { endpoint, status } = origin;
  const redirect = redirectError(origin, reply);
  if (redirect) return redirect;
  const problem = readProblem(text, reply);
  const said = problem.detail ?? problem.title ?? text.trim();
  const trace = problem.traceId === undefined ? '' : ` (trace_id ${quote(problem.traceId, 64)})`;
  const shown = `${said === '' ? 'no reason given' : quote(said, 300)}${trace}`;
  const details = { ...origin, problem, retryAfterMs: retryAfterOf(reply) };
  const code = codes[status] ?? 'upstream_failed';
  return new PlatformError(code, `${endpoint} answered ${status}: ${shown}`, details);
}

/** A redirect is never followed: the token and the secret go to their own origins alone. */
export function redirectError(origin: Origin, { header }: HttpReply): PlatformError | undefined {
  const { endpoint, status } = origin;
  if (status < 300 || status >= 400) return undefined;
  const location = header('location') ?? '';
  const target = URL.canParse(location) ? ` to ${quote(new URL(location).origin)}` : '';
  const said = `${endpoint} answered ${status}, a redirect${target}`;
  const text = `${said}, which is not followed; check the configured address.`;
  return new PlatformError('redirected', text, origin);
}

/** No status line arrived: what is known about why, without the library's own error. */
export function connectionError(
  error: unknown,
  at: { endpoint: string; attempts: number; origin: string },
): PlatformError {
  const reason = isRecord(error) && typeof error.code === 'string' ? error.code : '';
  const text = reasons[reason] ?? 'the connection failed';
  const shown = reason === '' ? text : `${text} (${quote(reason, 40)})`;
  const { endpoint, attempts, origin } = at;
  const details = { endpoint, attempts };
  return new PlatformError('unreachable', `${endpoint}: ${shown} at ${origin}.`, details);
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing answers',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the name cannot be resolved',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
};

const codes: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** The members that came, whatever the content type says; `X-Request-Id` stands in for trace_id. */
function readProblem(text: string, { header }: HttpReply): Problem {
  const body = parseJson(text);
  const { trace_id, type, title, detail, hint } = isRecord(body) ? body : {};
  const traceId = trace_id ?? header('x-request-id');
  const given = Object.entries({ type, title, detail, traceId, hint });
  return Object.fromEntries(
    given.flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value.slice(0, 2000)]] : [],
    ),
  );
}
