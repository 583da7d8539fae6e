/** Breaks answers: the middleware that lets the server answer as usual and then spoils it. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { Sleep } from '../sleep.ts';
import type { Environment } from '../wire/environment.ts';
import type { Fault } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { refusal } from './refusal.ts';
import { spoilHeaders } from './spoilt-headers.ts';
import { spoilRows } from './spoilt-rows.ts';
import { dripping, huge } from './streams.ts';

/** What breaking needs from its surroundings. */
export interface FaultTools {
  plan: FaultPlan;
  now: () => number;
  sleep: Sleep;
  expireTokens: () => void;
  addOrder: () => void;
  /** Fires when the sandbox closes. */
  closing: AbortSignal;
}

const FOREIGN_ORIGIN = 'http://127.0.0.1:9/elsewhere';

/**
 * Strikes requests as planned; stands outside everything else, so that a struck request was
 * counted.
 */
export function breakAnswers(tools: FaultTools): MiddlewareHandler<Environment> {
  return async (c, next) => {
    const fault = tools.plan.pick(c.req.path, tools.now());
    if (fault?.kind === 'expired') tools.expireTokens();
    if (fault?.kind === 'shifting') tools.addOrder();
    if (fault?.kind === 'slow') {
      await tools.sleep(fault.ms ?? 60_000, AbortSignal.any([tools.closing, c.req.raw.signal]));
    }
    await next();
    if (fault === undefined) return;
    const answer = c.res;
    const spoilt = await spoil(fault, answer, c, tools);
    // Hono merges the old headers into a response that replaces another: take the old one away first.
    c.res = undefined;
    c.res = spoilt;
  };
}

async function spoil(
  fault: Fault,
  answer: Response,
  c: Context<Environment>,
  tools: FaultTools,
): Promise<Response> {
  const body = await answer.clone().text();
  const half = body.slice(0, Math.ceil(body.length / 2));
  switch (fault.kind) {
    case '500':
    case '502':
    case '503':
    case '401':
    case '429':
    case '429-bare':
      return refusal(fault.kind, fault.value, answer, c.get('requestId'));
    case 'html':
      return replaced(answer, '<html><body><h1>503 Service Unavailable</h1></body></html>', {
        status: 503,
        contentType: 'text/html',
      });
    case 'echo':
      return replaced(answer, JSON.stringify(c.req.header()), {
        status: 502,
        contentType: 'text/html',
      });
    case 'empty':
      return replaced(answer, '');
    case 'cut':
      return replaced(answer, half);
    case 'malformed':
      return replaced(answer, '{"count": 1, "data": [}');
    case 'not-text':
      return replaced(answer, Uint8Array.from([...Buffer.from('{"data":["'), 0xc3, 0x28, 0xff]));
    case 'deep':
      return replaced(answer, nested(20_000));
    case 'content-type':
      return replaced(answer, body, { contentType: 'text/plain' });
    case 'drip':
      return replaced(answer, dripping(body, fault.ms ?? 100, tools.sleep, tools.closing));
    case 'huge':
      return replaced(answer, huge());
    case 'huge-headers':
      return withHeader(answer, body, 'x-filler', 'x'.repeat(100_000));
    case 'redirect':
      return redirected(answer, 302, fault.value ?? FOREIGN_ORIGIN);
    case 'redirect-308':
      return redirected(answer, 308, fault.value ?? FOREIGN_ORIGIN);
    case 'foreign-endpoint':
      return replaced(answer, JSON.stringify({ token_endpoint: fault.value ?? FOREIGN_ORIGIN }));
    case 'reset':
      c.env.incoming.socket.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
    case 'reset-body':
      return resetWithin(answer, body, half, c);
    case 'no-limits':
    case 'bad-limits':
    case 'odd-limits':
      return new Response(body, {
        status: answer.status,
        headers: spoilHeaders(fault.kind, answer.headers),
      });
    case 'null-list':
    case 'lying-total':
    case 'low-total':
    case 'repeated-ids':
    case 'stuck-cursor':
      return replaced(answer, spoilRows(fault.kind, body, c.req.query('cursor')));
    case 'expired':
    case 'shifting':
    case 'slow':
      return answer;
  }
}

/** Sends headers that promise the whole body, half of it, and then resets the connection. */
async function resetWithin(
  answer: Response,
  body: string,
  half: string,
  c: Context<Environment>,
): Promise<Response> {
  const { outgoing, incoming } = c.env;
  outgoing.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    'content-length': Buffer.byteLength(body),
  });
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

function redirected(answer: Response, status: 302 | 308, location: string): Response {
  const headers = new Headers(answer.headers);
  headers.delete('content-type');
  headers.set('location', location);
  return new Response(null, { status, headers });
}

function withHeader(answer: Response, body: string, name: string, value: string): Response {
  const headers = new Headers(answer.headers);
  headers.set(name, value);
  return new Response(body, { status: answer.status, headers });
}

/** A list whose only row holds a list that holds a list, so many deep. */
function nested(depth: number): string {
  return `{"count":1,"total":1,"data":[{"id":1,"a":${'['.repeat(depth)}${']'.repeat(depth)}}]}`;
}

function replaced(
  answer: Response,
  body: string | ReadableStream | Uint8Array<ArrayBuffer>,
  changes: { status?: number; contentType?: string } = {},
): Response {
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  if (changes.contentType !== undefined) headers.set('content-type', changes.contentType);
  return new Response(body, { status: changes.status ?? answer.status, headers });
}
