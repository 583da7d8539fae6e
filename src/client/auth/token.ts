import { withDeadline } from '../../core/deadline.ts';
import {
  CommerceError,
  type ErrorCode,
  hasCode,
  PlatformError,
  type PlatformFailure,
} from '../../core/errors.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { cutText } from '../../core/text.ts';
import { clientMessages } from '../messages.ts';
import {
  addressOf,
  connectionError,
  maskSecrets,
  readAnswer,
  redirectError,
  retryAfterOf,
} from '../transport/http.ts';
import type { ClientSettings, HttpRequest, Runtime } from '../transport/runtime.ts';

/** An access token with the facts of its exchange. Times are milliseconds. */
export interface Token {
  /** Opaque: never parsed, never shown. */
  value: string;
  lifetimeMs: number;
  /** Elapsed and wall clock when the exchange was sent. */
  issuedAtMs: number;
  issuedAtWallMs: number;
  /** The clock of the platform minus ours, from the `Date` header, exact to about a second. */
  clockSkewMs: number | undefined;
}

/** Time after a failed exchange in which the authorization server is not asked, if possible. */
const restMs = 5000;

export type Tokens = ReturnType<typeof createTokens>;

/**
 * Keeps the token of one key and renews it in time (docs/platform.md#renewal). However many calls wait, a single
 * exchange runs.
 */
export function createTokens(settings: ClientSettings, runtime: Runtime, closing: AbortSignal) {
  const { elapsed, alarm, log } = runtime;
  let heldToken: Token | undefined;
  let exchanging: Promise<Token> | undefined;
  let failure: { error: unknown; atMs: number } | undefined;
  /** The discovered token endpoint. A failure forgets it, since it may have moved. */
  let endpoint: URL | undefined;

  const hasRested = () => !failure || elapsed() - failure.atMs >= restMs;

  /** Discovery and exchange together have the time of one request. */
  async function discoverAndExchange(): Promise<Token> {
    // Only a person can change a refused key, so the server is not asked in a loop.
    if (failure && hasCode(failure.error, 'key_refused') && !hasRested()) throw failure.error;
    const startedMs = elapsed();
    const logEnd = (ended: { expiresInSeconds: number } | { failed: ErrorCode }) =>
      log({ event: 'exchange', durationMs: elapsed() - startedMs, ...ended });
    const ms = settings.timeoutMs;
    const late = () => exchangeLate(ms);
    try {
      heldToken = await withDeadline({ ms, signal: closing, alarm, late }, async (ending) => {
        endpoint ??= await discover(settings, runtime, ending);
        return exchange(settings, endpoint, runtime, ending);
      });
      failure = undefined;
      logEnd({ expiresInSeconds: Math.floor(heldToken.lifetimeMs / 1000) });
      return heldToken;
    } catch (error) {
      failure = { error, atMs: elapsed() };
      endpoint = undefined;
      logEnd({ failed: error instanceof CommerceError ? error.code : 'cancelled' });
      throw error;
    }
  }

  function renew(): Promise<Token> {
    exchanging ??= discoverAndExchange().finally(() => {
      exchanging = undefined;
    });
    return exchanging;
  }

  return {
    renew,
    /** A valid token, or a promise of one if none is held. */
    current(): Token | Promise<Token> {
      const state = heldToken ? renewal(heldToken, elapsed(), runtime.now()) : 'expired';
      if (!heldToken || state === 'expired') return renew();
      // The held token is still valid, so no call waits for its successor.
      if (state === 'due' && hasRested()) renew().catch(() => {});
      return heldToken;
    },
    async replace(refused: Token): Promise<Token> {
      return heldToken && heldToken.value !== refused.value ? heldToken : renew();
    },
    /** The clock of the platform minus ours by the last exchange, or 0. */
    clockSkewMs: () => heldToken?.clockSkewMs ?? 0,
  };
}

function exchangeLate(ms: number): PlatformError {
  return new PlatformError('timeout', clientMessages.exchange_late({ seconds: ms / 1000 }));
}

/**
 * Whether a token is `fresh`, `due` for renewal (in its last minute, or the last quarter of a short lifetime) or
 * `expired`. The clock that advanced more counts: the wall clock may be set back, and the other stops while the
 * machine sleeps.
 */
