import { PlatformError } from '../../core/errors.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { masked, readText } from '../transport/body.ts';
import { type HttpRequest, parseRetryAfter } from '../transport/http.ts';
import { connectionError, redirectError } from '../transport/http-errors.ts';
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
  return new URL(`${authUrl.replace(/\/+$/, '')}/.well-known/oauth-authorization-server`);
}

/** The token endpoint as the platform documents it. */
export function documentedEndpoint(authUrl: string): URL {
  return new URL(`${authUrl.replace(/\/+$/, '')}/oauth/token`);
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
  if (answer.status !== 200) throw refused(answer);
  const given = answer.document.token_endpoint;
  if (typeof given !== 'string' || !URL.canParse(given)) {
    const claim = 'names no token_endpoint; check the address of the authorization server.';
    throw failed(answer, claim);
  }
  const endpoint = new URL(given);
  if (endpoint.origin !== url.origin || endpoint.username !== '' || endpoint.password !== '') {
    const claim = `names a token endpoint at ${quote(endpoint.origin)}, not at ${url.origin}`;
    throw failed(answer, `${claim}: the secret is not sent there.`);
  }
  return endpoint;
}

/**
 * The client-credentials exchange, with HTTP Basic as RFC 6749 section 2.3.1 writes it.
 * @throws PlatformError `key_refused` when the key is revoked or rolled; else as {@link discover}
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
  if (answer.status !== 200) throw refused(answer, [key.clientSecret, secret, basic]);
  const { access_token: value, expires_in } = answer.document;
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw failed(answer, 'gave no usable access_token.');
  }
  const token = { value, lifetimeMs: lifetime(expires_in), issuedAtMs, issuedAtWallMs };
  const theirsMs = Date.parse(answer.date ?? '');
  if (Number.isNaN(theirsMs)) return token;
  return { ...token, clockSkewMs: Math.round(theirsMs - (issuedAtWallMs + runtime.now()) / 2) };
}

const discovery = 'GET /.well-known/oauth-authorization-server';
const exchanging = 'POST to the token endpoint';
const maxBytes = 1_000_000;

interface AuthAnswer {
  endpoint: string;
  status: number;
  text: string;
  /** Empty where the answer is no JSON object. */
  document: JsonObject;
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
    throw connectionError(error, { endpoint, attempts: 1, origin: request.url.origin });
  });
  const { status } = reply;
  const origin = { endpoint, attempts: 1, status };
  const text = await readText(reply.body, maxBytes, origin, request.signal);
  if (status >= 300 && status < 400) throw redirectError(origin, reply.header('location'));
  const body = parseJson(text);
  const document = isRecord(body) ? body : {};
  const retryAfterMs = parseRetryAfter(reply.header('retry-after'), runtime.now());
  return { endpoint, status, text, document, date: reply.header('date'), retryAfterMs };
}

function refused(answer: AuthAnswer, secrets: readonly string[] = []): PlatformError {
  const { endpoint, status } = answer;
  const { error, error_description, detail, title } = answer.document;
  if (endpoint === exchanging && (status === 401 || error === 'invalid_client')) {
    const text =
      'The authorization server refused this API key: it was revoked or rolled, or its id or secret is wrong. A person must issue a new key on the platform and configure it here.';
    return new PlatformError('key_refused', text, { endpoint, status });
  }
  // An OAuth error or a problem document says in one field what a person needs; the rest is form.
  const texts = [error, error_description, detail, title].filter((it) => typeof it === 'string');
  const said = texts.find((text) => text !== '') ?? answer.text;
  return failed(answer, `answered ${status}: ${quote(masked(said, secrets), 120)}`);
}

function failed({ endpoint, status, retryAfterMs }: AuthAnswer, claim: string): PlatformError {
  const text = `No access token: ${endpoint} ${claim}`;
  return new PlatformError('exchange_failed', text, { endpoint, status, retryAfterMs });
}

/** Seconds, set by the deployment. A token without a lifetime is renewed each minute. */
function lifetime(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number.parseFloat(expiresIn) : expiresIn;
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : 60_000;
}

/** RFC 6749 appendix B: as in a form, so that a colon or a non-ASCII letter survives. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
