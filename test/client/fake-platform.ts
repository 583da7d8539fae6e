import type { HttpReply, HttpRequest, Runtime } from '../../src/client/transport/runtime.ts';
import type { FakeClock } from './fake-clock.ts';

/** How the simulated platform behaves; every part may be changed while it runs. */
export interface Behaviour {
  quota: number;
  windowMs: number;
  /** Where in a window the clock's zero lies. */
  phaseMs: number;
  /** The window starts with its first request, instead of at fixed moments. */
  isLazy: boolean;
  /** Whether resets are rounded up to whole seconds, as the document suggests, or down. */
  round: (seconds: number) => number;
  /** Milliseconds that a request takes on its way there, and back. */
  latencyMs: () => [there: number, back: number];
  /** Which of the five headers are sent. */
  headers: 'all' | 'trio' | 'state' | 'none';
  /** What a request is answered with when the budget allows it. */
  answer: (url: URL) => unknown;
  lifetimeSeconds: number;
  /** Whether the authorization server knows the key. */
  knowsKey: boolean;
  /** Answers in place of the discovery document and of the exchange. */
  discovery: (() => HttpReply | Promise<HttpReply>) | undefined;
  exchange: ((request: HttpRequest) => HttpReply) | undefined;
  /** Retry-After of a 429. @default the reset */
  retryAfter: string | undefined;
  /** What becomes of the next API call. */
  mood: () => Mood;
}

/** `odd` is a 429 that leaves out Retry-After though its headers report what is left. */
type Mood = 'answer' | 'hang' | 'drop' | 'refuse' | 'odd' | 'fail' | 'expire';

/** A platform without sockets, counting requests on arrival as docs/platform.md#request-budget says. */
export class FakePlatform {
  readonly behaviour: Behaviour = {
    quota: 30,
    windowMs: 60_000,
    phaseMs: 0,
    isLazy: false,
    round: Math.ceil,
    latencyMs: () => [20, 30],
    headers: 'all',
    answer: () => ({ data: [] }),
    lifetimeSeconds: 3600,
    knowsKey: true,
    discovery: undefined,
    exchange: undefined,
    retryAfter: undefined,
    mood: () => 'answer',
  };
  /** Requests let through and refused, by window. */
  readonly windows: { served: number; refused: number }[] = [];
  /** Requests as they left, oldest first. */
  readonly requests: HttpRequest[] = [];
  /** Exchanges asked for. */
  exchanges = 0;
  readonly #lives = new Map<string, number>();
  readonly #clock: FakeClock;
  #window = { startsAtMs: Number.NEGATIVE_INFINITY, served: 0, refused: 0 };

  constructor(clock: FakeClock, behaviour: Partial<Behaviour> = {}) {
    this.#clock = clock;
    Object.assign(this.behaviour, behaviour);
  }

  get refused(): number {
    return this.windows.reduce((sum, { refused }) => sum + refused, 0);
  }

  /** What a client needs to live in this world. */
  runtime(chance: () => number = () => 0.5): Partial<Runtime> {
    const { now, elapsed, alarm } = this.#clock;
    return { now, elapsed, alarm, random: chance, send: this.send, hangUp: async () => {} };
  }

  /** Draws on the key as some other process would; true when the budget allowed it. */
  draw(): boolean {
    return this.#count().isServed;
  }

  /** Ends every token at once. */
  expireTokens(): void {
    this.#lives.clear();
  }

  send = async (request: HttpRequest): Promise<HttpReply> => {
    this.requests.push(request);
    const [there, back] = this.behaviour.latencyMs();
    await this.#clock.sleep(there, request.signal);
    const mood = request.url.pathname.startsWith('/api') ? this.behaviour.mood() : 'answer';
    if (mood === 'hang') await this.#clock.sleep(86_400_000, request.signal);
    if (mood === 'expire') this.expireTokens();
    const spoilt = { refuse: [429, '4'], fail: [502, '0'] } as const;
    const [status, standard] = mood === 'refuse' || mood === 'fail' ? spoilt[mood] : [];
    const answer = status
      ? reply(status, {}, { 'retry-after': this.behaviour.retryAfter ?? standard })
      : await this.#arrived(request, mood === 'odd');
    if (mood === 'drop') throw new Error('the connection was reset');
    await this.#clock.sleep(back, request.signal);
    return answer;
  };

  #arrived(request: HttpRequest, isOdd: boolean): HttpReply | Promise<HttpReply> {
    const { url, headers: sent } = request;
    const { discovery, exchange } = this.behaviour;
    if (url.pathname.startsWith('/.well-known')) {
      return discovery?.() ?? reply(200, { token_endpoint: `${url.origin}/oauth/token` });
    }
    if (url.pathname === '/oauth/token') {
      this.exchanges++;
      return exchange?.(request) ?? this.#exchanged();
    }
    const token = (sent.authorization ?? '').slice('Bearer '.length);
    if ((this.#lives.get(token) ?? -1) <= this.#clock.elapsed())
      return reply(401, { detail: 'expired', hint: 'authenticate again' });
    const { isServed, remaining, resetSeconds } = this.#count();
    const headers = this.#headers(remaining, resetSeconds);
    if (isServed && isOdd) return reply(429, {}, headers);
    if (isServed) return reply(200, this.behaviour.answer(url), headers);
    const retryAfter = this.behaviour.retryAfter ?? String(resetSeconds);
    return reply(429, {}, { ...headers, 'retry-after': retryAfter });
  }

  #exchanged(): HttpReply {
    if (!this.behaviour.knowsKey) return reply(401, { error: 'invalid_client' });
    const access_token = `token-${this.exchanges}`;
    const { lifetimeSeconds } = this.behaviour;
    this.#lives.set(access_token, this.#clock.elapsed() + lifetimeSeconds * 1000);
    return reply(200, { access_token, expires_in: lifetimeSeconds });
  }

  #count() {
    const { quota, windowMs, phaseMs, isLazy, round } = this.behaviour;
    const now = this.#clock.elapsed();
    const startsAtMs = isLazy ? now : Math.floor((now + phaseMs) / windowMs) * windowMs - phaseMs;
    if (now >= this.#window.startsAtMs + windowMs) {
      this.#window = { startsAtMs, served: 0, refused: 0 };
      this.windows.push(this.#window);
    }
    const isServed = this.#window.served < quota;
    this.#window[isServed ? 'served' : 'refused']++;
    const resetSeconds = round((this.#window.startsAtMs + windowMs - now) / 1000);
    return { isServed, remaining: quota - this.#window.served, resetSeconds };
  }

  #headers(remaining: number, resetSeconds: number): Record<string, string> {
    const { quota, windowMs, headers } = this.behaviour;
    const trio = {
      'ratelimit-limit': String(quota),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(resetSeconds),
    };
    const w = Math.round(windowMs / 1000);
    const state = {
      'ratelimit-policy': `"general";q=${quota};w=${w}, "write";q=5;w=${w}`,
      ratelimit: `"general";r=${remaining};t=${resetSeconds}`,
    };
    if (headers === 'none') return {};
    if (headers === 'trio') return trio;
    return headers === 'state' ? state : { ...trio, ...state };
  }
}

/** A reply as the socket layer hands it on. */
export function reply(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): HttpReply {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    status,
    header: (name) => headers[name] ?? (name === 'content-type' ? 'application/json' : undefined),
    body: Promise.resolve({ bytes }),
  };
}
