/** Breaks answers: the middleware that lets the server answer as usual and then spoils it. */

import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { linkController } from '../../../src/core/deadline.ts';
import type { Environment } from '../../../src/sandbox/http/platform.ts';
import { problemDocument } from '../../../src/sandbox/http/problem.ts';
import { FAULT_KINDS, type FaultKind, type FaultPlan } from './fault.ts';

interface Struck {
  answer: Response;
  body: string;
  value: string;
  ms: number | undefined;
  c: Context<Environment>;
  closing: AbortSignal;
}

const FOREIGN_ORIGIN = 'http://127.0.0.1:9/elsewhere';
const ODD_LIMITS = {
  'RateLimit-Limit': '10',
  'RateLimit-Remaining': '250',
  'RateLimit-Reset': '-5',
  'RateLimit-Policy': '"general";q=0;w=0, "general";q=99;w=1',
  RateLimit: '"unheard-of";r=-3;t=99999999',
};

/** Strikes requests as planned. */
export function breakAnswers(
  plan: FaultPlan,
  changes: () => { expireTokens(): void; addOrder(): unknown },
  closing: AbortSignal,
): MiddlewareHandler<Environment> {
  return async (c, next) => {
    const fault = plan.pick(c.req.path);
    const [form = ''] = fault ? FAULT_KINDS[fault.kind] : [];
    const value = fault?.value ?? form;
    if (fault?.kind === 'expired') changes().expireTokens();
    if (fault?.kind === 'list' && value === 'shifting') changes().addOrder();
    if (fault?.kind === 'slow' && value === 'headers') {
      const { controller, unlink } = linkController(closing, c.req.raw.signal);
      await sleep(fault.ms ?? 60_000, controller.signal).finally(unlink);
    }
    await next();
    const spoil = fault && SPOILERS[fault.kind];
    if (fault === undefined || spoil === undefined) return;
    const body = await c.res.clone().text();
    const spoilt = await spoil({ answer: c.res, body, value, ms: fault.ms, c, closing });
    // Hono merges the old headers into a response that replaces another: take the old one away first.
    c.res = undefined;
    c.res = spoilt;
  };
}

