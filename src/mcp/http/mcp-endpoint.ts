import {
  createMcpHandler,
  isJsonContentType,
  ProtocolErrorCode,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { FairQueue } from '../../core/fair-queue.ts';
import { countJson, isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { LoopTurns } from '../../core/process/loop-turns.ts';
import type { AppProvider } from '../app/accounts.ts';
import type { App, Caller } from '../app/app.ts';
import { readMessage } from '../server/read-message.ts';
import { createServer } from '../server/server.ts';
import type { Gate } from './auth/gate.ts';
import { RefusalError, refusalMessages, refuseBusy } from './refusals.ts';

export interface EndpointBounds {
  maxActive: number;
  maxWaiting: number;
}

/** Most bodies that arrive at once, each of a megabyte at most. */
const maxArrivals = 512;

/** Most open subscriptions: each holds a connection, and a process has about a thousand files. */
const subscriptionBounds = { maxActive: 256, maxWaiting: 0 };

/**
 * The endpoint for both eras of the protocol. Each request stands alone, so any replica can serve it.
 * @param gate undefined where callers are not authenticated
 */
export function openMcpEndpoint(apps: AppProvider, gate: Gate | undefined, bounds: EndpointBounds) {
  const places = openPlaces(bounds, gate !== undefined);
  const arrivalBounds = { maxActive: maxArrivals, maxWaiting: maxArrivals };
  const arrivals = openPlaces(arrivalBounds, gate !== undefined);
  /** Turns for counting, parsing and checking a message, which block the event loop. */
  const bodies = new LoopTurns();
  const subscriptions = openPlaces(subscriptionBounds, gate !== undefined);
  const { handler, callerApps } = openHandler(apps);

  /**
   * Serves a message, which takes a place once it is read: a slow sender keeps nobody waiting.
   * @param closed settles when the response is sent or the client has gone
   * @throws {RefusalError}
   */
  async function serve(request: Request, caller: Caller, closed: Promise<unknown>) {
    const turn = { caller: caller.id, group: caller.account, signal: request.signal };
    const releaseArrival = await arrivals.enter(turn).catch(refuseBusy);
    const takeTurn = <Result>(work: () => Result) => bodies.take({ ...turn }, work);
    const inbound = await readInbound(request, takeTurn).finally(releaseArrival);
    const { method, params, body: parsedBody, refusal } = inbound;
    // Wrong parameters are answered like refusals of a handler; other malformed requests as the SDK does.
    if (refusal) {
      const isRequest = refusal.error.code === ProtocolErrorCode.InvalidParams;
      return Response.json(refusal, { status: isRequest ? 200 : 400 });
    }
    const releasePlace = await places.enter({ ...turn }).catch(refuseBusy);
    // Subscriptions have places of their own, because they stay open and ask the platform nothing.
    const isSubscription = method === 'subscriptions/listen';
    const placeEnd = isSubscription ? Promise.resolve() : closed;
    void placeEnd.then(releasePlace);
    if (isSubscription) {
      const reason = refusalMessages.too_many_subscriptions();
      const tooMany = () => new RefusalError(reason, { headers: { 'retry-after': '60' } });
      void closed.then(await subscriptions.enter({ ...turn }, tooMany));
    }
    const { app, callerApp, closing, release } = await apps.acquire(caller).catch(refuseBusy);
    void placeEnd.then(release);
    if (method === 'tools/call' && typeof params.name === 'string') {
      const { toolset } = app.catalogue.find(params.name) ?? {};
      if (toolset !== undefined) gate?.checkScope(request, caller, params.name, toolset);
    }
    normalizeHeaders(request.headers, method);
    callerApps.set(request, callerApp);
    const response = await bodies.take({ ...turn }, () => handler.fetch(request, { parsedBody }));
    if (!isSubscription || response.body === null) return response;
    // A running call itself reports that its account closed; a subscription has to be ended.
    const body = response.body.pipeThrough(new TransformStream(), { signal: closing });
    return new Response(body, response);
  }

  /** `finish` accepts no more calls, and resolves when the running ones have ended. */
  return { places, serve, finish: () => places.close(), close: () => handler.close() };
}

/** Changes headers to the strict form that the SDK accepts, because HTTP allows clients more. */
function normalizeHeaders(headers: Headers, method: unknown): void {
  // Answers are JSON or event streams, so a client that accepts event streams is enough.
  if (/(^|,)\s*(\*|text)\/(\*|event-stream)\s*(;|,|$)/i.test(headers.get('accept') ?? '*/*'))
    headers.set('accept', 'application/json, text/event-stream');
  // The body of the handshake, not a header, names the revision.
  if (method === 'initialize') headers.delete('mcp-protocol-version');
}

function openHandler(apps: AppProvider) {
  const callerApps = new WeakMap<Request, App>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const app = requestInfo && callerApps.get(requestInfo);
      if (app === undefined) throw new Error('a request came without its application');
      return createServer(app);
    },
    {
      // The name alone is logged: the message may quote what was sent.
      onerror: ({ name }) => apps.log.debug({ error: name }, 'a request was not served'),
    },
  );
  apps.onOpen(({ activity }) => {
    activity.on('prompts', handler.notify.promptsChanged);
    activity.on('prompts', handler.notify.resourcesChanged);
  });
  return { handler, callerApps };
}

