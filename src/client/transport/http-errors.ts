import { type ErrorCode, PlatformError } from '../../core/errors.ts';
import { isRecord, parseJson, textIn } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { type HttpReply, type Origin, retryAfterOf } from './http.ts';

/**
 * The typed error for an answer that was no success, with what its problem document says, whatever the
 * content type; `X-Request-Id` serves as a trace_id.
 */
export function refusalError(origin: Origin, text: string, reply: HttpReply): PlatformError {
  const { endpoint, status } = origin;
  const redirect = redirectError(origin, reply);
  if (redirect) return redirect;
  const body = parseJson(text);
  const problem = isRecord(body) ? body : {};
  const reason = [problem.detail, problem.title, text.trim()].map(textIn).find((it) => it !== '');
  const detail = reason ?? 'no reason given';
  const traceId = textIn(problem.trace_id) || reply.header('x-request-id') || undefined;
  const trace = traceId === undefined ? '' : ` (trace_id ${quote(traceId, 64)})`;
  const message = `${endpoint} answered ${status}: ${quote(detail, 300)}${trace}`;
  const failure = { status, detail, traceId, retryAfterMs: retryAfterOf(reply) };
  return new PlatformError(codes[status] ?? 'upstream_failed', message, failure);
}

/** A redirect is never followed: the token and the secret go to their own origins alone. */
export function redirectError(origin: Origin, { header }: HttpReply): PlatformError | undefined {
  const { endpoint, status } = origin;
  if (status < 300 || status >= 400) return undefined;
  const location = header('location') ?? '';
  const target = URL.canParse(location) ? ` to ${quote(new URL(location).origin)}` : '';
  const claim = `${endpoint} answered ${status}, a redirect${target}`;
  const text = `${claim}, which is not followed; check the configured address.`;
  return new PlatformError('redirected', text, { status });
}

/** No status line arrived: what is known about why, without the library's own error. */
export function connectionError(error: unknown, endpoint: string, { origin }: URL): PlatformError {
  const code = isRecord(error) ? textIn(error.code) : '';
  const reason = reasons[code] ?? 'the connection failed';
  const shown = code === '' ? reason : `${reason} (${quote(code, 40)})`;
  const isUnknownHost = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  return new PlatformError('unreachable', `${endpoint}: ${shown} at ${origin}.`, { isUnknownHost });
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing answers',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the name cannot be resolved',
  EAI_AGAIN: 'the name cannot be resolved',
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
