import { PlatformError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { masked, readText } from '../transport/body.ts';
import type { HttpRequest } from '../transport/http.ts';
import { connectionError, redirectError } from '../transport/http-errors.ts';
import { parseRetryAfter } from '../transport/retry-after.ts';

import type { Runtime } from '../transport/runtime.ts';

/** An access token and what its exchange said. Times are milliseconds. */
export interface Token {
  /** Opaque: never parsed, never shown. */
  value: string;
  lifetimeMs: number;
  /** The elapsed and the wall clock when the exchange was sent. */
  issuedAtMs: number;
  issuedAtWallMs: number;
  /** The platform's clock minus ours, from the `Date` header, good to about a second. */
  clockSkewMs?: number;
}

/** The key to exchange, and where. */
export interface KeySettings {
  authUrl: string;
  clientId: string;
  clientSecret: string;
}

type ExchangeRuntime = Pick<Runtime, 'now' | 'elapsed' | 'send'>;

/** Where the account's authorization server publishes its token endpoint (docs/platform.md#token-exchange). */
export function discoveryUrl(authUrl: string): URL {
  return under(authUrl, '/.well-known/oauth-authorization-server');
}

/** The token endpoint as the interface documents it. */
export function documentedEndpoint(authUrl: string): URL {
  return under(authUrl, '/oauth/token');
}

function under(authUrl: string, path: string): URL {
  return new URL(authUrl.replace(/\/+$/, '') + path);
}

/**
 * The token endpoint from the discovery document, which may hold nothing else. It has to be on the
 * authorization server's own origin: the secret goes nowhere else.
 * @throws PlatformError `exchange_failed`, `unreachable`, `redirected` or `malformed_answer`
 */
export async function discover(
  key: KeySettings,
  runtime: ExchangeRuntime,
  signal: AbortSignal,
): Promise<URL> {
  const url = discoveryUrl(key.authUrl);
  const headers = { accept: 'application/json' };
  const answer = await ask({ url, method: 'GET', headers, signal }, discovery, runtime);
  if (answer.status !== 200) throw refused(discovery, answer);
  const document = parseJson(answer.text);
  const given = isRecord(document) ? document.token_endpoint : undefined;
  if (typeof given !== 'string' || !URL.canParse(given)) {
    const claim = 'names no token_endpoint; check the address of the authorization server.';
    throw failed(discovery, claim, answer);
  }
  const endpoint = new URL(given);
  if (endpoint.origin !== url.origin || endpoint.username !== '' || endpoint.password !== '') {
    const claim = `names a token endpoint at ${quote(endpoint.origin)}, not at ${url.origin}: the secret is not sent there.`;
    throw failed(discovery, claim, answer);
  }
  return endpoint;
}

/**
 * The client-credentials exchange, with HTTP Basic as RFC 6749 section 2.3.1 writes it.
 * @throws PlatformError `key_refused` when the key is revoked or rolled; else as `discover`
 */
export async function exchange(
  key: KeySettings,
  endpoint: URL,
  runtime: ExchangeRuntime,
  signal: AbortSignal,
): Promise<Token> {
  const issuedAtMs = runtime.elapsed();
  const issuedAtWallMs = runtime.now();
  const secret = formEncoded(key.clientSecret);
  const basic = Buffer.from(`${formEncoded(key.clientId)}:${secret}`).toString('base64');
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${basic}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = 'grant_type=client_credentials';
  const request: HttpRequest = { url: endpoint, method: 'POST', headers, body, signal };
  const answer = await ask(request, exchanging, runtime);
  if (answer.status !== 200) {
    throw refused(exchanging, {
      ...answer,
      text: masked(answer.text, [key.clientSecret, secret, basic]),
    });
  }
  const document = parseJson(answer.text);
  const value = isRecord(document) ? document.access_token : undefined;
  if (!isRecord(document) || typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw failed(exchanging, 'gave no usable access_token.', answer);
  }
  const clockSkewMs = skew(answer.date, (issuedAtWallMs + runtime.now()) / 2);
  return {
    value,
    lifetimeMs: lifetime(document.expires_in),
    issuedAtMs,
    issuedAtWallMs,
    ...(clockSkewMs === undefined ? {} : { clockSkewMs }),
  };
}

const discovery = 'GET /.well-known/oauth-authorization-server';
const exchanging = 'POST to the token endpoint';
const maxBytes = 1_000_000;

interface AuthAnswer {
  status: number;
  text: string;
  date: string | undefined;
  retryAfterMs: number | undefined;
}

async function ask(
  request: HttpRequest,
  endpoint: string,
  runtime: ExchangeRuntime,
): Promise<AuthAnswer> {
  const reply = await runtime.send(request).catch((error: unknown) => {
    request.signal.throwIfAborted();
    throw connectionError(error, { endpoint, attempt: 1, origin: request.url.origin });
  });
  const { status } = reply;
  const origin = { endpoint, attempt: 1, status };
  const text = await readText(reply.body, maxBytes, origin, request.signal);
  if (status >= 300 && status < 400) throw redirectError(origin, reply.header('location'));
  const retryAfterMs = parseRetryAfter(reply.header('retry-after'), runtime.now());
  return { status, text, date: reply.header('date'), retryAfterMs };
}

function refused(endpoint: string, answer: AuthAnswer): PlatformError {
  const body = parseJson(answer.text);
  const reason = isRecord(body) && typeof body.error === 'string' ? body.error : '';
  if (endpoint === exchanging && (answer.status === 401 || reason === 'invalid_client')) {
    return new PlatformError(
      'key_refused',
      'The authorization server refused this API key: it was revoked or rolled, or its id or secret is wrong. A person must issue a new key on the platform and configure it here.',
      { endpoint, status: answer.status },
    );
  }
  // An OAuth error or a problem document says in one field what a person needs; the rest is form.
  const sayings = isRecord(body) ? [reason, body.error_description, body.detail, body.title] : [];
  const texts = sayings.filter((text) => typeof text === 'string');
  const said = texts.find((text) => text !== '') ?? answer.text;
  return failed(endpoint, `answered ${answer.status}: ${quote(said, 120)}`, answer);
}

function failed(endpoint: string, claim: string, answer: AuthAnswer): PlatformError {
  return new PlatformError('exchange_failed', `No access token: ${endpoint} ${claim}`, {
    endpoint,
    status: answer.status,
    retryAfterMs: answer.retryAfterMs,
  });
}

/** Seconds, set by the deployment. A token without a lifetime is renewed each minute. */
function lifetime(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number.parseFloat(expiresIn) : expiresIn;
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : 60_000;
}

function skew(date: string | undefined, nowMs: number): number | undefined {
  const theirs = Date.parse(date ?? '');
  return Number.isNaN(theirs) ? undefined : Math.round(theirs - nowMs);
}

/** RFC 6749 appendix B: as in a form, so that a colon or a non-ASCII letter survives. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