/** A caller gets at most half of the places where callers can be told apart. */
function openPlaces({ maxActive, maxWaiting }: EndpointBounds, areDistinguished: boolean) {
  const shareOf = (all: number) => (areDistinguished ? Math.max(1, Math.floor(all / 2)) : all);
  return new FairQueue({
    maxActive,
    maxWaiting,
    maxActivePerCaller: shareOf(maxActive),
    maxWaitingPerCaller: shareOf(maxWaiting),
  });
}

const maxBytes = 1_000_000;

/** Bounds of a body, above any message of the protocol. Every schema visits each member again. */
const bodyBounds = { values: 2500, keysPerObject: 150, depth: 51 };

/**
 * Reads the message of a request before it is served. Bodies that are not JSON are left to the SDK, which refuses
 * them; Node ends a request whose body takes too long.
 * @param takeTurn runs blocking work when its turn has come
 * @throws {RefusalError} for a body that is too long or malformed
 */
async function readInbound(request: Request, takeTurn: <T>(work: () => T) => Promise<T>) {
  const none = { body: undefined, refusal: undefined, method: undefined, params: {} as JsonObject };
  const isJson = isJsonContentType(request.headers.get('content-type'));
  if (request.method !== 'POST' || !isJson) return none;
  // Node reads no more than the declared length, so such a body needs no count.
  const isShort = Number(request.headers.get('content-length') ?? Infinity) <= maxBytes;
  const read = isShort
    ? { tooLarge: false as const, text: await request.text() }
    : await readRequestBody(request, maxBytes);
  if (read.tooLarge) throw new RefusalError(refusalMessages.body_too_long({ maxBytes }));
  const { text } = read;
  const { message: body, refusal } = await takeTurn(() => readMessage(parseBounded(text)));
  const { method, params } = isRecord(body) ? body : {};
  return { body, refusal, method, params: isRecord(params) ? params : {} };
}

function parseBounded(text: string): unknown {
  // Counted before parsing: a megabyte of empty objects takes a hundred times as long as one of text.
  const { exceeded } = countJson(text, bodyBounds);
  if (exceeded !== undefined) {
    const { keysPerObject, depth, values } = bodyBounds;
    throw new RefusalError(
      refusalMessages.body_too_full({ keysPerObject, levels: depth - 1, values }),
    );
  }
  const body = parseJson(text);
  if (body === undefined) throw new RefusalError(refusalMessages.body_not_json());
  return body;
}
