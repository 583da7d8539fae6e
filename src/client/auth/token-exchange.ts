import { PlatformError, type PlatformFailure } from '../../core/errors.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { addressOf, type HttpRequest, masked, readText, retryAfterOf } from '../transport/http.ts';
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
  clockSkewMs: number | undefined;
}

/** The key to exchange, and where. */
export interface KeySettings {
  authUrl: string;
  clientId: string;
  clientSecret: string;
}

type ExchangeRuntime = Pick<Runtime, 'now' | 'elapsed' | 'send'>;

/** What the exchange is called in errors. */
export const exchangeEndpoint = 'POST to the token endpoint';

/** Longest answer of an authorization server. */
const maxBytes = 1_000_000;

/**
 * The token endpoint from the discovery document, which may hold nothing else
 * (docs/platform.md#token-exchange). It has to be on the authorization server's own origin: the
 * secret goes nowhere else.
 * @throws PlatformError `exchange_failed`, `unreachable`, `redirected` or `malformed_answer`
 */
export async function discover(
  { authUrl }: KeySettings,
  runtime: ExchangeRuntime,
  signal: AbortSignal,
): Promise<URL> {
  const path = '/.well-known/oauth-authorization-server';
  const url = addressOf(authUrl, path);
  const headers = { accept: 'application/json' };
  const { document } = await ask({ url, method: 'GET', headers, signal }, `GET ${path}`, runtime);
  const address = document.token_endpoint;
  if (typeof address !== 'string' || !URL.canParse(address)) {
    const claim = 'names no token_endpoint; check the address of the authorization server.';
    throw failed(`GET ${path}`, claim);
  }
  const endpoint = new URL(address);
  if (endpoint.origin !== url.origin || endpoint.username !== '' || endpoint.password !== '') {
    const claim = `names a token endpoint at ${quote(endpoint.origin)}, not at ${url.origin}`;
    throw failed(`GET ${path}`, `${claim}: the secret is not sent there.`);
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
  const secrets = [key.clientSecret, secret, basic];
  const { document, date } = await ask(request, exchangeEndpoint, runtime, secrets);
  const { access_token: value, expires_in } = document;
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw failed(exchangeEndpoint, 'gave no usable access_token.');
  }
  // A token without a lifetime is renewed each minute.
  const isLifetime = typeof expires_in === 'number' && expires_in >= 0;
  const lifetimeMs = isLifetime ? expires_in * 1000 : 60_000;
  const theirsMs = Date.parse(date ?? '');
  const skewMs = Math.round(theirsMs - (issuedAtWallMs + runtime.now()) / 2);
  const clockSkewMs = Number.isNaN(skewMs) ? undefined : skewMs;
  return { value, lifetimeMs, issuedAtMs, issuedAtWallMs, clockSkewMs };
}

/** One request to the authorization server, which has to answer 200. */
async function ask(
  request: HttpRequest,
  endpoint: string,
  runtime: ExchangeRuntime,
  secrets: readonly string[] = [],
): Promise<{ document: JsonObject; date: string | undefined }> {
  const reply = await runtime.send(request).catch((error: unknown) => {
    request.signal.throwIfAborted();
    throw connectionError(error, endpoint, request.url);
  });
  const { status } = reply;
  const origin = { endpoint, status };
  const text = await readText(reply, maxBytes, origin, request.signal);
  const redirect = redirectError(origin, reply);
  if (redirect) throw redirect;
  const body = parseJson(text);
  const document = isRecord(body) ? body : {};
  if (status === 200) return { document, date: reply.header('date') };
  const { error, error_description, detail } = document;
  if (endpoint === exchangeEndpoint && (status === 401 || error === 'invalid_client')) {
    const refused =
      'The authorization server refused this API key: it was revoked or rolled, or its id or secret is wrong. A person must issue a new key on the platform and configure it here.';
    throw new PlatformError('key_refused', refused, { status });
  }
  const reason = [error_description, detail, error].find((it) => typeof it === 'string') ?? text;
  const claim = `answered ${status}: ${quote(masked(String(reason), secrets), 120)}`;
  throw failed(endpoint, claim, { status, retryAfterMs: retryAfterOf(reply) });
}

function failed(endpoint: string, claim: string, more: PlatformFailure = {}): PlatformError {
  const text = `No access token: ${endpoint} ${claim}`;
  return new PlatformError('exchange_failed', text, { status: 200, ...more });
}

/** RFC 6749 appendix B: as in a form, so that a colon or a non-ASCII letter survives. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
