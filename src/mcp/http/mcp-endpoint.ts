import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import type { Toolset } from '../../endpoints/define.ts';
import type { App } from '../app/app.ts';
import { type Caller, scopeTo } from '../app/scoped-app.ts';
import { jsonRpcError } from '../server/json-rpc-error.ts';
import { createServer } from '../server/server.ts';
import { createCancellations } from './cancellations.ts';
import type { Inbound } from './json-rpc-body.ts';

/** One exchange at `/mcp`. */
export interface Exchange {
  response: Response;
  /** A stream that stays open to tell of changes, and does no work meanwhile. */
  isSubscription: boolean;
}

/** The protocol's endpoint, for requests that were let in. */
export interface McpEndpoint {
  /**
   * Serves one request whose message has been read.
   * @param caller undefined where callers are not told apart
   * @param needScope what a caller is told who calls a tool that another scope opens
   */
  serve(
    request: Request,
    inbound: Inbound,
    caller: Caller | undefined,
    needScope: (scope: Toolset) => Response | undefined,
  ): Promise<Exchange>;
  /** Subscriptions that are open. */
  subscriptions(): number;
  /** Ends subscriptions and whatever is under way. */
  close(): Promise<void>;
}

/** Serves both eras of the protocol, each request by itself: any replica can take any request. */
export function createMcpEndpoint(app: App): McpEndpoint {
  const bus = new InMemoryServerEventBus();
  const viewOf = scopeTo(app);
  const views = new WeakMap<Request, App>();
  const cancellations = createCancellations();
  const subscribed = new Map<string, number>();
  const handler: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => {
      const view = requestInfo && views.get(requestInfo);
      if (view === undefined) throw new Error('a request came without its view');
      return createServer(view);
    },
    {
      bus,
      // What went wrong may quote what was sent: its kind says enough.
      onerror: ({ name }) => app.log.debug({ error: name }, 'a request was not served'),
    },
  );

  async function serve(
    request: Request,
    inbound: Inbound,
    caller: Caller | undefined,
    needScope: (scope: Toolset) => Response | undefined,
  ): Promise<Exchange> {
    const view = viewOf(caller ?? { id: anybody, toolsets: app.toolsets });
    const scope = missingScope(inbound, view);
    const refusal = scope && needScope(scope);
    if (refusal) return { response: refusal, isSubscription: false };
    const isSubscription = inbound.method === 'subscriptions/listen';
    const id = caller?.id ?? anybody;
    if (isSubscription && (subscribed.get(id) ?? 0) >= maxSubscriptions)
      return { response: tooManySubscriptions(), isSubscription: false };
    if (!isSubscription)
      return { response: await handle(request, inbound, view, id), isSubscription };
    subscribed.set(id, (subscribed.get(id) ?? 0) + 1);
    const end = () => {
      const left = (subscribed.get(id) ?? 1) - 1;
      if (left > 0) subscribed.set(id, left);
      else subscribed.delete(id);
    };
    const response = await handle(request, inbound, view, id).catch((error) => {
      end();
      throw error;
    });
    return { response: whenOver(response, end), isSubscription };
  }

  async function handle(
    request: Request,
    inbound: Inbound,
    view: App,
    caller: string,
  ): Promise<Response> {
    // Without a message there is nothing to serve: the handler knows with which status to say so.
    if (request.method !== 'POST') return handler.fetch(request);
    const { body, method, id, params } = inbound;
    const session = request.headers.get('mcp-session-id');
    const { requestId } = params;
    if (session !== null && method === 'notifications/cancelled' && isId(requestId))
      cancellations.cancel({ caller, session, request: requestId });
    const cancellation =
      session !== null && method !== undefined && id !== undefined
        ? cancellations.begin({ caller, session, request: id })
        : undefined;
    const signal = cancellation
      ? AbortSignal.any([request.signal, cancellation.signal])
      : request.signal;
    // The body has been read; what the handler needs of the request is the rest.
    const { url, headers } = request;
    const bare = new Request(url, { method: 'POST', headers, signal });
    views.set(bare, view);
    const response = await handler.fetch(bare, body === undefined ? {} : { parsedBody: body });
    // Nothing is kept under a session: its id is what a cancellation names its call by.
    if (method === 'initialize' && response.ok)
      response.headers.set('mcp-session-id', randomUUID());
    return cancellation ? whenOver(response, cancellation.done) : response;
  }

  function missingScope({ method, params }: Inbound, view: App): Toolset | undefined {
    if (method !== 'tools/call' || typeof params.name !== 'string') return undefined;
    const tool = app.catalogue.find(params.name);
    return tool && !view.toolsets.includes(tool.toolset) ? tool.toolset : undefined;
  }

  return { serve, subscriptions: () => bus.listenerCount, close: () => handler.close() };
}

/** Whoever asks where nobody has to show who they are: one and the same on every replica. */
export const anybody = 'anybody';

/** Most subscriptions that one caller holds open; there are 1,024 in all. */
const maxSubscriptions = 64;

function tooManySubscriptions(): Response {
  return jsonRpcError(
    429,
    -32_000,
    `You hold ${maxSubscriptions} subscriptions open, the most of one caller; close one first`,
  );
}

/** The same response, with a call back when its body has been sent or given up. */
function whenOver(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const { status, headers } = response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = await reader.read().catch((error) => {
        done();
        throw error;
      });
      if (!part.done) return controller.enqueue(part.value);
      done();
      controller.close();
    },
    cancel(reason) {
      done();
      return reader.cancel(reason);
    },
  });
  return new Response(body, { status, headers });
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