const SPOILERS: Partial<Record<FaultKind, (struck: Struck) => Response | Promise<Response>>> = {
  status: ({ answer, value, c }) => refusal(answer, Number(value || 502), c),
  429({ answer, value, c }) {
    const refused = refusal(answer, 429, c);
    if (value !== 'none') refused.headers.set('retry-after', value || '1');
    return refused;
  },
  html({ answer, value, c }) {
    const shown =
      value === 'echo' ? JSON.stringify(c.req.header()) : '<h1>503 Service Unavailable</h1>';
    const headers = { 'content-type': 'text/html' };
    return replaced(answer, `<html><body>${shown}</body></html>`, headers, 503);
  },
  body({ answer, body, value }) {
    if (value === 'plain') return replaced(answer, body, { 'content-type': 'text/plain' });
    if (value === 'not-text') {
      return replaced(answer, Uint8Array.from([...Buffer.from('{"data":["'), 0xc3, 0x28, 0xff]));
    }
    const deep = `{"count":1,"total":1,"data":[{"id":1,"a":${'['.repeat(2e4)}${']'.repeat(2e4)}}]}`;
    const half = body.slice(0, Math.ceil(body.length / 2));
    return replaced(answer, value === 'cut' ? half : value === 'deep' ? deep : '');
  },
  async reset({ answer, body, value, c }) {
    const { outgoing, incoming } = c.env;
    if (value === 'middle') {
      const length = Buffer.byteLength(body);
      const headers = { ...Object.fromEntries(answer.headers), 'content-length': length };
      outgoing.writeHead(answer.status, headers);
      const half = body.slice(0, Math.ceil(body.length / 2));
      await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
    }
    incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  slow: ({ answer, body, value, ms = 100, closing, c }) =>
    value === 'headers' ? answer : streamed(answer, c, dripping(body, ms, closing)),
  huge({ answer, body, value, c }) {
    if (value === 'body') return streamed(answer, c, endless());
    return replaced(answer, body, { 'x-filler': 'x'.repeat(100_000) });
  },
  redirect: ({ answer, value }) =>
    replaced(answer, null, { location: value || FOREIGN_ORIGIN }, 302),
  'foreign-endpoint': ({ answer, value }) =>
    replaced(answer, JSON.stringify({ token_endpoint: value || FOREIGN_ORIGIN })),
  limits({ answer, body, value }) {
    const spoilt = replaced(answer, body);
    for (const [name, odd] of Object.entries(ODD_LIMITS)) {
      if (value === 'none') spoilt.headers.delete(name);
      else spoilt.headers.set(name, value === 'odd' ? odd : 'many; per=moon "');
    }
    return spoilt;
  },
  list: ({ answer, body, value, c }) =>
    replaced(answer, spoilList(body, value, c.req.query('cursor'))),
};

/** Waits, or stops waiting when the signal fires; never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

function replaced(
  answer: Response,
  body: ConstructorParameters<typeof Response>[0],
  changes: Readonly<Record<string, string>> = {},
  status = answer.status,
): Response {
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  if (body === null) headers.delete('content-type');
  for (const [name, value] of Object.entries(changes)) headers.set(name, value);
  return new Response(body, { status, headers });
}

/** The same answer with a body that comes in pieces, for as long as the client reads it. */
async function streamed(
  { status, headers }: Response,
  { env: { outgoing } }: Context<Environment>,
  pieces: AsyncGenerator<Uint8Array>,
): Promise<Response> {
  headers.delete('content-length');
  outgoing.writeHead(status, Object.fromEntries(headers));
  await pipeline(pieces, outgoing).catch(() => {});
  return RESPONSE_ALREADY_SENT;
}

function refusal(answer: Response, status: number, c: Context<Environment>): Response {
  const document = problemDocument(
    status,
    `A fault of the sandbox: ${status}.`,
    c.get('requestId'),
  );
  const type = { 'content-type': 'application/problem+json' };
  const refused = replaced(answer, JSON.stringify(document), type, status);
  const { headers } = refused;
  if (status === 401) {
    // A call that was not authenticated was not counted (docs/platform.md#rate-headers).
    for (const name of Object.keys(ODD_LIMITS)) headers.delete(name);
  } else if (status === 429 && headers.has('ratelimit')) {
    headers.set('ratelimit-remaining', '0');
    headers.set('ratelimit', `"general";r=0;t=${headers.get('ratelimit-reset') ?? '1'}`);
  }
  return refused;
}

/** The body of a list with its rows, its total or its cursor spoilt; other bodies as they are. */
function spoilList(body: string, how: string, cursor: string | undefined): string {
  const payload: unknown = JSON.parse(body);
  const list: Record<string, unknown> = { ...Object(payload) };
  const { data, total, next_cursor } = list;
  if (!Array.isArray(data)) return body;
  if (how === 'null') list.data = null;
  if (how === 'high-total' && typeof total === 'number') list.total = total + 7;
  if (how === 'low-total' && typeof total === 'number') list.total = Math.floor(total / 2);
  if (how === 'repeated') list.data = [...data.slice(0, -1), ...data.slice(0, 1)];
  if (how === 'stuck' && next_cursor !== undefined) {
    Object.assign(list, { next_cursor: cursor ?? next_cursor, has_more: true });
  }
  return JSON.stringify(list);
}

async function* dripping(text: string, pauseMs: number, closing: AbortSignal) {
  const bytes = new TextEncoder().encode(text);
  const size = Math.max(1, Math.ceil(bytes.length / 16));
  for (let sent = 0; sent < bytes.length && !closing.aborted; sent += size) {
    await sleep(pauseMs, closing);
    yield bytes.slice(sent, sent + size);
  }
}

/** 100 MB of a JSON list whose only string does not end before. */
async function* endless() {
  yield new TextEncoder().encode('{"count":1,"total":1,"data":["');
  const filler = new TextEncoder().encode('x'.repeat(65_536));
  for (let chunk = 0; chunk < 1600; chunk += 1) yield filler;
}