export function renewal(
  token: Pick<Token, 'issuedAtMs' | 'issuedAtWallMs' | 'lifetimeMs'>,
  elapsed: number,
  now: number,
): 'fresh' | 'due' | 'expired' {
  const ageMs = Math.max(elapsed - token.issuedAtMs, now - token.issuedAtWallMs);
  const leftMs = token.lifetimeMs - ageMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= Math.min(60_000, token.lifetimeMs / 4) ? 'due' : 'fresh';
}

type ExchangeRuntime = Pick<Runtime, 'now' | 'elapsed' | 'send'>;

const exchangeEndpoint = 'POST to the token endpoint';

const maxBytes = 1_000_000;

/**
 * Reads the token endpoint from the discovery document, which may hold nothing else
 * (docs/platform.md#token-exchange). It must have the origin of the authorization server, so that the secret goes
 * nowhere else.
 * @throws PlatformError `exchange_failed`, `unreachable`, `redirected` or `malformed_answer`
 */
export async function discover(
  { authUrl }: Pick<ClientSettings, 'authUrl'>,
  runtime: ExchangeRuntime,
  signal: AbortSignal,
): Promise<URL> {
  const path = '/.well-known/oauth-authorization-server';
  const endpoint = `GET ${path}`;
  const url = addressOf(authUrl, path);
  const headers = { accept: 'application/json' };
  const { document } = await ask(
    { url, method: 'GET', headers, signal, maxBytes },
    endpoint,
    runtime,
  );
  const address = document.token_endpoint;
  if (typeof address !== 'string' || !URL.canParse(address))
    throw failed(clientMessages.no_token_endpoint({ endpoint }));
  const tokenEndpoint = new URL(address);
  const { origin: named, username, password } = tokenEndpoint;
  if (named !== url.origin || username !== '' || password !== '')
    throw failed(clientMessages.other_token_endpoint({ endpoint, named, expected: url.origin }));
  return tokenEndpoint;
}

/**
 * The client-credentials exchange with HTTP Basic (RFC 6749, section 2.3.1).
 * @throws PlatformError `key_refused` when the key is revoked or rolled; else as {@link discover}
 */
async function exchange(
  key: ClientSettings,
  url: URL,
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
  const request = { url, method: 'POST', headers, body, signal, maxBytes } as const;
  const secrets = [key.clientSecret, secret, basic];
  const { document, date } = await ask(request, exchangeEndpoint, runtime, secrets);
  const { access_token: value, expires_in } = document;
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw failed(clientMessages.no_access_token({ endpoint: exchangeEndpoint }));
  }
  // A token without a lifetime is renewed each minute.
  const isLifetime = typeof expires_in === 'number' && expires_in >= 0;
  const lifetimeMs = isLifetime ? expires_in * 1000 : 60_000;
  const theirsMs = Date.parse(date ?? '');
  const skewMs = Math.round(theirsMs - (issuedAtWallMs + runtime.now()) / 2);
  const clockSkewMs = Number.isNaN(skewMs) ? undefined : skewMs;
  return { value, lifetimeMs, issuedAtMs, issuedAtWallMs, clockSkewMs };
}

/**
 * A request to the authorization server, which must answer 2xx. The body may hold a valid token, so errors quote only
 * `error` and `error_description` (RFC 6749, section 5.2).
 */
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
  const answer = await readAnswer(reply, endpoint, maxBytes, request.signal);
  const { status, text, header } = answer;
  const redirect = redirectError(answer);
  if (redirect) throw redirect;
  const body = parseJson(text);
  const document = isRecord(body) ? body : {};
  if (status >= 200 && status < 300) return { document, date: header('date') };
  const { error, error_description } = document;
  if (endpoint === exchangeEndpoint && (status === 401 || error === 'invalid_client'))
    throw new PlatformError('key_refused', clientMessages.key_wrong(), { status });
  const words = [error, error_description].filter((word) => typeof word === 'string').join(': ');
  const detail = cutText(maskSecrets(words, secrets), 1000);
  const reason = clientMessages.exchange_refused({ endpoint, status, detail });
  throw failed(reason, { status, retryAfterMs: retryAfterOf(answer) });
}

function failed(reason: Message, failure: PlatformFailure = { status: 200 }): PlatformError {
  return new PlatformError('exchange_failed', reason, failure);
}

/** Encodes colons and non-ASCII letters like a form (RFC 6749, appendix B). */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
