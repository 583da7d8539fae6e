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
  masked,
  readAnswer,
  redirectError,
  retryAfterOf,
} from '../transport/http.ts';
import type { ClientSettings, HttpRequest, Runtime } from '../transport/runtime.ts';

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

/** After a failed exchange the authorization server is left alone for this long, where possible. */
const restMs = 5000;

/** The token of one key. */
export type Tokens = ReturnType<typeof createTokens>;

/**
 * The token of one key, exchanged again whenever that is due (docs/platform.md#renewal). However
 * many calls wait, one exchange is under way.
 */
export function createTokens(settings: ClientSettings, runtime: Runtime, closing: AbortSignal) {
  const { elapsed, alarm, log } = runtime;
  let held: Token | undefined;
  let underWay: Promise<Token> | undefined;
  let failure: { error: unknown; atMs: number } | undefined;
  /** The token endpoint of the discovery, which is read again after a failure: the endpoint may have moved. */
  let endpoint: URL | undefined;

  const hasRested = () => !failure || elapsed() - failure.atMs >= restMs;

  /** Discovery and exchange together take as long as one request may. */
  async function discoverAndExchange(): Promise<Token> {
    // A refused key stays refused until a person acts: the server is not asked in a loop.
    if (failure && hasCode(failure.error, 'key_refused') && !hasRested()) throw failure.error;
    const startedMs = elapsed();
    const logEnd = (ended: { expiresInSeconds: number } | { failed: ErrorCode }) =>
      log({ event: 'exchange', durationMs: elapsed() - startedMs, ...ended });
    const ms = settings.timeoutMs;
    const late = () => exchangeLate(ms);
    try {
      held = await withDeadline({ ms, signal: closing, alarm, late }, async (ending) => {
        endpoint ??= await discover(settings, runtime, ending);
        return exchange(settings, endpoint, runtime, ending);
      });
      failure = undefined;
      logEnd({ expiresInSeconds: Math.floor(held.lifetimeMs / 1000) });
      return held;
    } catch (error) {
      failure = { error, atMs: elapsed() };
      endpoint = undefined;
      logEnd({ failed: error instanceof CommerceError ? error.code : 'cancelled' });
      throw error;
    }
  }

  function renew(): Promise<Token> {
    underWay ??= discoverAndExchange().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    renew,
    /** A token fit for a call now; a promise only when none is held and one is exchanged. */
    current(): Token | Promise<Token> {
      const state = held ? renewal(held, elapsed(), runtime.now()) : 'expired';
      if (!held || state === 'expired') return renew();
      // The held token still works: no call waits for its successor.
      if (state === 'due' && hasRested()) renew().catch(() => {});
      return held;
    },
    /** Gives another token than `refused`, which the platform answered with 401. */
    async replace(refused: Token): Promise<Token> {
      return held && held.value !== refused.value ? held : renew();
    },
    /** The platform's clock minus ours as the last exchange told it, else 0. */
    clockSkewMs: () => held?.clockSkewMs ?? 0,
  };
}

/** The failure of an authorization server that did not answer in time. */
function exchangeLate(ms: number): PlatformError {
  return new PlatformError('timeout', clientMessages.exchange_late({ seconds: ms / 1000 }));
}

/**
 * Whether a token is `fresh`, `due` for renewal (about a minute before its end, for short lifetimes
 * their last quarter) or `expired`. The clock that ran further counts: the wall clock may be set
 * back, and the other stops while the machine sleeps.
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
 * The token endpoint from the discovery document, which may hold nothing else
 * (docs/platform.md#token-exchange). It has to be on the authorization server's own origin: the
 * secret goes nowhere else.
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
  const { document } = await ask({ url, method: 'GET', headers, signal }, endpoint, runtime);
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
 * The client-credentials exchange, with HTTP Basic as RFC 6749 section 2.3.1 writes it.
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
  const request = { url, method: 'POST', headers, body, signal } as const;
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
 * One request to the authorization server, which has to answer 2xx. Its body may hold a live token: an error quotes
 * `error` and `error_description` alone (RFC 6749, section 5.2).
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
  const detail = cutText(masked(words, secrets), 1000);
  const reason = clientMessages.exchange_refused({ endpoint, status, detail });
  throw failed(reason, { status, retryAfterMs: retryAfterOf(answer) });
}

function failed(reason: Message, failure: PlatformFailure = { status: 200 }): PlatformError {
  return new PlatformError('exchange_failed', reason, failure);
}

/** RFC 6749 appendix B: as in a form, so that a colon or a non-ASCII letter survives. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
